import { and, asc, desc, eq, gt, isNotNull, lt, sql } from "drizzle-orm";
import type { Contact } from "../../../features/network/contact-model.ts";
import { decideNews } from "../../../features/network/decisions/contacts.ts";
import type { NetworkFacts, StoredContact } from "../../../features/network/decisions/facts.ts";
import type { NetworkStore } from "../../../features/network/store.ts";
import type { Engine } from "./engine.ts";
import type { AccountRows } from "./network-accounts.ts";
import type { ChangeWriter } from "./network-change-writer.ts";
import { networkContacts } from "./network-tables.ts";
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
  facts: Pick<NetworkFacts, "contact" | "hasLead" | "hasMessage" | "hasSent">,
  write: ChangeWriter,
): Pick<NetworkStore, "contact" | "watched" | "pendingSince" | "noteNews"> {
  const contactView = (row: StoredContact): Contact => contactOf(row, accounts.idOf(row.account));
  const isPending = sql`${networkContacts.relation} = 'pending'`;
  // Those who wait for an acceptance are watched for that.
  const isAnswered = sql`coalesce(${networkContacts.messagedAt}, 0) <= ${networkContacts.repliedAt} AND ${networkContacts.relation} <> 'pending'`;
  const isUnanswered = sql`${networkContacts.messagedAt} > coalesce(${networkContacts.repliedAt}, 0)`;
  return {
    contact: async (workspaceId, accountId, profileKey) => {
      const record = accounts.ofUser(workspaceId, accountId);
      const row = record && contacts.get(record.seq, profileKey);
      return row === null ? null : contactView(row);
    },
    watched: async (accountId, limit, answeredSince) => {
      const record = accounts.byId(accountId);
      if (record === null) return [];
      const ofAccount = eq(networkContacts.account, record.seq);
      const pending = orm.select().from(networkContacts).where(and(ofAccount, isPending));
      const unanswered = orm.select().from(networkContacts).where(and(ofAccount, isUnanswered));
      const hasAnswered = and(isNotNull(networkContacts.repliedAt), gt(networkContacts.repliedAt, answeredSince));
      const answered = orm
        .select()
        .from(networkContacts)
        .where(and(ofAccount, hasAnswered, isAnswered));
      return [
        ...pending.orderBy(asc(networkContacts.invitedAt)).limit(limit).all(),
        ...unanswered.orderBy(desc(networkContacts.messagedAt)).limit(limit).all(),
        ...answered.orderBy(desc(networkContacts.repliedAt)).limit(limit).all(),
      ].map(contactView);
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
    noteNews: (accountId, news, at) =>
      writer.write(() => {
        const record = accounts.byId(accountId);
        if (record === null) return { news: [], newMessages: 0 };
        const { outcome, changes } = decideNews(record, news, facts, at);
        write(changes);
        return outcome;
      }),
  };
}

/** The contact that a row represents. */
export function contactOf(
  { account: _account, leadId: _lead, campaignId: _campaign, ...row }: StoredContact,
  accountId: string,
) {
  return { ...row, accountId } satisfies Contact;
}
