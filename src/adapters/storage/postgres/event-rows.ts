import { sql, type SQL } from "drizzle-orm";
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
  const insertion = insertionOf(appended, known ?? (await ownersOf(connection, userIds)));
  await insertion.run(connection, position);
  return insertion.count;
}

/** A statement that inserts `count` events. */
export type EventInsertion = { count: number; run(connection: Connection, position: number | null): Promise<void> };

/** `appendEvents` for users whose numbers are known: built now, and run later, when the position is known as well. */
export function insertionOf(appended: readonly NewEvent[], owners: ReadonlyMap<string, number>): EventInsertion {
  const rows = appended.flatMap(({ workspaceId, ...event }) => {
    const owner = workspaceId === null ? null : owners.get(workspaceId);
    return owner === undefined ? [] : [{ ...event, owner }];
  });
  const columns = columnsOf(rows);
  return {
    count: rows.length,
    async run(connection, position) {
      if (rows.length === 0) return;
      await connection.execute(sql`
        INSERT INTO ${events}
          (position, type, owner, at, lead_id, job_id, campaign_id, account_id, voice_id, data, actor_id)
        SELECT ${position}::bigint + n - 1, type, owner::bigint, at::bigint, lead_id, job_id, campaign_id, account_id,
          voice_id, data::jsonb, actor_id
        FROM ROWS FROM (${columns}) WITH ORDINALITY
          AS appended (type, owner, at, lead_id, job_id, campaign_id, account_id, voice_id, data, actor_id, n)`);
      noteNewEvents(connection);
    },
  };
}

type Row = Omit<NewEvent, "workspaceId"> & { owner: number | null };

/**
 * One parameter per column, however many events: a statement with thousands takes longer to build and to plan than to
 * run, and objects with the name of each column take PostgreSQL half as long again to read.
 */
function columnsOf(rows: readonly Row[]): SQL {
  // A column that is empty in all rows needs no values: shorter columns are filled with nulls.
  const column = (value: (row: Row) => unknown) => {
    const values = rows.map((row) => value(row) ?? null);
    const isEmpty = values.every((each) => each === null);
    return sql`json_array_elements_text(${isEmpty ? "[]" : wellFormedJson(values)}::json)`;
  };
  const columns = [
    column(({ type }) => type),
    column(({ owner }) => owner),
    column(({ at }) => at),
    column(({ leadId }) => leadId),
    column(({ jobId }) => jobId),
    column(({ campaignId }) => campaignId),
    column(({ accountId }) => accountId),
    column(({ voiceId }) => voiceId),
    column(({ data = {} }) => data),
    column(({ actorId }) => actorId),
  ];
  return sql.join(columns, sql`, `);
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
