import type { AddSuppressionOutcome } from "../../suppression/store.ts";
import { domainsOf, emailForm } from "../../suppression/address.ts";
import { suppressionKey } from "../../suppression/key.ts";
import type { Suppression, SuppressionKind, SuppressionMatch, SuppressionTarget } from "../../suppression/model.ts";
import { identifiersOfPerson, type Identifier } from "../../suppression/person-identifiers.ts";
import { phoneNumber } from "../../suppression/phone.ts";
import type { Engine } from "./engine.ts";
import { createOwners } from "./owners.ts";
import { createStoredIdentifiers } from "./stored-identifiers.ts";
import { SuppressionHints } from "./suppression-hints.ts";

/** The do-not-contact list as other stores ask it, inside their own write units. Synchronous. */
export type SuppressionRows = {
  /** The first entry of the user or of the team that blocks contact with this person; null when nothing does. */
  find(userId: string, target: SuppressionTarget): SuppressionMatch | null;
  /** False when neither the user nor the team has any entry; costs next to nothing. */
  hasAny(userId: string): boolean;
  /** All of them. */
  findAll(userId: string, target: SuppressionTarget): SuppressionMatch[];
  /** An entry for this very address or its domain, whoever else it may belong to. */
  findExact(userId: string, email: string): SuppressionMatch[];
  /** Inside a write unit: as `SuppressionStore.add`, for one entry. */
  add(entry: Suppression): AddSuppressionOutcome;
  /** Inside a write unit: value and reason are forgotten, the entry holds as before. */
  forgetValue(id: string): void;
  /** Inside a write unit. Once it is committed, `reread` spares the look-ups that nobody needs any more. */
  remove(entry: { id: string; owner: number | null; kind: SuppressionKind; key: Uint8Array }): void;
  reread(): void;
};

const byEngine = new WeakMap<Engine, SuppressionRows>();

/** The same for all stores of an engine, because what it remembers has to be kept right by whoever writes. */
export function createSuppressionRows(engine: Engine): SuppressionRows {
  const known = byEngine.get(engine);
  if (known !== undefined) return known;
  const rows = newSuppressionRows(engine);
  byEngine.set(engine, rows);
  return rows;
}

type Found = { id: string; owner: number | null; kind: SuppressionKind; reason: string | null };

function newSuppressionRows(engine: Engine): SuppressionRows {
  const { database, phoneRegion } = engine;
  const owners = createOwners(engine);
  const hints = new SuppressionHints(database);
  // Plain statements: they run several times for each row of an import.
  const byKey = database.prepare<Found, [Uint8Array, number]>(
    "SELECT id, owner, kind, reason FROM suppressions WHERE key = ? AND ifnull(owner, 0) = ?",
  );
  const twin = database.prepare<{ id: string; value: string | null }, [Uint8Array, number]>(
    "SELECT id, value FROM suppressions WHERE key = ? AND ifnull(owner, 0) = ?",
  );
  const insert = database.prepare(
    `INSERT INTO suppressions (id, owner, kind, key, value, reason, source, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const forget = database.prepare("UPDATE suppressions SET value = NULL, reason = NULL WHERE id = ?");
  const removeById = database.prepare("DELETE FROM suppressions WHERE id = ?");
  const count = database.prepare(
    `INSERT INTO suppression_counts (owner, kind, entries) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET entries = entries + excluded.entries`,
  );

  const stored = createStoredIdentifiers(engine);

  function* matches(userId: string, target: SuppressionTarget): Generator<SuppressionMatch, void, void> {
    const owner = owners(userId);
    const kinds = owner === null ? null : hints.kindsFor(owner);
    if (owner === null || kinds === null) return;
    const own = [...namedIn(target), ...(target.leadId ? stored.ofLead(userId, target.leadId) : [])];
    const isOwn = ({ kind, value }: Identifier) => own.some((each) => each.kind === kind && each.value === value);
    const beside = (identifier: Identifier) => stored.beside(userId, owner, identifier);
    const seen = new Set<string>();
    for (const identifier of identifiersOfPerson(own, beside))
      for (const match of entriesFor(owner, identifier, kinds)) {
        if (seen.has(match.entryId)) continue;
        seen.add(match.entryId);
        yield isOwn(identifier) ? match : { ...match, isLinked: true };
      }
  }

  function* entriesFor(
    owner: number,
    identifier: Identifier,
    kinds: ReadonlySet<SuppressionKind>,
  ): Generator<SuppressionMatch, void, void> {
    for (const [kind, value] of waysTo(identifier)) {
      if (!kinds.has(kind)) continue;
      const key = suppressionKey(kind, value);
      if (!hints.mayHave(key)) continue;
      // The user's own first: that one the user can remove.
      const entry = byKey.get(key, owner) ?? byKey.get(key, 0);
      if (entry !== null) yield matchOf(entry);
    }
  }

  function namedIn({ email, profileKey, phone }: SuppressionTarget): Identifier[] {
    const number = phone ? phoneNumber(phone, phoneRegion) : null;
    return [
      ...(email ? [{ kind: "email", value: emailForm(email) } as const] : []),
      ...(profileKey ? [{ kind: "profile", value: profileKey } as const] : []),
      ...(number === null ? [] : [{ kind: "phone", value: number } as const]),
    ];
  }

  function ownerOf(userId: string | null): number | null {
    const owner = userId === null ? null : owners(userId);
    if (userId !== null && owner === null) throw new Error(`User ${userId} is gone`);
    return owner;
  }

  function add(entry: Suppression): AddSuppressionOutcome {
    const { id, userId, kind, key, value, reason, source, createdAt } = entry;
    const owner = ownerOf(userId);
    const existing = twin.get(key, owner ?? 0);
    if (existing !== null) {
      if (value === null && existing.value !== null) forget.run(existing.id);
      return { outcome: "existing", id: existing.id };
    }
    hints.expect(owner ?? 0, kind, key);
    insert.run(id, owner, kind, key, value, reason, source, createdAt);
    count.run(owner, kind, 1);
    return { outcome: "added", id };
  }

  return {
    find(userId, target) {
      for (const match of matches(userId, target)) return match;
      return null;
    },
    hasAny(userId) {
      const owner = owners(userId);
      return owner !== null && hints.kindsFor(owner) !== null;
    },
    findAll: (userId, target) => [...matches(userId, target)],
    findExact(userId, email) {
      const owner = owners(userId);
      const kinds = owner === null ? null : hints.kindsFor(owner);
      if (owner === null || kinds === null) return [];
      return [...entriesFor(owner, { kind: "email", value: emailForm(email) }, kinds)];
    },
    add,
    forgetValue: (id) => void forget.run(id),
    remove({ id, owner, kind, key }) {
      hints.expect(owner ?? 0, kind, key);
      removeById.run(id);
      count.run(owner, kind, -1);
    },
    reread: () => hints.reread(),
  };
}

/** What entries could say of an identifier: its value and, for an e-mail address, the domains that it lies in. */
function waysTo({ kind, value }: Identifier): [SuppressionKind, string][] {
  const domains = kind === "email" ? domainsOf(value) : [];
  return [[kind, value], ...domains.map((domain): [SuppressionKind, string] => ["domain", domain])];
}

function matchOf({ id, owner, kind, reason }: Found): SuppressionMatch {
  return { entryId: id, kind, scope: owner === null ? "team" : "user", reason };
}
