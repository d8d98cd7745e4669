import { isReplayed, replayedDelivery } from "../../../features/webhooks/decisions.ts";
import { testType, type Delivery, type DeliveryState } from "../../../features/webhooks/model.ts";
import type { ReplayRequest, WebhookStore } from "../../../features/webhooks/store.ts";
import type { Engine } from "./engine.ts";
import type { EventRows } from "./event-rows.ts";
import { prepared } from "./prepared.ts";
import {
  seesInstallation,
  selectDelivery,
  storedDelivery,
  type DeliveryRow,
  type EndpointRow,
  type EndpointRows,
} from "./webhook-rows.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

/** Whether the endpoint `webhook_endpoints AS p` receives the event `events AS e`. */
export const isWanted =
  `(p.types IS NULL OR instr(p.types, '"' || e.type || '"') > 0` +
  ` OR instr(p.types, '"' || substr(e.type, 1, instr(e.type, '.')) || '*"') > 0) AND e.type <> '${testType}'`;

/** Single deliveries, and replays of earlier ones. */
export function createWebhookReplays(
  { database, writer }: Engine,
  rows: EndpointRows,
  events: EventRows,
): Pick<WebhookStore, "delivery" | "test" | "replay" | "replayRange"> {
  const one = prepared<DeliveryRow, [number, number]>(
    database,
    `${selectDelivery} WHERE d.endpoint = ? AND d.event = ?`,
  );
  const put = prepared(
    database,
    "INSERT INTO webhook_deliveries (endpoint, event, state, asked_at, tries, attempts) VALUES (?, ?, 'pending', ?, 0, '[]')",
  );
  const askedFor = prepared<{ event: number; isTest: 0 | 1 }, [number]>(
    database,
    `SELECT d.event, e.type = '${testType}' AS isTest FROM webhook_deliveries AS d JOIN events AS e ON e.seq = d.event
     WHERE d.endpoint = ? AND d.asked_at IS NOT NULL`,
  );
  const lastTold = prepared<{ seq: number }, []>(database, "SELECT last_insert_rowid() AS seq");
  // After a clock was set back, a time occurs twice; the search finds one of the two, which is close enough.
  const eventAt = prepared<{ seq: number; at: number }, [number]>(
    database,
    "SELECT seq, at FROM events WHERE seq >= ? ORDER BY seq LIMIT 1",
  );
  const lastEvent = prepared<{ seq: number }, []>(database, "SELECT max(seq) AS seq FROM events");
  /** `state`: null if the endpoint has never received the event. */
  type Candidate = { seq: number; state: DeliveryState | null; nextAt: number | null };
  const inRange = prepared<Candidate, [number, number, number, number]>(
    database,
    `SELECT e.seq, d.state, d.next_at AS nextAt FROM webhook_endpoints AS p
     JOIN (SELECT * FROM events WHERE seq > ?2 ORDER BY seq LIMIT +?4) AS e
     LEFT JOIN webhook_deliveries AS d ON d.endpoint = p.seq AND d.event = e.seq
     WHERE p.seq = ?1 AND e.at <= ?3 AND ${isWanted}
       AND (e.owner = p.owner OR (e.owner IS NULL AND ${seesInstallation("(SELECT id FROM workspaces WHERE seq = p.owner)")}))
     ORDER BY e.seq`,
  );
  const lastLookedAt = prepared<{ seq: number | null; n: number }, [number, number]>(
    database,
    "SELECT max(seq) AS seq, count(*) AS n FROM (SELECT seq FROM events WHERE seq > ? ORDER BY seq LIMIT +?)",
  );
  const upsert = prepared(
    database,
    `INSERT INTO webhook_deliveries (endpoint, event, state, next_at, tries, attempts) VALUES (?, ?, 'pending', ?, 0, '[]')
     ON CONFLICT DO UPDATE SET state = 'pending', next_at = excluded.next_at, tries = 0`,
  );

  function shown(endpoint: EndpointRow, eventId: number): Delivery | null {
    const row = one.get(endpoint.seq, eventId);
    return row === null ? null : storedDelivery(endpoint, row);
  }

  function test(workspaceId: WorkspaceId, endpointId: string, at: number): Delivery | null {
    const row = rows.find(workspaceId, endpointId);
    if (row === null) return null;
    const underWay = askedFor.all(row.seq).find(({ isTest }) => isTest === 1);
    if (underWay !== undefined) return shown(row, underWay.event);
    events.append({ type: testType, workspaceId, at, data: { endpointId } });
    events.flush();
    const eventId = lastTold.get()!.seq;
    put.run(row.seq, eventId, at);
    return shown(row, eventId);
  }

  /** The first event that is not older, or one past the last. */
  function firstSince(at: number): number {
    let [low, high] = [0, (lastEvent.get()?.seq ?? 0) + 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      const event = eventAt.get(middle);
      if (event === null || event.at >= at) high = middle;
      else low = event.seq + 1;
    }
    return low;
  }

  function replayRange({ workspaceId, endpointId, from, to, includesDelivered, after, limit, at }: ReplayRequest) {
    const row = rows.find(workspaceId, endpointId);
    if (row === null) return { replayed: 0, next: null };
    const start = after ?? firstSince(from) - 1;
    const end = firstSince(to + 1);
    const looked = lastLookedAt.get(start, limit);
    const meant = inRange
      .all(row.seq, start, to, limit)
      .filter(({ state, nextAt }) => isReplayed(state && { state, nextAt }, { includesDelivered, at }));
    for (const { seq } of meant) upsert.run(row.seq, seq, at);
    if (meant.length > 0) rows.noteDue(row.seq);
    const isDone = looked === null || looked.seq === null || looked.n < limit || looked.seq >= end;
    return { replayed: meant.length, next: isDone ? null : looked.seq };
  }

  return {
    delivery: async (workspaceId, endpointId, eventId) => {
      const row = rows.find(workspaceId, endpointId);
      return row === null ? null : shown(row, eventId);
    },
    test: (workspaceId, endpointId, at) => writer.write(() => test(workspaceId, endpointId, at)),
    replay: (workspaceId, endpointId, eventId, { at, maxOnDemand }) =>
      writer.write(() => {
        const row = rows.find(workspaceId, endpointId);
        const before = row && rows.delivery(row.seq, eventId);
        if (row === null || before === null) return null;
        const others = askedFor.all(row.seq).filter(({ event }) => event !== eventId).length;
        rows.writeDelivery(row.seq, eventId, replayedDelivery(before, others, { at, maxOnDemand }));
        rows.noteDue(row.seq);
        return shown(row, eventId);
      }),
    replayRange: (request) => writer.write(() => replayRange(request)),
  };
}
