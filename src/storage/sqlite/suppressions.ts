import type { AddSuppressionOutcome } from "../../suppression/store.ts";
import { domainsOf, emailForm } from "../../suppression/address.ts";
import { suppressionKey } from "../../suppression/key.ts";
import type { Suppression, SuppressionKind, SuppressionMatch, SuppressionTarget } from "../../suppression/model.ts";
import { phoneNumber } from "../../suppression/phone.ts";
import type { Engine } from "./engine.ts";
import { createOwners } from "./owners.ts";
import { SuppressionHints } from "./suppression-hints.ts";

/** The do-not-contact list as other stores ask it, inside their own write units. Synchronous. */
export type SuppressionRows = {
  /** The first entry of the user or of the team that stands in the way; null when nothing does. */
  find(userId: string, target: SuppressionTarget): SuppressionMatch | null;
  /** False when neither the user nor the team has any entry; costs next to nothing. */
  hasAny(userId: string): boolean;
  /** All of them. */
  findAll(userId: string, target: SuppressionTarget): SuppressionMatch[];
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

  function* matches(userId: string, target: SuppressionTarget): Generator<SuppressionMatch, void, void> {
    const owner = owners(userId);
    const kinds = owner === null ? null : hints.kindsFor(owner);
    if (owner === null || kinds === null) return;
    for (const [kind, value] of waysTo(target, kinds)) {
      const key = suppressionKey(kind, value);
      if (!hints.mayHave(key)) continue;
      // The user's own first: that one the user can remove.
      const entry = byKey.get(key, owner) ?? byKey.get(key, 0);
      if (entry !== null) yield matchOf(entry);
    }
  }

  /** What the entries of these kinds could say of this person. */
  function* waysTo(
    { email, profileKey, phone }: SuppressionTarget,
    kinds: ReadonlySet<SuppressionKind>,
  ): Generator<[SuppressionKind, string], void, void> {
    if (email && (kinds.has("email") || kinds.has("domain"))) {
      const address = emailForm(email);
      if (kinds.has("email")) yield ["email", address];
      if (kinds.has("domain")) for (const domain of domainsOf(address)) yield ["domain", domain];
    }
    if (profileKey && kinds.has("profile")) yield ["profile", profileKey];
    const number = phone && kinds.has("phone") ? phoneNumber(phone, phoneRegion) : null;
    if (number !== null) yield ["phone", number];
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

function matchOf({ id, owner, kind, reason }: Found): SuppressionMatch {
  return { entryId: id, kind, scope: owner === null ? "team" : "user", reason };
}
