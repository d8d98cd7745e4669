import type { Event, EventSubject, EventType, NewEvent } from "../../../platform/events/model.ts";
import type { Engine } from "./engine.ts";
import type { Owners } from "./owners.ts";
import { prepared, RowInserter } from "./prepared.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

/** Events, inside the write units of all stores. */
export type EventRows = {
  /** Appends an event, which is committed together with its cause. Ignores events of a deleted user. */
  append(event: NewEvent): void;
  /** Called inside a write unit that reads events: stores what was appended, which otherwise happens before the COMMIT. */
  flush(): void;
  /** Time of the last event of this type for the user; null if there is none, or it has been deleted. */
  lastTold(workspaceId: WorkspaceId, type: EventType): number | null;
  /** See `EventStore.onNew`. */
  onNew(listener: () => void): () => void;
};

export function createEventRows({ database, writer }: Engine, owners: Owners): EventRows {
  const rows = new RowInserter(database, `INSERT INTO events (${columns.join(", ")})`, columns.length);
  const last = prepared<{ at: number }, [number, string]>(
    database,
    "SELECT at FROM events WHERE owner = ? AND type = ? ORDER BY seq DESC LIMIT 1",
  );
  /** The events of a batch are inserted together, at half the cost. Column values, one event after the other. */
  let waiting: Value[] = [];
  const listeners = new Set<() => void>();
  function flush(): void {
    if (waiting.length === 0) return;
    const values = waiting;
    waiting = [];
    rows.insert(values);
  }
  const participant = {
    beforeCommit: flush,
    committed() {
      for (const notify of listeners) notify();
    },
    rolledBack: () => void (waiting = []),
  };

  return {
    append({ type, workspaceId, at, leadId, jobId, campaignId, accountId, voiceId, data, actorId = null }) {
      const owner = workspaceId === null ? null : owners(workspaceId);
      if (owner === null && workspaceId !== null) return;
      if (waiting.length === 0) writer.join(participant);
      const subjects = [leadId ?? null, jobId ?? null, campaignId ?? null, accountId ?? null, voiceId ?? null] as const;
      waiting.push(owner, type, at, ...subjects, data === undefined ? "{}" : JSON.stringify(data), actorId);
    },
    flush,
    lastTold(workspaceId, type) {
      flush();
      const owner = owners(workspaceId);
      return owner === null ? null : (last.get(owner, type)?.at ?? null);
    },
    onNew(notify) {
      listeners.add(notify);
      return () => listeners.delete(notify);
    },
  };
}

type Value = string | number | null;
const columns = [
  "owner",
  "type",
  "at",
  "lead_id",
  "job_id",
  "campaign_id",
  "account_id",
  "voice_id",
  "data",
  "actor_id",
];

/** The columns of an event, as `storedEvent` reads them, of `events AS e` joined with `workspaces AS u`. */
export const eventColumns =
  "e.seq AS id, e.type, u.id AS workspaceId, e.at, e.lead_id AS leadId, e.job_id AS jobId, e.campaign_id AS campaignId," +
  " e.account_id AS accountId, e.voice_id AS voiceId, e.data, e.actor_id AS actorId";

export type EventRow = Omit<Event, "data"> & { data: string };

export function storedEvent(row: EventRow): Event {
  return { ...row, data: row.data === "{}" ? {} : (JSON.parse(row.data) as Event["data"]) };
}

/** The column of each subject. */
export const subjectColumns: Record<EventSubject, string> = {
  leadId: "lead_id",
  jobId: "job_id",
  campaignId: "campaign_id",
  accountId: "account_id",
  voiceId: "voice_id",
};
