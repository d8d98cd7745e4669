import { and, asc, desc, eq, gt, isNotNull, lt, sql } from "drizzle-orm";
import { decideNews } from "../../../features/network/decisions/contacts.ts";
import type { Contact } from "../../../features/network/contact-model.ts";
import type { NetworkStore } from "../../../features/network/store.ts";
import type { Engine } from "./engine.ts";
import { lockAccountById } from "./network-accounts.ts";
import { writeChanges } from "./network-changes.ts";
import { LoadedFacts } from "./network-facts.ts";
import { networkAccounts, networkContacts } from "./network-tables.ts";

export function createContactStore(
  engine: Engine,
): Pick<NetworkStore, "contact" | "watched" | "pendingSince" | "noteNews"> {
  const { orm, transact } = engine;
  const isPending = sql`${networkContacts.relation} = 'pending'`;
  // Those who wait for an acceptance are watched for that.
  const isAnswered = sql`coalesce(${networkContacts.messagedAt}, 0) <= ${networkContacts.repliedAt} AND ${networkContacts.relation} <> 'pending'`;
  const isUnanswered = sql`${networkContacts.messagedAt} > coalesce(${networkContacts.repliedAt}, 0)`;
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
    async watched(accountId, limit, answeredSince) {
      const ofAccount = eq(networkAccounts.id, accountId);
      const pending = await select()
        .where(and(ofAccount, isPending))
        .orderBy(asc(networkContacts.invitedAt))
        .limit(limit);
      const unanswered = await select()
        .where(and(ofAccount, isUnanswered))
        .orderBy(desc(networkContacts.messagedAt))
        .limit(limit);
      const hasAnswered = and(isNotNull(networkContacts.repliedAt), gt(networkContacts.repliedAt, answeredSince));
      const answered = await select()
        .where(and(ofAccount, hasAnswered, isAnswered))
        .orderBy(desc(networkContacts.repliedAt))
        .limit(limit);
      return [...pending, ...unanswered, ...answered].map(contactOf);
    },
    async pendingSince(accountId, at, limit) {
      const rows = await select()
        .where(and(eq(networkAccounts.id, accountId), isPending, lt(networkContacts.invitedAt, at)))
        .orderBy(asc(networkContacts.invitedAt))
        .limit(limit);
      return rows.map(contactOf);
    },
    noteNews: (accountId, news, at) =>
      transact(async (connection) => {
        const record = await lockAccountById(connection, accountId);
        if (record === null) return { news: [], newMessages: 0 };
        const facts = new LoadedFacts(connection, engine);
        const { outcome, changes } = await facts.decide(() => decideNews(record, news, facts, at));
        await writeChanges(connection, changes);
        return outcome;
      }),
  };
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
