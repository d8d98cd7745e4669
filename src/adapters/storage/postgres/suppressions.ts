import { and, count, desc, eq, inArray, isNull, lt, or, sql } from "drizzle-orm";
import { lockOfWriter } from "../../../features/suppression/locks.ts";
import type { Suppression, SuppressionFilter } from "../../../features/suppression/model.ts";
import type { AddSuppressionOutcome, SuppressionStore } from "../../../features/suppression/store.ts";
import { appendAudit } from "./audit.ts";
import type { Connection, Engine } from "./engine.ts";
import { ownersOf } from "./owners.ts";
import { takeLocks } from "./locks.ts";
import { areSuppressed, findSuppressions } from "./suppression-rows.ts";
import { suppressions } from "./tables.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

export function createSuppressionStore(engine: Engine): SuppressionStore {
  const { orm, ownerOf, transact, phoneRegion } = engine;

  /** Entries that hold for the workspace. */
  async function holdsFor(workspaceId: WorkspaceId, scope?: SuppressionFilter["scope"]) {
    const owner = (await ownerOf(workspaceId)) ?? 0;
    const own = eq(suppressions.owner, owner);
    const everyones = isNull(suppressions.owner);
    if (scope === "user") return own;
    return scope === "team" ? everyones : or(own, everyones);
  }

  async function filtered(workspaceId: WorkspaceId, { scope, kind, key, text }: SuppressionFilter) {
    return and(
      await holdsFor(workspaceId, scope),
      kind && eq(suppressions.kind, kind),
      key && eq(suppressions.key, key),
      // Values are stored in lower case.
      text === undefined ? undefined : sql`strpos(${suppressions.value}, ${text.toLowerCase()}) > 0`,
    );
  }

  return {
    add: (entries) => transact((connection) => addEntries(connection, entries)),
    async get(workspaceId, id) {
      const [row] = await orm
        .select()
        .from(suppressions)
        .where(and(eq(suppressions.id, id), await holdsFor(workspaceId)));
      return row === undefined ? null : entryOf(workspaceId, row);
    },
    async page({ workspaceId, filter, after, limit }) {
      const found = await orm
        .select()
        .from(suppressions)
        .where(and(await filtered(workspaceId, filter), after === null ? undefined : lt(suppressions.seq, after)))
        .orderBy(desc(suppressions.seq))
        .limit(limit + 1);
      const rows = found.slice(0, limit);
      return {
        entries: rows.map((row) => entryOf(workspaceId, row)),
        next: found.length > limit ? (rows.at(-1)?.seq ?? null) : null,
      };
    },
    async count(workspaceId, filter) {
      const [row] = await orm
        .select({ n: count() })
        .from(suppressions)
        .where(await filtered(workspaceId, filter));
      return row?.n ?? 0;
    },
    async remove(workspaceId, id, audit) {
      const isHeld = and(eq(suppressions.id, id), await holdsFor(workspaceId));
      return transact(async (connection) => {
        const removed = await connection.delete(suppressions).where(isHeld).returning({ seq: suppressions.seq });
        if (removed.length > 0) await appendAudit(connection, [audit]);
        return removed.length > 0;
      });
    },
    async forgetValue(workspaceId, id, audit) {
      const isHeld = and(eq(suppressions.id, id), await holdsFor(workspaceId));
      return transact(async (connection) => {
        const nothing = { value: null, reason: null };
        const [row] = await connection.update(suppressions).set(nothing).where(isHeld).returning();
        if (row === undefined) return null;
        await appendAudit(connection, [audit]);
        return entryOf(workspaceId, row);
      });
    },
    // Every transaction is on disk when its promise resolves.
    durable: async () => {},
    matches: (workspaceId, target) => findSuppressions(orm, phoneRegion, workspaceId, target),
    among: (workspaceId, people) => areSuppressed(engine, workspaceId, people),
  };
}

/** Adds entries in a transaction, during which no other one makes decisions about people of their users. */
export async function addEntries(
  connection: Connection,
  entries: readonly Suppression[],
): Promise<AddSuppressionOutcome[]> {
  const owners = await ownersOf(connection, [...new Set(entries.flatMap(({ workspaceId }) => workspaceId ?? []))]);
  const ownerOf = (workspaceId: WorkspaceId | null): number | null => {
    const owner = workspaceId === null ? null : owners.get(workspaceId);
    if (owner === undefined) throw new Error(`User ${workspaceId} no longer exists`);
    return owner;
  };
  await takeLocks(
    connection,
    entries.map(({ workspaceId }) => lockOfWriter(workspaceId)),
  );
  const keyed = entries.map(({ workspaceId, ...entry }) => ({ ...entry, owner: ownerOf(workspaceId) }));
  const stored = await entriesWithKeys(connection, keyed);
  const added: EntryRow[] = [];
  const forgotten = new Set<string>();
  const outcomes = keyed.map((entry): AddSuppressionOutcome => {
    const name = nameOf(entry);
    const existing = stored.get(name);
    if (existing === undefined) {
      stored.set(name, entry);
      added.push(entry);
      return { outcome: "added", id: entry.id };
    }
    if (entry.value === null && existing.value !== null) forgotten.add(existing.id);
    return { outcome: "existing", id: existing.id };
  });
  for (let from = 0; from < added.length; from += rowsAtOnce)
    await connection.insert(suppressions).values(added.slice(from, from + rowsAtOnce));
  if (forgotten.size > 0)
    await connection
      .update(suppressions)
      .set({ value: null, reason: null })
      .where(inArray(suppressions.id, [...forgotten]));
  return outcomes;
}

type EntryRow = typeof suppressions.$inferInsert;
type StoredKey = Pick<EntryRow, "id" | "key" | "owner"> & { value?: string | null };

/** Building a statement with more rows would hold up other requests. */
const rowsAtOnce = 200;

/** The entries with the same keys and owners, by `nameOf`. */
async function entriesWithKeys(
  connection: Connection,
  entries: readonly Pick<EntryRow, "key" | "owner">[],
): Promise<Map<string, StoredKey>> {
  const wanted = entries.map(({ key, owner }) => ({ key: Buffer.from(key).toString("hex"), owner: owner ?? 0 }));
  const { id, key, owner, value } = suppressions;
  const rows = await connection
    .select({ id, key, owner, value })
    .from(suppressions)
    .innerJoin(
      sql`json_to_recordset(${JSON.stringify(wanted)}::json) AS wanted (key text, owner bigint)`,
      sql`${key} = decode(wanted.key, 'hex') AND coalesce(${owner}, 0) = wanted.owner`,
    );
  return new Map(rows.map((row) => [nameOf(row), row]));
}

function nameOf({ key, owner }: Pick<EntryRow, "key" | "owner">): string {
  return `${Buffer.from(key).toString("hex")} ${owner ?? ""}`;
}

function entryOf(
  workspaceId: WorkspaceId,
  { seq: _seq, owner, key, ...row }: typeof suppressions.$inferSelect,
): Suppression {
  return { ...row, key: new Uint8Array(key), workspaceId: owner === null ? null : workspaceId };
}
