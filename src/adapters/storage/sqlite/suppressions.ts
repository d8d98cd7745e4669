import type { Database } from "bun:sqlite";
import type { AddSuppressionOutcome } from "../../../features/suppression/store.ts";
import {
  entriesOfAddress,
  identifiersOf,
  matchesOf,
  type StoredEntry,
} from "../../../features/suppression/matching.ts";
import { suppressionKey } from "../../../features/suppression/key.ts";
import type {
  Suppression,
  SuppressionKind,
  SuppressionMatch,
  SuppressionTarget,
} from "../../../features/suppression/model.ts";
import {
  identifierName,
  identifiersOfPerson,
  type Identifier,
} from "../../../features/suppression/person-identifiers.ts";
import { DirectoryLinks } from "./directory/directory-links.ts";
import type { Engine } from "./engine.ts";
import type { LeadParts } from "./lead-parts.ts";
import { prepared, type Prepared } from "./prepared.ts";
import { createStoredIdentifiers } from "./stored-identifiers.ts";
import { SuppressionHints } from "./suppression-hints.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

/** A person whom a user is about to contact or store. */
export type Person = { workspaceId: WorkspaceId; target: SuppressionTarget };

/** The person that an action would reach. */
export function personOf({
  workspaceId,
  profileKey,
  leadId,
}: {
  workspaceId: WorkspaceId;
  profileKey: string;
  leadId: string | null;
}): Person {
  return { workspaceId, target: { profileKey, leadId } };
}

/** The do-not-contact list inside the write units of other stores. Synchronous except for `knowing`. */
export type SuppressionRows = {
  /**
   * Runs `work`, which looks up these people. Until it ends, `find` includes identifiers that directories link to them.
   * Without a list or a directory, `work` runs immediately.
   */
  knowing<T>(people: () => Iterable<Person>, run: () => Promise<T>): Promise<T>;
  /** False if directories link nothing to anyone, so that `knowing` is not needed. */
  readonly asksDirectories: boolean;
  /** The first entry of the user or the team that blocks contact with this person; null if there is none. */
  find(workspaceId: WorkspaceId, target: SuppressionTarget): SuppressionMatch | null;
  /** False if neither the user nor the team has any entry. Cheap. */
  hasAny(workspaceId: WorkspaceId): boolean;
  /** All of them. */
  findAll(workspaceId: WorkspaceId, target: SuppressionTarget): SuppressionMatch[];
  /** An entry for this address or its domain, regardless of the person. */
  findExact(workspaceId: WorkspaceId, email: string): SuppressionMatch[];
  /** Inside a write unit: as `SuppressionStore.add`, for one entry. */
  add(entry: Suppression): AddSuppressionOutcome;
  /** Called inside a write unit: deletes value and reason. The entry stays in effect. */
  forgetValue(id: string): void;
  /** Called inside a write unit. Once that is committed, call `reread` to avoid lookups that are no longer needed. */
  remove(entry: { id: string; owner: number | null; kind: SuppressionKind; key: Uint8Array }): void;
  reread(): void;
};

