import { and, asc, desc, eq, gt, lt, sql, type SQL } from "drizzle-orm";
import type { Contact } from "../../../features/network/contact-model.ts";
import { decideNews, type NewsFacts } from "../../../features/network/decisions/contacts.ts";
import type { StoredContact } from "../../../features/network/decisions/facts.ts";
import type { NetworkStore } from "../../../features/network/store.ts";
import type { Awaited } from "../../../features/network/watch-batch.ts";
import type { Engine } from "./engine.ts";
import type { AccountRows } from "./network-accounts.ts";
import type { ChangeWriter } from "./network-change-writer.ts";
import { networkAccounts, networkContacts } from "./network-tables.ts";
import { placeholdersOf } from "./placeholders.ts";
import { lazy } from "./prepared.ts";

export type ContactRows = ReturnType<typeof createContactRows>;

/** Contacts inside a write unit. */
export function createContactRows({ orm }: Engine) {
  const byKey = lazy(() =>
    orm
      .select()
      .from(networkContacts)
      .where(
        and(
          eq(networkContacts.account, sql.placeholder("account")),
          eq(networkContacts.profileKey, sql.placeholder("profileKey")),
        ),
      )
      .prepare(),
  );
  const upsert = lazy(() =>
    orm
      .insert(networkContacts)
      .values(placeholdersOf(networkContacts))
      .onConflictDoUpdate({
        target: [networkContacts.account, networkContacts.profileKey],
        set: {
          relation: sql`excluded.relation`,
          invitedAt: sql`excluded.invited_at`,
          withdrawnAt: sql`excluded.withdrawn_at`,
          connectedAt: sql`excluded.connected_at`,
          messagedAt: sql`excluded.messaged_at`,
          repliedAt: sql`excluded.replied_at`,
          reference: sql`excluded.reference`,
          updatedAt: sql`excluded.updated_at`,
          leadId: sql`excluded.lead_id`,
          campaignId: sql`excluded.campaign_id`,
        },
      })
      .prepare(),
  );
  return {
    get: (account: number, profileKey: string): StoredContact | null => byKey().get({ account, profileKey }) ?? null,
    upsert(contact: StoredContact): void {
      upsert().run(contact);
    },
  };
}

export function createContactStore(
  { orm, writer }: Engine,
  accounts: AccountRows,
  contacts: ContactRows,
  facts: NewsFacts,
  write: ChangeWriter,
): Pick<NetworkStore, "contact" | "watched" | "pendingSince" | "messagesReadTo" | "noteNews"> {
  const contactView = (row: StoredContact): Contact => contactOf(row, accounts.idOf(row.account));
  const isPending = sql`${networkContacts.relation} = 'pending'`;
  return {
    contact: async (workspaceId, accountId, profileKey) => {
      const record = accounts.ofUser(workspaceId, accountId);
      const row = record && contacts.get(record.seq, profileKey);
      return row === null ? null : contactView(row);
    },
    watched: async (accountId, awaited, { limit, after }) => {
      const record = accounts.byId(accountId);
      if (record === null) return [];
      const { account, profileKey } = networkContacts;
      const isNext = after === undefined ? undefined : gt(profileKey, after);
      return orm
        .select()
        .from(networkContacts)
        .where(and(eq(account, record.seq), isNext, isAwaited(awaited)))
        .orderBy(after === undefined ? desc(awaitedSince(awaited)) : asc(profileKey))
        .limit(limit)
        .all()
        .map(contactView);
    },
    pendingSince: async (accountId, at, limit) => {
      const record = accounts.byId(accountId);
      if (record === null) return [];
      const isStale = and(eq(networkContacts.account, record.seq), isPending, lt(networkContacts.invitedAt, at));
      return orm
        .select()
        .from(networkContacts)
        .where(isStale)
        .orderBy(asc(networkContacts.invitedAt))
        .limit(limit)
        .all()
        .map(contactView);
    },
    messagesReadTo: async (accountId) => {
      const { id, messagesReadTo } = networkAccounts;
      return (
        orm.select({ messagesReadTo }).from(networkAccounts).where(eq(id, accountId)).get()?.messagesReadTo ?? null
      );
    },
    noteNews: (accountId, news, at, readTo) =>
      writer.write(() => {
        const record = accounts.byId(accountId);
        if (record === null) return { news: [], newMessages: 0 };
        const { outcome, changes } = decideNews(record, news, facts, at);
        write(changes);
        if (readTo !== undefined)
          orm.update(networkAccounts).set({ messagesReadTo: readTo }).where(eq(networkAccounts.seq, record.seq)).run();
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
    : sql`max(coalesce(${messagedAt}, 0), coalesce(${repliedAt}, 0))`;
}

/** The contact that a row represents. */
export function contactOf(
  { account: _account, leadId: _lead, campaignId: _campaign, ...row }: StoredContact,
  accountId: string,
) {
  return { ...row, accountId } satisfies Contact;
}
