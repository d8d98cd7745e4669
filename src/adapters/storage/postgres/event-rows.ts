import { inArray } from "drizzle-orm";
import type { NewEvent } from "../../../platform/events/model.ts";
import type { Connection } from "./engine.ts";
import { events, workspaces } from "./tables.ts";

/** Appends events in the transaction of what causes them. Events of a user that no longer exists are dropped. */
export async function appendEvents(connection: Connection, appended: readonly NewEvent[]): Promise<void> {
  const userIds = [...new Set(appended.flatMap(({ workspaceId }) => workspaceId ?? []))];
  const owners = await ownersOf(connection, userIds);
  const rows = appended.flatMap(({ workspaceId, data = {}, ...event }) => {
    const owner = workspaceId === null ? null : owners.get(workspaceId);
    return owner === undefined ? [] : [{ ...event, owner, data }];
  });
  if (rows.length > 0) await connection.insert(events).values(rows);
}

/** The numbers that large tables know users by. */
export async function ownersOf(connection: Connection, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await connection
    .select({ id: workspaces.id, seq: workspaces.seq })
    .from(workspaces)
    .where(inArray(workspaces.id, [...ids]));
  return new Map(rows.map(({ id, seq }) => [id, seq]));
}
