import { and, eq, inArray, isNotNull, isNull, or, sql } from "drizzle-orm";
import { emailKey, phoneKey, profileKeyHash } from "../../../features/leads/keys.ts";
import { suppressionKey } from "../../../features/suppression/key.ts";
import {
  identifiersOf,
  identifiersOfRecord,
  matchesOf,
  type StoredEntry,
} from "../../../features/suppression/matching.ts";
import type { SuppressionKind, SuppressionMatch, SuppressionTarget } from "../../../features/suppression/model.ts";
import { identifierName, type Identifier } from "../../../features/suppression/person-identifiers.ts";
import type { PhoneRegion } from "../../../platform/identity/phone.ts";
import { campaignEnrollments } from "./campaign-tables.ts";
import type { Connection } from "./engine.ts";
import { ownersOf } from "./event-rows.ts";
import { OutOfReach, withFacts } from "./out-of-reach.ts";
import { networkAccounts, networkActions, networkContacts } from "./network-tables.ts";
import { leadKeys, leads, suppressions } from "./tables.ts";

/** Tells these locks from other advisory locks of the database. */
const lockClass = 0x0d0c;
/** Covers the entries that apply to every user. */
const everyUser = "*";
/** Far beyond the records of one person; bounds the time for an identifier that thousands of records share. */
const mostRows = 200;

/**
 * Until the transaction ends: shared, nobody adds an entry for these users; exclusive, nobody decides about a person of
 * theirs. Without it, an entry and an action for the same person could both be committed. Taken before any row is locked.
 */
export async function lockSuppressions(
  connection: Connection,
  userIds: readonly (string | null)[],
  mode: "shared" | "exclusive",
): Promise<void> {
  const isForAll = userIds.includes(null);
  const names = [...new Set(userIds.flatMap((id) => id ?? []))].toSorted();
  const take = async (name: string, isExclusive: boolean): Promise<void> => {
    const lock = sql.raw(isExclusive ? "pg_advisory_xact_lock" : "pg_advisory_xact_lock_shared");
    await connection.execute(sql`SELECT ${lock}(${lockClass}::int, hashtext(${name}))`);
  };
  await take(everyUser, isForAll && mode === "exclusive");
  for (const name of names) await take(name, mode === "exclusive");
}

/** The first entry of the user or of everyone that blocks contact with this person; null if none does. */
export async function findSuppression(
  connection: Connection,
  region: PhoneRegion | null,
  userId: string,
  target: SuppressionTarget,
): Promise<SuppressionMatch | null> {
  const [match] = await findSuppressions(connection, region, userId, target, 1);
  return match ?? null;
}

export async function findSuppressions(
  connection: Connection,
  region: PhoneRegion | null,
  userId: string,
  target: SuppressionTarget,
  limit = Infinity,
): Promise<SuppressionMatch[]> {
  const owner = (await ownersOf(connection, [userId])).get(userId);
  if (owner === undefined || !(await hasEntries(connection, owner))) return [];
  const reader = new PersonReader(connection, region, userId, owner);
  const own = [...identifiersOf(target, region), ...(target.leadId ? await reader.ofLead(target.leadId) : [])];
  const beside = new Map<string, Identifier[]>();
  const entries = new Map<string, StoredEntry[]>();
  const facts = {
    beside: (identifier: Identifier) => known(beside, identifierName(identifier), () => reader.beside(identifier)),
    entries: (kind: SuppressionKind, value: string) =>
      known(entries, `${kind}:${value}`, () => entriesFor(connection, owner, kind, value)),
  };
  return withFacts(() => [...matchesOf(own, facts).take(limit)]);
}

function known<T>(facts: Map<string, T>, name: string, load: () => Promise<T>): T {
  const fact = facts.get(name);
  if (fact !== undefined) return fact;
  throw new OutOfReach(async () => void facts.set(name, await load()));
}

async function hasEntries(connection: Connection, owner: number): Promise<boolean> {
  const rows = await connection
    .select({ id: suppressions.id })
    .from(suppressions)
    .where(or(eq(suppressions.owner, owner), isNull(suppressions.owner)))
    .limit(1);
  return rows.length > 0;
}

async function entriesFor(
  connection: Connection,
  owner: number,
  kind: SuppressionKind,
  value: string,
): Promise<StoredEntry[]> {
  return connection
    .select({ id: suppressions.id, owner: suppressions.owner, kind: suppressions.kind, reason: suppressions.reason })
    .from(suppressions)
    .where(
      and(
        eq(suppressions.key, suppressionKey(kind, value)),
        or(eq(suppressions.owner, owner), isNull(suppressions.owner)),
      ),
    )
    .orderBy(sql`${suppressions.owner} NULLS LAST`);
}

