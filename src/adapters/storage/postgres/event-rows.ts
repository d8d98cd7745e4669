import { sql } from "drizzle-orm";
import type { Event, NewEvent } from "../../../platform/events/model.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import type { Connection } from "./engine.ts";
import { ownersOf } from "./owners.ts";
import { noteNewEvents } from "./event-signal.ts";
import { events, workspaces } from "./tables.ts";

export type AppendOptions = {
  /** See `appendNumbered`. */
  position?: number | null;
  /** The numbers of the users, if the caller knows them. */
  owners?: ReadonlyMap<string, number>;
};

/** Appends events in the transaction of what causes them. Events of a user that no longer exists are dropped. */
export async function appendEvents(
  connection: Connection,
  appended: readonly NewEvent[],
  { position = null, owners: known }: AppendOptions = {},
): Promise<void> {
  const userIds = [...new Set(appended.flatMap(({ workspaceId }) => workspaceId ?? []))];
  const owners = known ?? (await ownersOf(connection, userIds));
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
