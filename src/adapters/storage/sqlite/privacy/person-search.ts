import { leadIdentity, leadKeysOf } from "../../../../features/leads/identity.ts";
import { canonicalProfileUrl } from "../../../../platform/identity/profile-url.ts";
import { mentionsOf } from "../../../../features/privacy/mentions.ts";
import type { PersonIdentity, PersonRecord, PersonScope } from "../../../../features/privacy/model.ts";
import type { PersonQuery } from "../../../../features/privacy/store.ts";
import { personKeys, prospectIdentity } from "../../../../features/prospecting/keys.ts";
import { canonicalEmail } from "../../../../platform/identity/email.ts";
import { suppressionKey } from "../../../../features/suppression/key.ts";
import { phoneNumber, type PhoneRegion } from "../../../../platform/identity/phone.ts";
import { maxNamesakes, seqOf } from "../directory/index-messages.ts";
import type { ProspectIndex } from "../directory/prospect-index.ts";
import type { ProspectRows } from "../directory/prospect-rows.ts";
import type { Engine } from "../engine.ts";
import type { LeadRows } from "../lead-rows.ts";
import { places, type Place } from "../../../../features/privacy/places.ts";
import { prepared } from "../prepared.ts";

/** Rows of a place that are read at once. */
const pageRows = 500;

type Parts = { engine: Engine; leads: LeadRows; prospects: ProspectRows; index: ProspectIndex };
type User = { id: string; seq: number };
type Known = { [K in keyof PersonIdentity]: Set<PersonIdentity[K][number]> };
type Reached = { email?: string | null; networkUrl?: string | null; phone?: string | null };

/** Finds a person in everything that is stored. What no index leads to is looked through in the reader thread. */
export function createPersonSearch({ engine, leads, prospects, index }: Parts) {
  const { database, reader, phoneRegion } = engine;
  const allUsers = prepared<User, []>(database, "SELECT id, seq FROM users");
  const oneUser = prepared<User, [string]>(database, "SELECT id, seq FROM users WHERE id = ?");
  const ownerOfLead = prepared<{ owner: number }, [string]>(database, "SELECT owner FROM leads WHERE id = ?");

  const usersIn = ({ userId }: PersonScope): User[] => (userId === null ? allUsers.all() : oneUser.all(userId));

  async function identify(scope: PersonScope, given: PersonQuery, follow: boolean): Promise<PersonIdentity | null> {
    const users = usersIn(scope);
    const known: Known = {
      emails: new Set(),
      profiles: new Set(),
      phones: new Set(),
      leadIds: new Set(),
      prospects: new Set(),
    };
    const take = ({ email, networkUrl, phone }: Reached): void => {
      if (email) known.emails.add(canonicalEmail(email));
      const profile = networkUrl ? canonicalProfileUrl(networkUrl) : null;
      if (profile !== null) known.profiles.add(profile);
      if (phone) known.phones.add(phone);
    };
    take({ email: given.email, networkUrl: given.profile });
    if (given.leadId !== null) {
      const owner = ownerOfLead.get(given.leadId)?.owner;
      const user = users.find(({ seq }) => seq === owner);
      if (user === undefined) return null;
      known.leadIds.add(given.leadId);
      if (follow) take(leads.get(user.id, given.leadId)!.lead);
    }
    const addTo = follow ? take : () => {};
    // Each round may find an address that leads further.
    for (let before = -1; before !== sizeOf(known);) {
      before = sizeOf(known);
      for (const user of users) {
        for (const lead of leadsWith(user, known)) {
          known.leadIds.add(lead.id);
          addTo(lead);
        }
        for (const { seq, content } of await prospectsWith(user, known)) {
          for (const each of [seq, ...prospects.formerSeqs(seq)]) known.prospects.add(each);
          for (const email of [content.email, ...(content.formerEmails ?? [])])
            addTo({ ...content, email: email ?? null });
        }
      }
      if (follow) for (const reached of await seenElsewhere(scope, known)) take(reached);
    }
    return listsOf(known);
  }

  function leadsWith({ id, seq: owner }: User, { emails, profiles }: Known) {
    const keys = addressesOf(emails, profiles).flatMap((address) => leadKeysOf(owner, address).strong);
    const candidates = keys.flatMap((key) => [...leads.candidates(id, owner, key)]).map(({ lead }) => lead);
    return candidates.filter((lead) => isOneOf(leadIdentity(lead), emails, profiles));
  }

  async function prospectsWith({ seq: owner }: User, { emails, profiles }: Known) {
    const keys = addressesOf(emails, profiles).flatMap(personKeys);
    const next = prospects.next(owner);
    if (keys.length === 0 || next === 0) return [];
    const pairs = await index.find(owner, keys, maxNamesakes, next);
    const numbers = new Set([...pairs].filter((_, at) => at % 2 === 1));
    const rows = [...numbers].map((number) => prospects.get(owner, number)).filter((row) => row !== null);
    return rows
      .filter(
        ({ content }) =>
          isOneOf(prospectIdentity(content), emails, profiles) ||
          content.formerEmails?.some((email) => emails.has(canonicalEmail(email))) === true,
      )
      .map(({ number, content }) => ({ seq: seqOf(owner, number), content }));
  }

  /** Profiles that actions for the leads went to, and addresses that were enriched together. */
  async function seenElsewhere(scope: PersonScope, known: Known): Promise<Reached[]> {
    const json = JSON.stringify({ ...listsOf(known), users: usersIn(scope).map(({ id }) => id) });
    const among = (list: string): string => `IN (SELECT value FROM json_each(?1, '$.${list}'))`;
    return reader.all<Reached>({
      sql: `SELECT NULL AS email, profile_key AS networkUrl FROM network_actions
          WHERE lead_id ${among("leadIds")} AND user_id ${among("users")}
        UNION SELECT NULL, profile_key FROM campaign_enrollments
          WHERE lead_id ${among("leadIds")} AND user_id ${among("users")}
        UNION SELECT email, network FROM enrichment_results
          WHERE (email ${among("emails")} OR network ${among("profiles")})
            AND (SELECT id FROM users WHERE seq = owner) ${among("users")}`,
      params: [json],
    });
  }

  async function* records(scope: PersonScope, identity: PersonIdentity): AsyncGenerator<PersonRecord[], void, void> {
    const { needles, redacted } = mentionsOf(identity);
    const suppressions = suppressionKeysOf(identity, phoneRegion).map((key) => Buffer.from(key).toString("hex"));
    const lists = JSON.stringify({ ...identity, suppressions, userId: scope.userId });
    for (const place of places)
      for (let offset = 0, more = true; more; offset += pageRows) {
        const wanted = place.texts.length === 0 ? [] : needles;
        const params = [lists, pageRows, offset, ...wanted];
        const rows = await reader.all<Record<string, unknown>>({ sql: pageSql(place, wanted.length), params });
        more = rows.length === pageRows;
        const found = rows
          .map((row) => recordOf(place, row))
          .filter(({ isOwn, fields }) => isOwn || place.texts.some((name) => mentions(fields[name], redacted)));
        if (found.length > 0) yield found;
      }
  }

  return { identify, records };
}

