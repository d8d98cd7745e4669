import { sql } from "drizzle-orm";
import type { Event, NewEvent } from "../../../platform/events/model.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import type { Connection } from "./engine.ts";
import { ownersOf } from "./owners.ts";
import { noteNewEvents } from "./event-signal.ts";
import { wellFormedJson } from "./json-rows.ts";
import { events, workspaces } from "./tables.ts";

export type AppendOptions = {
  /** That of the first event, if they are numbered at once: see `appendNumbered`. */
  position?: number | null;
  /** The numbers of the users, if the caller knows them. */
  owners?: ReadonlyMap<string, number>;
};

/**
 * Appends events in the transaction of what causes them, and returns how many. Events of a user that no longer exists are
 * dropped.
 */
export async function appendEvents(
  connection: Connection,
  appended: readonly NewEvent[],
  { position = null, owners: known }: AppendOptions = {},
): Promise<number> {
  const userIds = [...new Set(appended.flatMap(({ workspaceId }) => workspaceId ?? []))];
  const owners = known ?? (await ownersOf(connection, userIds));
  const rows = appended.flatMap(({ workspaceId, data = {}, ...event }) => {
    const owner = workspaceId === null ? null : owners.get(workspaceId);
    return owner === undefined ? [] : [{ ...event, owner, data, position: null as number | null }];
  });
  if (rows.length === 0) return 0;
  if (position !== null) for (const [n, row] of rows.entries()) row.position = position + n;
  await insertMany(connection, rows);
  noteNewEvents(connection);
  return rows.length;
}

/** One parameter, however many events: a statement with thousands takes longer to build and to plan than to run. */
async function insertMany(connection: Connection, rows: readonly Omit<typeof events.$inferInsert, "id">[]) {
  await connection.execute(sql`
    INSERT INTO ${events} (position, owner, type, at, lead_id, job_id, campaign_id, account_id, voice_id, data, actor_id)
    SELECT "position", "owner", "type", "at", "leadId", "jobId", "campaignId", "accountId", "voiceId", "data", "actorId"
    FROM json_to_recordset(${wellFormedJson(rows)}::json) AS appended ("position" bigint, "owner" bigint, "type" text,
      "at" bigint, "leadId" text, "jobId" text, "campaignId" text, "accountId" text, "voiceId" text, "data" jsonb,
      "actorId" text)`);
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
