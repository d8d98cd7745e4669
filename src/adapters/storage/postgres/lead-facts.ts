import { and, asc, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import type { LeadFacts, StoredLead } from "../../../features/leads/decisions.ts";
import type { Lead } from "../../../features/leads/model.ts";
import {
  entriesOfAddress,
  identifiersOf,
  matchesOf,
  type SuppressionFacts,
} from "../../../features/suppression/matching.ts";
import type { SuppressionMatch, SuppressionTarget } from "../../../features/suppression/model.ts";
import type { Lock } from "../../../platform/base/lock.ts";
import type { PhoneRegion } from "../../../platform/identity/phone.ts";
import { together, type Connection } from "./connection.ts";
import { wellFormedJson } from "./json-rows.ts";
import { ownersOf } from "./owners.ts";
import { leadsWithKeys, LinkedRecords } from "./linked-records.ts";
import { loadAll, Loaded, type FactSource } from "./loaded.ts";
import { takeLocks } from "./locks.ts";
import { hasEntries, loadedEntries } from "./suppression-facts.ts";
import { leads, members, users } from "./tables.ts";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";

/** Nearly every key has fewer leads. A decision that compares all of them gets ten times as many. */
const firstCandidates = 50;

type Candidates = { stored: readonly StoredLead[]; isWhole: boolean };

/** Loads what decisions about the leads of one user ask, in one transaction. */
export class LeadFactLoader implements FactSource {
  readonly owner: number;
  readonly hasSuppressions: boolean;
  readonly facts: LeadFacts;
  readonly suppressionFacts: SuppressionFacts;
  readonly #connection: Connection;
  readonly #workspaceId: WorkspaceId;
  readonly #phoneRegion: PhoneRegion | null;
  /** How many leads to load of keys with many. */
  readonly #limits = new Map<number, number>();
  readonly #parts;

  /**
   * Takes the locks before anything is read. The user's number is 0, which no user has, if the user does not exist.
   */
  static async open(
    connection: Connection,
    workspaceId: WorkspaceId,
    phoneRegion: PhoneRegion | null,
    locks: (owner: number) => readonly Lock[],
  ): Promise<LeadFactLoader> {
    const owner = (await ownersOf(connection, [workspaceId])).get(workspaceId) ?? 0;
    const needed = locks(owner);
    // The entries are read once the locks are held.
    let hasSuppressions = false;
    const read = async () => void (hasSuppressions = await hasEntries(connection, owner));
    await together([needed.length > 0 && takeLocks(connection, needed), read()]);
    return new LeadFactLoader(connection, workspaceId, owner, phoneRegion, hasSuppressions);
  }

  constructor(
    connection: Connection,
    workspaceId: WorkspaceId,
    owner: number,
    phoneRegion: PhoneRegion | null,
    hasSuppressions: boolean,
  ) {
    this.#connection = connection;
    this.#workspaceId = workspaceId;
    this.#phoneRegion = phoneRegion;
    this.owner = owner;
    this.hasSuppressions = hasSuppressions;
    const parts = {
      byId: new Loaded<string, StoredLead | null>({
        provisional: null,
        nameOf: String,
        fetch: (ids) => this.#loadLeads(ids),
      }),
      candidates: new Loaded<number, Candidates>({
        provisional: { stored: [], isWhole: true },
        nameOf: Number,
        fetch: (keys) => this.#loadCandidates(keys),
      }),
      entries: loadedEntries(connection, owner),
      members: new Loaded<UserId, boolean>({
        provisional: false,
        nameOf: String,
        fetch: (userIds) => this.#loadMembers(userIds),
      }),
      linked: new LinkedRecords(connection, workspaceId, owner, phoneRegion),
    };
    this.#parts = parts;
    this.suppressionFacts = {
      entries: (kind, value) => (hasSuppressions ? parts.entries.get({ kind, value }) : []),
      beside: (identifier) => (hasSuppressions ? parts.linked.beside(identifier) : []),
    };
    this.facts = {
      owner,
      lead: (id) => parts.byId.get(id),
      candidates: (key) => this.#candidates(key),
      suppression: (target) => this.suppressions(target).next().value ?? null,
      isActiveMember: (userId) => parts.members.get(userId),
      addressSuppressions: (email) => [...entriesOfAddress(email, this.suppressionFacts.entries)],
    };
  }

  /** Entries that block a person, as far as it was loaded. */
  suppressions(target: SuppressionTarget): Generator<SuppressionMatch, void, void> {
    const ofLead = target.leadId ? this.#parts.linked.ofLead(target.leadId) : [];
    return matchesOf([...identifiersOf(target, this.#phoneRegion), ...ofLead], this.suppressionFacts);
  }

  load(): Promise<boolean> {
    return loadAll(Object.values(this.#parts));
  }

  /** The decision will ask for these leads. */
  expectLeads(ids: readonly string[]): void {
    for (const id of ids) this.#parts.byId.want(id);
  }

  /** The decision will ask for the leads with these keys. */
  expectCandidates(keys: readonly number[]): void {
    for (const key of keys) this.#parts.candidates.want(key);
  }

  /** Whether the user has leads with this key, as far as they were loaded. */
  mayHave(key: number): boolean {
    return this.#parts.candidates.get(key).stored.length > 0;
  }

  *#candidates(key: number): Generator<StoredLead, void, void> {
    const { stored, isWhole } = this.#parts.candidates.get(key);
    yield* stored;
    if (isWhole) return;
    this.#limits.set(key, stored.length * 10);
    this.#parts.candidates.want(key);
  }

  async #loadCandidates(keys: readonly number[]): Promise<Map<number, Candidates>> {
    const wanted = keys.map((key) => ({ key, most: this.#limits.get(key) ?? firstCandidates }));
    const found = await this.#connection
      .select({ key: sql<number>`found.key`.mapWith(Number), lead: leads })
      .from(leads)
      .innerJoin(sql`(${leadsWithKeys(wanted)}) AS found`, sql`found.lead = ${leads.seq}`)
      .where(eq(leads.owner, this.owner))
      .orderBy(asc(leads.seq));
    const byKey = Map.groupBy(found, ({ key }) => key);
    return new Map(
      wanted.map(({ key, most }) => {
        const stored = (byKey.get(key) ?? []).map(({ lead }) => storedLead(lead, this.#workspaceId));
        return [key, { stored, isWhole: stored.length < most }];
      }),
    );
  }

  /** Active members, who stay so until the transaction ends: whoever removes or deactivates one waits. */
  async #loadMembers(userIds: readonly UserId[]): Promise<Map<UserId, boolean>> {
    const rows = await this.#connection
      .select({ userId: members.userId })
      .from(members)
      .innerJoin(users, eq(users.id, members.userId))
      .where(
        and(
          eq(members.workspaceId, this.#workspaceId),
          inArray(members.userId, [...userIds]),
          eq(members.isActive, true),
          eq(users.isActive, true),
        ),
      )
      .for("share");
    return new Map(rows.map(({ userId }) => [userId, true]));
  }

  async #loadLeads(ids: readonly string[]): Promise<Map<string, StoredLead>> {
    // One parameter, however many leads.
    const rows = await this.#connection.execute<StoredRow>(sql`
      SELECT ${columnsOfStored} FROM ${leads}
      WHERE ${leads.id} IN (SELECT json_array_elements_text(${wellFormedJson(ids)}::json)) AND ${leads.owner} = ${this.owner}`);
    return new Map(rows.map((row) => [row.id, storedLead(row, this.#workspaceId)]));
  }
}

const { folded: _folded, ...stored } = getTableColumns(leads);

/**
 * The columns of a `StoredRow`, for `execute`: a query of drizzle takes as long to write and to map these columns for 50
 * leads as to read them. Without the text that searches read, which is as long as all the others together.
 */
export const columnsOfStored = sql.raw(
  Object.entries(stored)
    .map(([name, column]) => `"${column.name}" AS "${name}"`)
    .join(", "),
);

export type StoredRow = Omit<typeof leads.$inferSelect, "folded">;

export function storedLead(
  { seq, owner: _owner, folded: _text, ...lead }: StoredRow & { folded?: string },
  workspaceId: WorkspaceId,
): StoredLead {
  return { seq, lead: { ...lead, workspaceId } satisfies Lead };
}
