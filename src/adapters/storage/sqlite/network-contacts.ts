import { and, asc, desc, eq, lt, sql } from "drizzle-orm";
import type { ActionType } from "../../../features/network/action-kinds.ts";
import type { NetworkAccount } from "../../../features/network/account-model.ts";
import type { Contact, News, Relation } from "../../../features/network/contact-model.ts";
import type { NetworkStore } from "../../../features/network/store.ts";
import type { CampaignHooks } from "./campaign-hooks.ts";
import type { Engine } from "./engine.ts";
import type { EventRows } from "./event-rows.ts";
import type { AccountRows } from "./network-accounts.ts";
import { networkContacts } from "./network-tables.ts";
import { placeholdersOf } from "./placeholders.ts";

type ContactRow = typeof networkContacts.$inferSelect;
/** What an attempt came to, and the relation that it showed. */
type Attempt = { wasSent: boolean; shown: Relation | null; reference: string | null };
type Person = {
  account: number;
  profileKey: string;
  profileUrl: string;
  leadId: string | null;
  campaignId: string | null;
};

export type ContactRows = ReturnType<typeof createContactRows>;

/** What is known of people, inside a write unit. */
export function createContactRows(
  { orm }: Engine,
  events: EventRows,
  accountOf: (seq: number) => Pick<NetworkAccount, "id" | "userId"> | null,
) {
  const byKey = orm
    .select()
    .from(networkContacts)
    .where(
      and(
        eq(networkContacts.account, sql.placeholder("account")),
        eq(networkContacts.profileKey, sql.placeholder("profileKey")),
      ),
    )
    .prepare();
  const upsert = orm
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
    .prepare();

  const get = (account: number, profileKey: string): ContactRow | null => byKey.get({ account, profileKey }) ?? null;

  function change(before: ContactRow, at: number, news: Partial<ContactRow>): void {
    upsert.run({ ...before, ...news, updatedAt: at });
  }

  function tell(
    type: "connection.accepted" | "message.replied",
    contact: ContactRow,
    at: number,
    data: { text?: string } = {},
  ): void {
    const account = accountOf(contact.account);
    if (account === null) return;
    const { leadId, campaignId, profileKey } = contact;
    const told = { type, userId: account.userId, at, accountId: account.id, leadId, campaignId };
    // With the profile, by which an erasure finds what a person without a lead wrote.
    events.append(data.text === undefined ? told : { ...told, data: { text: data.text, profileUrl: profileKey } });
  }

  return {
    get,
    /** After an action was carried out, or an attempt showed how things stand. */
    noteAction(person: Person, type: ActionType, attempt: Attempt, at: number): void {
      const effect = attempt.wasSent ? effectOf(type, at) : null;
      if (effect === null && attempt.shown === null) return;
      const known = get(person.account, person.profileKey);
      // What is told of the past does not undo what has happened since.
      if (effect !== null && isOld(known, at)) delete effect.relation;
      const news = { ...effect, ...(attempt.shown !== null && shownOf(attempt.shown, at)) };
      if (effect !== null && attempt.reference !== null) news.reference = attempt.reference;
      const { leadId, campaignId } = person;
      // Whoever writes to somebody last is told what comes of it.
      const whose = leadId === null && known !== null ? {} : { leadId, campaignId };
      change(known ?? stranger(person), at, { ...news, ...whose });
      if (known?.relation === "pending" && attempt.shown === "connected")
        tell("connection.accepted", { ...known, ...whose }, at);
    },
    /** The contact, when it is news. */
    noteNews(account: number, { profileKey, kind, at, text }: News, now: number): ContactRow | null {
      const contact = get(account, profileKey);
      if (contact === null) return null;
      if (kind === "accepted" && contact.relation === "connected") return null;
      if (kind === "replied" && (contact.repliedAt ?? 0) >= at) return null;
      change(contact, now, kind === "accepted" ? shownOf("connected", at) : { repliedAt: at });
      if (kind === "accepted") tell("connection.accepted", contact, now);
      else tell("message.replied", contact, now, text === undefined ? {} : { text });
      return contact;
    },
  };
}

export function createContactStore(
  { orm, writer }: Engine,
  accounts: AccountRows,
  rows: ContactRows,
  campaigns: CampaignHooks,
): Pick<NetworkStore, "contact" | "watched" | "pendingSince" | "noteNews"> {
  const shown = (row: ContactRow): Contact => contactOf(row, accounts.idOf(row.account));
  const isPending = sql`${networkContacts.relation} = 'pending'`;
  const isUnanswered = sql`${networkContacts.messagedAt} > coalesce(${networkContacts.repliedAt}, 0)`;
  return {
    contact: async (userId, accountId, profileKey) => {
      const record = accounts.ofUser(userId, accountId);
      const row = record && rows.get(record.seq, profileKey);
      return row === null ? null : shown(row);
    },
    watched: async (accountId, limit) => {
      const record = accounts.byId(accountId);
      if (record === null) return [];
      const ofAccount = eq(networkContacts.account, record.seq);
      const pending = orm.select().from(networkContacts).where(and(ofAccount, isPending));
      const unanswered = orm.select().from(networkContacts).where(and(ofAccount, isUnanswered));
      return [
        ...pending.orderBy(asc(networkContacts.invitedAt)).limit(limit).all(),
        ...unanswered.orderBy(desc(networkContacts.messagedAt)).limit(limit).all(),
      ].map(shown);
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
        .map(shown);
    },
    noteNews: (accountId, news, at) =>
      writer.writeForAnswer(() => {
        const record = accounts.byId(accountId);
        if (record === null) return [];
        return news.filter((item) => {
          const contact = rows.noteNews(record.seq, item, at);
          if (contact !== null) campaigns.note(accountId, item, contact.campaignId, at);
          return contact !== null;
        });
      }),
  };
}

/** What others are shown of a row. */
export function contactOf(
  { account: _account, leadId: _lead, campaignId: _campaign, ...row }: ContactRow,
  accountId: string,
) {
  return { ...row, accountId } satisfies Contact;
}

function stranger({ account, profileKey, profileUrl }: Person): ContactRow {
  return {
    account,
    profileKey,
    profileUrl,
    relation: "none",
    invitedAt: null,
    withdrawnAt: null,
    connectedAt: null,
    messagedAt: null,
    repliedAt: null,
    reference: null,
    updatedAt: 0,
    leadId: null,
    campaignId: null,
  };
}

/** Whether something has happened between the two behind this moment. */
function isOld(contact: ContactRow | null, at: number): boolean {
  if (contact === null) return false;
  return [contact.invitedAt, contact.withdrawnAt, contact.connectedAt].some((moment) => (moment ?? 0) > at);
}

/** Null for an action that changes nothing between the two. */
function effectOf(type: ActionType, at: number): Partial<ContactRow> | null {
  switch (type) {
    case "sendConnectionRequest":
      return { relation: "pending", invitedAt: at };
    case "withdrawConnectionRequest":
      return { relation: "none", withdrawnAt: at };
    case "sendMessage":
    case "sendInMail":
    case "sendVoiceMessage":
      return { messagedAt: at };
    default:
      return null;
  }
}

function shownOf(relation: Relation, at: number): Partial<ContactRow> {
  return relation === "connected" ? { relation, connectedAt: at } : { relation };
}
