import { and, count, desc, eq, isNull, lt, or, sql } from "drizzle-orm";
import { lockOfWriter } from "../../../features/suppression/locks.ts";
import type { Suppression, SuppressionFilter } from "../../../features/suppression/model.ts";
import type { AddSuppressionOutcome, SuppressionStore } from "../../../features/suppression/store.ts";
import { appendAudit } from "./audit.ts";
import type { Connection, Engine } from "./engine.ts";
import { ownersOf } from "./event-rows.ts";
import { takeLocks } from "./locks.ts";
import { areSuppressed, findSuppressions } from "./suppression-rows.ts";
import { suppressions } from "./tables.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

export function createSuppressionStore({ orm, transact, phoneRegion }: Engine): SuppressionStore {
  /** Entries that hold for the workspace. */
  async function holdsFor(workspaceId: WorkspaceId, scope?: SuppressionFilter["scope"]) {
    const owner = (await ownersOf(orm, [workspaceId])).get(workspaceId) ?? 0;
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
    among: (workspaceId, people) => areSuppressed(orm, phoneRegion, workspaceId, people),
  };
}

/** Adds entries in a transaction, during which no other one makes decisions about people of their users. */
export async function addEntries(
  connection: Connection,
  entries: readonly Suppression[],
): Promise<AddSuppressionOutcome[]> {
  const owners = await ownersOf(connection, [...new Set(entries.flatMap(({ workspaceId }) => workspaceId ?? []))]);
  const ownerOf = ({ workspaceId }: Suppression): number | null => {
    const owner = workspaceId === null ? null : owners.get(workspaceId);
    if (owner === undefined) throw new Error(`User ${workspaceId} no longer exists`);
    return owner;
  };
  await takeLocks(
    connection,
    entries.map(({ workspaceId }) => lockOfWriter(workspaceId)),
  );
  const outcomes: AddSuppressionOutcome[] = [];
  for (const entry of entries) outcomes.push(await addEntry(connection, entry, ownerOf(entry)));
  return outcomes;
}

async function addEntry(
  connection: Connection,
  { workspaceId: _workspaceId, ...entry }: Suppression,
  owner: number | null,
): Promise<AddSuppressionOutcome> {
  const [existing] = await connection
    .select({ id: suppressions.id, value: suppressions.value })
    .from(suppressions)
    .where(
      and(eq(suppressions.key, entry.key), owner === null ? isNull(suppressions.owner) : eq(suppressions.owner, owner)),
    );
  if (existing === undefined) {
    await connection.insert(suppressions).values({ ...entry, owner });
    return { outcome: "added", id: entry.id };
  }
  if (entry.value === null && existing.value !== null)
    await connection.update(suppressions).set({ value: null, reason: null }).where(eq(suppressions.id, existing.id));
  return { outcome: "existing", id: existing.id };
}

function entryOf(
  workspaceId: WorkspaceId,
  { seq: _seq, owner, key, ...row }: typeof suppressions.$inferSelect,
): Suppression {
  return { ...row, key: new Uint8Array(key), workspaceId: owner === null ? null : workspaceId };
}