/** What an owner's leads, actions, contacts, and campaigns say belongs together. */
class PersonReader {
  readonly #connection: Connection;
  readonly #region: PhoneRegion | null;
  readonly #userId: string;
  readonly #owner: number;

  constructor(connection: Connection, region: PhoneRegion | null, userId: string, owner: number) {
    this.#connection = connection;
    this.#region = region;
    this.#userId = userId;
    this.#owner = owner;
  }

  async beside(identifier: Identifier): Promise<Identifier[]> {
    const { kind, value } = identifier;
    switch (kind) {
      case "formerEmail":
        return [];
      case "email":
        return this.#byKeys([emailKey(this.#owner, value)], identifier);
      case "profile":
        return [
          ...(await this.#byKeys([profileKeyHash(this.#owner, value)], identifier)),
          ...(await this.#ofLeadIds(await this.#leadsOfProfile(value))),
        ];
      case "phone": {
        const key = phoneKey(this.#owner, value);
        return key === null ? [] : this.#byKeys([key], identifier);
      }
    }
  }

  async ofLead(id: string): Promise<Identifier[]> {
    return this.#ofLeadIds([id]);
  }

  /** A hash is only a hint: the record itself decides. */
  async #byKeys(keys: readonly number[], { kind, value }: Identifier): Promise<Identifier[]> {
    const rows = await this.#connection
      .select({ id: leads.id, email: leads.email, networkUrl: leads.networkUrl, phone: leads.phone })
      .from(leadKeys)
      .innerJoin(leads, eq(leads.seq, leadKeys.lead))
      .where(and(inArray(leadKeys.key, [...keys]), eq(leads.owner, this.#owner)))
      .limit(mostRows);
    const records = await Promise.all(rows.map((row) => this.#ofRow(row)));
    const hasIt = (record: readonly Identifier[]) => record.some((each) => each.kind === kind && each.value === value);
    return records.filter(hasIt).flat();
  }

  async #ofLeadIds(ids: readonly string[]): Promise<Identifier[]> {
    if (ids.length === 0) return [];
    const rows = await this.#connection
      .select({ id: leads.id, email: leads.email, networkUrl: leads.networkUrl, phone: leads.phone })
      .from(leads)
      .where(and(inArray(leads.id, [...ids]), eq(leads.owner, this.#owner)));
    return (await Promise.all(rows.map((row) => this.#ofRow(row)))).flat();
  }

  async #ofRow(row: {
    id: string;
    email: string | null;
    networkUrl: string | null;
    phone: string | null;
  }): Promise<Identifier[]> {
    const profiles = await this.#profilesOfLead(row.id);
    return [
      ...identifiersOfRecord(row, this.#region),
      ...profiles.map((value) => ({ kind: "profile", value }) as const),
    ];
  }

  async #profilesOfLead(leadId: string): Promise<string[]> {
    const actions = await this.#connection
      .selectDistinct({ key: networkActions.profileKey })
      .from(networkActions)
      .where(and(eq(networkActions.leadId, leadId), eq(networkActions.userId, this.#userId)))
      .limit(mostRows);
    const enrollments = await this.#connection
      .selectDistinct({ key: campaignEnrollments.profileKey })
      .from(campaignEnrollments)
      .where(and(eq(campaignEnrollments.leadId, leadId), this.#isActiveEnrollment()))
      .limit(mostRows);
    return [...new Set([...actions, ...enrollments].map(({ key }) => key))];
  }

  async #leadsOfProfile(profile: string): Promise<string[]> {
    const actions = await this.#connection
      .selectDistinct({ leadId: networkActions.leadId })
      .from(networkActions)
      .where(
        and(
          eq(networkActions.profileKey, profile),
          eq(networkActions.userId, this.#userId),
          isNotNull(networkActions.leadId),
        ),
      )
      .limit(mostRows);
    const contacts = await this.#connection
      .selectDistinct({ leadId: networkContacts.leadId })
      .from(networkContacts)
      .innerJoin(networkAccounts, eq(networkAccounts.seq, networkContacts.account))
      .where(
        and(
          eq(networkContacts.profileKey, profile),
          isNotNull(networkContacts.leadId),
          eq(networkAccounts.userId, this.#userId),
        ),
      )
      .limit(mostRows);
    const enrollments = await this.#connection
      .selectDistinct({ leadId: campaignEnrollments.leadId })
      .from(campaignEnrollments)
      .where(and(eq(campaignEnrollments.profileKey, profile), this.#isActiveEnrollment()))
      .limit(mostRows);
    return [...new Set([...actions, ...contacts, ...enrollments].flatMap(({ leadId }) => leadId ?? []))];
  }

  #isActiveEnrollment() {
    return and(eq(campaignEnrollments.userId, this.#userId), sql`${campaignEnrollments.state} = 'active'`);
  }
}
