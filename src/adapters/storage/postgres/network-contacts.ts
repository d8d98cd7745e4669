import { and, asc, desc, eq, gt, lt, sql, type SQL } from "drizzle-orm";
import { decideNews } from "../../../features/network/decisions/contacts.ts";
import type { Contact } from "../../../features/network/contact-model.ts";
import type { NetworkStore } from "../../../features/network/store.ts";
import type { Awaited } from "../../../features/network/watch-batch.ts";
import type { Engine } from "./engine.ts";
import { lockAccountById } from "./network-accounts.ts";
import { writeChanges } from "./network-changes.ts";
import { LoadedFacts } from "./network-facts.ts";
import { networkAccounts, networkContacts } from "./network-tables.ts";

export function createContactStore(
  engine: Engine,
): Pick<NetworkStore, "contact" | "watched" | "pendingSince" | "messagesReadTo" | "noteNews"> {
  const { orm, transact } = engine;
  const isPending = sql`${networkContacts.relation} = 'pending'`;
  const select = () =>
    orm
      .select({ row: networkContacts, accountId: networkAccounts.id })
      .from(networkContacts)
      .innerJoin(networkAccounts, eq(networkAccounts.seq, networkContacts.account));

  return {
    async contact(workspaceId, accountId, profileKey) {
      const ofUser = and(eq(networkAccounts.workspaceId, workspaceId), eq(networkAccounts.id, accountId));
      const [found] = await select().where(and(ofUser, eq(networkContacts.profileKey, profileKey)));
      return found === undefined ? null : contactOf(found);
    },
    async watched(accountId, awaited, { limit, after }) {
      const { profileKey } = networkContacts;
      const isNext = after === undefined ? undefined : gt(profileKey, after);
      const rows = await select()
        .where(and(eq(networkAccounts.id, accountId), isNext, isAwaited(awaited)))
        .orderBy(after === undefined ? desc(awaitedSince(awaited)) : asc(profileKey))
        .limit(limit);
      return rows.map(contactOf);
    },
    async pendingSince(accountId, at, limit) {
      const rows = await select()
        .where(and(eq(networkAccounts.id, accountId), isPending, lt(networkContacts.invitedAt, at)))
        .orderBy(asc(networkContacts.invitedAt))
        .limit(limit);
      return rows.map(contactOf);
    },
    async messagesReadTo(accountId) {
      const { id, messagesReadTo } = networkAccounts;
      const [row] = await orm.select({ messagesReadTo }).from(networkAccounts).where(eq(id, accountId));
      return row?.messagesReadTo ?? null;
    },
    noteNews: (accountId, news, at, readTo) =>
      transact(async (connection) => {
        const record = await lockAccountById(connection, accountId);
        if (record === null) return { news: [], newMessages: 0 };
        const facts = new LoadedFacts(connection, engine);
        const { outcome, changes } = await facts.decide(() => decideNews(record, news, facts, at));
        await writeChanges(connection, changes);
        if (readTo !== undefined)
          await connection
            .update(networkAccounts)
            .set({ messagesReadTo: readTo })
            .where(eq(networkAccounts.seq, record.seq));
        return outcome;
      }),
  };
}

function isAwaited(awaited: Awaited): SQL {
  const { relation, invitedAt, messagedAt, repliedAt } = networkContacts;
  const isInvited = sql`${relation} = 'pending' AND ${invitedAt} IS NOT NULL`;
  if (awaited.waitsFor === "acceptance") return isInvited;
  const isUnanswered = sql`${messagedAt} > coalesce(${repliedAt}, 0) AND ${messagedAt} > ${awaited.messagedAfter}`;
  const hasAnswered = sql`coalesce(${messagedAt}, 0) <= ${repliedAt} AND ${repliedAt} > ${awaited.repliedAfter}`;
  return sql`NOT (${isInvited}) AND (${isUnanswered} OR ${hasAnswered})`;
}

/** When the wait for a person began. */
function awaitedSince({ waitsFor }: Awaited): SQL {
  const { invitedAt, messagedAt, repliedAt } = networkContacts;
  return waitsFor === "acceptance"
    ? sql`${invitedAt}`
    : sql`greatest(coalesce(${messagedAt}, 0), coalesce(${repliedAt}, 0))`;
}

/** The contact in the form the API uses. */
export function contactOf({
  row: { account: _account, leadId: _lead, campaignId: _campaign, ...row },
  accountId,
}: {
  row: typeof networkContacts.$inferSelect;
  accountId: string;
}): Contact {
  return { ...row, accountId };
}