export function createSuppressionRows(engine: Engine, leadParts: LeadParts): SuppressionRows {
  const { database, phoneRegion } = engine;
  const { owners, phoneKeys } = leadParts;
  const listed = new ListedKinds(database);
  const hints = new SuppressionHints(database);
  // Plain statements: they run several times for each row of an import.
  const byKey = prepared<StoredEntry, [Uint8Array, number]>(
    database,
    "SELECT id, owner, kind, reason FROM suppressions WHERE key = ? AND ifnull(owner, 0) = ?",
  );
  const twin = prepared<{ id: string; value: string | null }, [Uint8Array, number]>(
    database,
    "SELECT id, value FROM suppressions WHERE key = ? AND ifnull(owner, 0) = ?",
  );
  const insert = prepared(
    database,
    `INSERT INTO suppressions (id, owner, kind, key, value, reason, source, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const forget = prepared(database, "UPDATE suppressions SET value = NULL, reason = NULL WHERE id = ?");
  const removeById = prepared(database, "DELETE FROM suppressions WHERE id = ?");
  const count = prepared(
    database,
    `INSERT INTO suppression_counts (owner, kind, entries) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET entries = entries + excluded.entries`,
  );

  const stored = createStoredIdentifiers(engine, leadParts);
  const directory = new DirectoryLinks(engine);

  function* matches(workspaceId: WorkspaceId, target: SuppressionTarget): Generator<SuppressionMatch, void, void> {
    const owner = owners(workspaceId);
    const kinds = owner === null ? null : listed.kindsFor(owner);
    if (owner === null || kinds === null) return;
    yield* matchesOf(identifiersIn(workspaceId, target), {
      beside: (identifier) => besideOf(workspaceId, owner, identifier),
      entries: (kind, value) => entriesIn(owner, kinds, kind, value),
    });
  }

  function identifiersIn(workspaceId: WorkspaceId, target: SuppressionTarget): Identifier[] {
    return [...identifiersOf(target, phoneRegion), ...(target.leadId ? stored.ofLead(workspaceId, target.leadId) : [])];
  }

  function personOf(workspaceId: WorkspaceId, owner: number, own: readonly Identifier[]): Iterable<Identifier> {
    return identifiersOfPerson(own, (identifier) => besideOf(workspaceId, owner, identifier));
  }

  const besideOf = (workspaceId: WorkspaceId, owner: number, identifier: Identifier): Identifier[] => [
    ...stored.beside(workspaceId, owner, identifier),
    ...directory.beside(owner, identifier),
  ];

  /** By owner, the people whose links in a directory could lead to an entry. */
  function inDirectories(people: Iterable<Person>): Map<number, { workspaceId: WorkspaceId; own: Identifier[] }[]> {
    const found = new Map<number, { workspaceId: WorkspaceId; own: Identifier[] }[]>();
    for (const [workspaceId, persons] of Map.groupBy(people, (person) => person.workspaceId)) {
      const owner = owners(workspaceId);
      if (owner !== null && listed.kindsFor(owner) !== null && directory.has(owner))
        found.set(
          owner,
          persons.map(({ target }) => ({ workspaceId, own: identifiersIn(workspaceId, target) })),
        );
    }
    return found;
  }

  function knowing<T>(people: () => Iterable<Person>, run: () => Promise<T>): Promise<T> {
    const asked = listed.hasAny ? inDirectories(people()) : null;
    return asked === null || asked.size === 0 ? run() : holding(asked, run);
  }

  async function holding<T>(people: ReturnType<typeof inDirectories>, run: () => Promise<T>): Promise<T> {
    const releases: (() => void)[] = [];
    try {
      for (const [owner, persons] of people) {
        const held = new Set<string>();
        // A lead may link further identifiers to those of a directory, and so on. Identifiers of another person do not count.
        for (;;) {
          const person = persons.flatMap(({ workspaceId, own }) => [...personOf(workspaceId, owner, own)]);
          const unheld = person.filter((identifier) => !held.has(identifierName(identifier)));
          if (unheld.length === 0) break;
          releases.push(await directory.hold(owner, unheld));
          for (const identifier of unheld) held.add(identifierName(identifier));
        }
      }
      return await run();
    } finally {
      for (const release of releases) release();
    }
  }

  function entriesIn(
    owner: number,
    kinds: ReadonlySet<SuppressionKind>,
    kind: SuppressionKind,
    value: string,
  ): StoredEntry[] {
    if (!kinds.has(kind)) return [];
    const key = suppressionKey(kind, value);
    if (!hints.mayHave(key)) return [];
    const entry = byKey.get(key, owner) ?? byKey.get(key, 0);
    return entry === null ? [] : [entry];
  }

  function ownerOf(workspaceId: WorkspaceId | null): number | null {
    const owner = workspaceId === null ? null : owners(workspaceId);
    if (workspaceId !== null && owner === null) throw new Error(`User ${workspaceId} is gone`);
    return owner;
  }

  function add(entry: Suppression): AddSuppressionOutcome {
    // From now on, phone numbers link people as well.
    phoneKeys.makeMissing(Number.MAX_SAFE_INTEGER);
    const { id, workspaceId, kind, key, value, reason, source, createdAt } = entry;
    const owner = ownerOf(workspaceId);
    const existing = twin.get(key, owner ?? 0);
    if (existing !== null) {
      if (value === null && existing.value !== null) forget.run(existing.id);
      return { outcome: "existing", id: existing.id };
    }
    listed.expect(owner ?? 0, kind);
    hints.expect(key);
    insert.run(id, owner, kind, key, value, reason, source, createdAt);
    count.run(owner, kind, 1);
    return { outcome: "added", id };
  }

  return {
    knowing,
    get asksDirectories() {
      return listed.hasAny && directory.isNeeded;
    },
    find(workspaceId, target) {
      for (const match of matches(workspaceId, target)) return match;
      return null;
    },
    hasAny(workspaceId) {
      const owner = owners(workspaceId);
      return owner !== null && listed.kindsFor(owner) !== null;
    },
    findAll: (workspaceId, target) => [...matches(workspaceId, target)],
    findExact(workspaceId, email) {
      const owner = owners(workspaceId);
      const kinds = owner === null ? null : listed.kindsFor(owner);
      if (owner === null || kinds === null) return [];
      return [...entriesOfAddress(email, (kind, value) => entriesIn(owner, kinds, kind, value))];
    },
    add,
    forgetValue: (id) => void forget.run(id),
    remove({ id, owner, kind, key }) {
      listed.expect(owner ?? 0, kind);
      hints.expect(key);
      removeById.run(id);
      count.run(owner, kind, -1);
    },
    reread: () => listed.reread(),
  };
}

/**
 * Who has entries of a kind at all; most servers have none. Never misses an entry, not even when a write unit is rolled
 * back; so removals do not change it until `reread`.
 */
class ListedKinds {
  readonly #read: Prepared<{ owner: number; kind: SuppressionKind; entries: number }>;
  /** By owner; 0 is the team. Null: not read yet. */
  #kinds: Map<number, Set<SuppressionKind>> | null = null;

  constructor(database: Database) {
    this.#read = prepared(database, "SELECT ifnull(owner, 0) AS owner, kind, entries FROM suppression_counts");
  }

  get hasAny(): boolean {
    return this.#known().size > 0;
  }

  /** The kinds of which this owner, or the team, may have entries; null if there are none. */
  kindsFor(owner: number): ReadonlySet<SuppressionKind> | null {
    const kinds = this.#known();
    const own = kinds.get(owner);
    const teams = kinds.get(0);
    if (own === undefined || teams === undefined) return own ?? teams ?? null;
    return own.union(teams);
  }

  /** Called inside a write unit, before an entry is stored or removed. */
  expect(owner: number, kind: SuppressionKind): void {
    const kinds = this.#known();
    kinds.set(owner, (kinds.get(owner) ?? new Set()).add(kind));
  }

  /** Called only between transactions: an entry that a unit has removed may still come back. */
  reread(): void {
    this.#kinds = null;
    this.#known();
  }

  #known(): Map<number, Set<SuppressionKind>> {
    if (this.#kinds !== null) return this.#kinds;
    this.#kinds = new Map();
    for (const { owner, kind, entries } of this.#read.all())
      if (entries > 0) this.#kinds.set(owner, (this.#kinds.get(owner) ?? new Set()).add(kind));
    return this.#kinds;
  }
}