/** By the keys of the do-not-contact list. */
export function suppressionKeysOf(
  { emails, profiles, phones }: PersonIdentity,
  region: PhoneRegion | null,
): Uint8Array[] {
  const numbers = phones.map((phone) => phoneNumber(phone, region)).filter((number) => number !== null);
  return [
    ...emails.map((email) => suppressionKey("email", canonicalEmail(email))),
    ...profiles.map((profile) => suppressionKey("profile", profile)),
    ...numbers.map((number) => suppressionKey("phone", number)),
  ];
}

/** ?1: lists of what the person is known by; ?2, ?3: limit and offset; from ?4 on: texts of which a mention has one. */
function pageSql({ table, key, personal, others, owner, own, texts }: Place, needles: number): string {
  const columns = [...new Set([...key, ...personal, ...others])].map((name) => `t.${name}`).join(", ");
  const isOwn = own === null ? "0" : `(${own})`;
  const text = texts.map((name) => `coalesce(t.${name}, '')`).join(" || char(10) || ");
  const mentioned = Array.from({ length: needles }, (_, n) => `instr(lower(${text}), ?${n + 4})`);
  // The job that erases knows whom until it ends.
  const beside = table === "jobs" ? " AND t.type <> 'person_erasure'" : "";
  return `SELECT ${owner} AS "user", coalesce(${isOwn}, 0) AS "own", ${columns} FROM ${table} AS t
    WHERE (${[isOwn, ...mentioned].join(" OR ")})${beside}
      AND (?1 ->> '$.userId' IS NULL OR ${owner} = ?1 ->> '$.userId')
    ORDER BY ${key.map((name) => `t.${name}`).join(", ")} LIMIT ?2 OFFSET ?3`;
}

function recordOf({ name, key }: Place, { user, own, ...fields }: Record<string, unknown>): PersonRecord {
  const shown = Object.entries(fields).filter(([, value]) => !(value instanceof Uint8Array));
  return {
    place: name,
    key: key.map((column) => fields[column] as string | number),
    userId: (user as string | null) ?? null,
    isOwn: own === 1,
    fields: Object.fromEntries(shown),
  };
}

function mentions(text: unknown, redacted: (text: string) => string | null): boolean {
  return typeof text === "string" && redacted(text) !== null;
}

function addressesOf(emails: ReadonlySet<string>, profiles: ReadonlySet<string>) {
  return [
    ...[...emails].map((email) => ({ email, network: null, name: null })),
    ...[...profiles].map((network) => ({ email: null, network, name: null })),
  ];
}

type Addresses = { email: string | null; network: string | null };

function isOneOf({ email, network }: Addresses, emails: ReadonlySet<string>, profiles: ReadonlySet<string>): boolean {
  return (email !== null && emails.has(email)) || (network !== null && profiles.has(network));
}

function sizeOf(known: Known): number {
  return Object.values(known).reduce((sum, { size }) => sum + size, 0);
}

function listsOf({ emails, profiles, phones, leadIds, prospects }: Known): PersonIdentity {
  return {
    emails: [...emails],
    profiles: [...profiles],
    phones: [...phones],
    leadIds: [...leadIds],
    prospects: [...prospects],
  };
}
