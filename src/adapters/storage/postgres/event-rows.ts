import { inArray, sql } from "drizzle-orm";
import type { Event, NewEvent } from "../../../platform/events/model.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import type { Connection } from "./engine.ts";
import { noteNewEvents } from "./event-signal.ts";
import { events, workspaces } from "./tables.ts";

/**
 * Appends events in the transaction of what causes them. Events of a user that no longer exists are dropped. `position`:
 * see `appendNumbered`.
 */
export async function appendEvents(
  connection: Connection,
  appended: readonly NewEvent[],
  position: number | null = null,
): Promise<void> {
  const userIds = [...new Set(appended.flatMap(({ workspaceId }) => workspaceId ?? []))];
  const owners = await ownersOf(connection, userIds);
  const rows = appended.flatMap(({ workspaceId, data = {}, ...event }) => {
    const owner = workspaceId === null ? null : owners.get(workspaceId);
    return owner === undefined ? [] : [{ ...event, owner, data, position }];
  });
  if (rows.length === 0) return;
  await connection.insert(events).values(rows);
  noteNewEvents(connection);
}

/** The columns of a numbered event, of `events` joined with `workspaces`. */
export const eventColumns = {
  id: sql<number>`${events.position}`.as("event_id"),
  type: events.type,
  workspaceId: sql<WorkspaceId | null>`${workspaces.id}`.as("event_owner"),
  at: events.at,
  leadId: events.leadId,
  jobId: events.jobId,
  campaignId: events.campaignId,
  accountId: events.accountId,
  voiceId: events.voiceId,
  data: events.data,
  actorId: sql<Event["actorId"]>`${events.actorId}`.as("event_actor"),
};

/** The numbers that large tables know users by. */
export async function ownersOf(connection: Connection, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await connection
    .select({ id: workspaces.id, seq: workspaces.seq })
    .from(workspaces)
    .where(inArray(workspaces.id, [...ids]));
  return new Map(rows.map(({ id, seq }) => [id, seq]));
}
