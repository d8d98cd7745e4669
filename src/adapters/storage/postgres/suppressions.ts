import { and, eq, isNull, or, sql } from "drizzle-orm";
import { lockOfWriter } from "../../../features/suppression/locks.ts";
import type { Suppression } from "../../../features/suppression/model.ts";
import type { AddSuppressionOutcome, SuppressionStore } from "../../../features/suppression/store.ts";
import { appendAudit } from "./audit.ts";
import type { Connection, Engine } from "./engine.ts";
import { ownersOf } from "./event-rows.ts";
import { takeLocks } from "./locks.ts";
import { findSuppressions } from "./suppression-rows.ts";
import { suppressions } from "./tables.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

type SliceOfSuppressions = Pick<SuppressionStore, "add" | "get" | "remove" | "count" | "matches">;

export function createSuppressionStore({ orm, transact, phoneRegion }: Engine): SliceOfSuppressions {
  async function appliesTo(workspaceId: WorkspaceId) {
    const owner = (await ownersOf(orm, [workspaceId])).get(workspaceId) ?? 0;
    return or(eq(suppressions.owner, owner), isNull(suppressions.owner));
  }

  return {
    add: (entries) => transact((connection) => addEntries(connection, entries)),
    async get(workspaceId, id) {
      const [row] = await orm
        .select()
        .from(suppressions)
        .where(and(eq(suppressions.id, id), await appliesTo(workspaceId)));
      return row === undefined ? null : entryOf(workspaceId, row);
    },
    async remove(workspaceId, id, audit) {
      const applies = await appliesTo(workspaceId);
      return transact(async (connection) => {
        const removed = await connection
          .delete(suppressions)
          .where(and(eq(suppressions.id, id), applies))
          .returning({ seq: suppressions.seq });
        if (removed.length > 0) await appendAudit(connection, [audit]);
        return removed.length > 0;
      });
    },
    async count(workspaceId, filter) {
      if (Object.keys(filter).length > 0) throw new Error("Filters do not exist on PostgreSQL yet");
      const [row] = await orm
        .select({ n: sql<number>`count(*)` })
        .from(suppressions)
        .where(await appliesTo(workspaceId));
      return row?.n ?? 0;
    },
    matches: (workspaceId, target) => findSuppressions(orm, phoneRegion, workspaceId, target),
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
