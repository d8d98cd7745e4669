import { and, asc, desc, eq, lt, sql } from "drizzle-orm";
import type { ActionType } from "../../network/action-kinds.ts";
import type { Contact, News, Relation } from "../../network/contact-model.ts";
import type { NetworkStore } from "../../network/store.ts";
import type { CampaignHooks } from "./campaign-hooks.ts";
import type { Engine } from "./engine.ts";
import type { AccountRows } from "./network-accounts.ts";
import { networkContacts } from "./network-tables.ts";
import { placeholdersOf } from "./placeholders.ts";

type ContactRow = typeof networkContacts.$inferSelect;
/** What an attempt came to, and the relation that it showed. */
type Attempt = { wasSent: boolean; shown: Relation | null; reference: string | null };
type Person = { account: number; profileKey: string; profileUrl: string };

export type ContactRows = ReturnType<typeof createContactRows>;

/** What is known of people, inside a write unit. */
export function createContactRows({ orm }: Engine) {
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
      },
    })
    .prepare();

  const get = (account: number, profileKey: string): ContactRow | null => byKey.get({ account, profileKey }) ?? null;

  function change(person: Person, at: number, news: Partial<ContactRow>): void {
    upsert.run({ ...(get(person.account, person.profileKey) ?? stranger(person)), ...news, updatedAt: at });
  }

  return {
    get,
    /** After an action was carried out, or an attempt showed how things stand. */
    noteAction(person: Person, type: ActionType, attempt: Attempt, at: number): void {
      const effect = attempt.wasSent ? effectOf(type, at) : null;
      // What is told of the past does not undo what has happened since.
      if (effect !== null && isOld(get(person.account, person.profileKey), at)) delete effect.relation;
      const news = { ...effect, ...(attempt.shown !== null && shownOf(attempt.shown, at)) };
      if (effect !== null && attempt.reference !== null) news.reference = attempt.reference;
      if (Object.keys(news).length > 0) change(person, at, news);
    },
    noteNews(account: number, { profileKey, kind, at }: News, now: number): boolean {
      const contact = get(account, profileKey);
      if (contact === null) return false;
      if (kind === "accepted" && contact.relation === "connected") return false;
      if (kind === "replied" && (contact.repliedAt ?? 0) >= at) return false;
      change(contact, now, kind === "accepted" ? shownOf("connected", at) : { repliedAt: at });
      return true;
    },
  };
}

export function createContactStore(
  { orm, writer }: Engine,
  accounts: AccountRows,
  rows: ContactRows,
  campaigns: CampaignHooks,
): Pick<NetworkStore, "contact" | "watched" | "pendingSince" | "noteNews"> {
  const contactOf = ({ account, ...row }: ContactRow): Contact => ({ ...row, accountId: accounts.idOf(account) });
  const isPending = sql`${networkContacts.relation} = 'pending'`;
  const isUnanswered = sql`${networkContacts.messagedAt} > coalesce(${networkContacts.repliedAt}, 0)`;
  return {
    contact: async (userId, accountId, profileKey) => {
      const record = accounts.ofUser(userId, accountId);
      const row = record && rows.get(record.seq, profileKey);
      return row === null ? null : contactOf(row);
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
      ].map(contactOf);
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
        .map(contactOf);
    },
    noteNews: (accountId, news, at) =>
      writer.write(() => {
        const record = accounts.byId(accountId);
        if (record === null) return [];
        const fresh = news.filter((item) => rows.noteNews(record.seq, item, at));
        for (const item of fresh) campaigns.note(accountId, item, at);
        return fresh;
      }),
  };
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
