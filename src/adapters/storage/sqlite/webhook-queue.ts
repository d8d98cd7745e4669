import type { Settlement } from "../../../features/webhooks/change-model.ts";
import { decideSettlements, type WebhookChange } from "../../../features/webhooks/decisions.ts";
import { testType } from "../../../features/webhooks/model.ts";
import type { WebhookStore } from "../../../features/webhooks/store.ts";
import type { EventRows } from "./event-rows.ts";
import type { Engine } from "./engine.ts";
import { prepared } from "./prepared.ts";
import { isWanted } from "./webhook-replays.ts";
import {
  dueDelivery,
  seesInstallation,
  selectDue,
  selectEndpoint,
  storedEndpoint,
  storedRow,
  type DueRow,
  type EndpointRow,
  type EndpointRows,
} from "./webhook-rows.ts";

const isActive = "p.is_enabled = 1 AND p.is_deleted = 0";

/** What the deliverer works with. */
export function createWebhookQueue(
  { database, writer }: Engine,
  rows: EndpointRows,
  events: EventRows,
): Pick<
  WebhookStore,
  "fanOut" | "dueEndpoints" | "due" | "onDemandEndpoints" | "nextOnDemand" | "nextDueAt" | "settle"
> {
  const someActive = prepared(database, `SELECT 1 FROM webhook_endpoints AS p WHERE ${isActive} LIMIT 1`);
  const position = prepared<{ event: number }, []>(database, "SELECT event FROM webhook_position");
  const last = prepared<{ seq: number | null; n: number }, [number, number]>(
    database,
    "SELECT max(seq) AS seq, count(*) AS n FROM (SELECT seq FROM events WHERE seq > ? ORDER BY seq LIMIT +?)",
  );
  const moveOn = prepared(database, "UPDATE webhook_position SET event = ?");
  const insertFor = (join: string) =>
    prepared<{ endpoint: number }, [number, number, number]>(
      database,
      `INSERT INTO webhook_deliveries (endpoint, event, state, next_at, tries, attempts)
       SELECT p.seq, e.seq, 'pending', ?3, 0, '[]' FROM events AS e ${join} JOIN webhook_endpoints AS p ON p.owner = u.seq
       WHERE e.seq > ?1 AND e.seq <= ?2 AND ${isActive} AND e.seq > p.since AND ${isWanted} RETURNING endpoint`,
    );
  const insertOwn = insertFor("CROSS JOIN workspaces AS u ON u.seq = e.owner");
  const insertGlobal = insertFor(`CROSS JOIN workspaces AS u ON e.owner IS NULL AND ${seesInstallation("u.id")}`);
  const isDue = prepared(
    database,
    `UPDATE webhook_endpoints SET due_at = max(?2, rests_until) WHERE seq = ?1 AND (due_at IS NULL OR due_at > max(?2, rests_until))`,
  );

  const dueOf = (failures: string) =>
    prepared<EndpointRow, [number, number]>(
      database,
      `${selectEndpoint} WHERE ${isActive} AND p.failures ${failures} AND p.due_at IS NOT NULL AND p.due_at <= +?
       ORDER BY p.due_at LIMIT +?`,
    );
  const dueWorking = dueOf("= 0");
  const dueFailing = dueOf("> 0");
  const seqOf = prepared<{ seq: number }, [string]>(database, "SELECT seq FROM webhook_endpoints WHERE id = ?");
  const dueDeliveries = prepared<DueRow, [number, number, number]>(
    database,
    `${selectDue} WHERE d.endpoint = ? AND d.next_at IS NOT NULL AND d.next_at <= +? ORDER BY d.next_at, d.event LIMIT +?`,
  );
  const askedOf = prepared<EndpointRow, [number]>(
    database,
    `${selectEndpoint} JOIN (SELECT endpoint, min(asked_at) AS since FROM webhook_deliveries WHERE asked_at IS NOT NULL GROUP BY endpoint)
       AS asked ON asked.endpoint = p.seq WHERE ${isActive} ORDER BY asked.since LIMIT +?`,
  );
  const askedDelivery = prepared<DueRow, [number]>(
    database,
    `${selectDue} WHERE d.endpoint = ? AND d.asked_at IS NOT NULL
     ORDER BY e.type = '${testType}' DESC, d.asked_at, d.event LIMIT 1`,
  );
  const nextOf = (failures: string) =>
    prepared<{ at: number }, [number]>(
      database,
      `SELECT p.due_at AS at FROM webhook_endpoints AS p WHERE ${isActive} AND p.failures ${failures} AND p.due_at IS NOT NULL
       AND p.due_at > +? ORDER BY p.due_at LIMIT 1`,
    );
  const nextDue = [nextOf("= 0"), nextOf("> 0")];

  function fanOut(now: number, limit: number): number {
    const from = position.get()?.event ?? 0;
    const { seq: to, n } = last.get(from, limit) ?? { seq: null, n: 0 };
    if (to === null) return 0;
    const told = new Set(
      [...insertOwn.all(from, to, now), ...insertGlobal.all(from, to, now)].map(({ endpoint }) => endpoint),
    );
    for (const endpoint of told) isDue.run(endpoint, now);
    moveOn.run(to);
    return n;
  }

  function write(seq: number, change: WebhookChange): void {
    switch (change.kind) {
      case "delivery":
        return rows.writeDelivery(seq, change.eventId, change.delivery);
      case "endpoint":
        return rows.write(seq, change.endpoint);
      case "event":
        return events.append(change.event);
    }
  }

  function settle(settlements: readonly Settlement[]): void {
    for (const [endpointId, own] of Map.groupBy(settlements, (each) => each.endpointId)) {
      const row = rows.ofAnyUser(endpointId);
      if (row === null) continue;
      const { seq } = row;
      const { changes } = decideSettlements(storedRow(row), own, (eventId) => rows.delivery(seq, eventId));
      for (const change of changes) write(seq, change);
      rows.noteDue(seq);
    }
  }

  return {
    fanOut: async (now, limit) => (someActive.get() === null ? null : writer.write(() => fanOut(now, limit))),
    dueEndpoints: async ({ areFailing, now, limit }) =>
      (areFailing ? dueFailing : dueWorking).all(now, limit).map(storedEndpoint),
    due: async (endpointId, now, limit) => {
      const seq = seqOf.get(endpointId)?.seq;
      if (seq === undefined) return [];
      return dueDeliveries.all(seq, now, limit).map(dueDelivery);
    },
    onDemandEndpoints: async (limit) => askedOf.all(limit).map(storedEndpoint),
    nextOnDemand: async (endpointId) => {
      const seq = seqOf.get(endpointId)?.seq;
      const row = seq === undefined ? null : askedDelivery.get(seq);
      return row === null ? null : dueDelivery(row);
    },
    nextDueAt: async (now) => {
      const moments = nextDue.flatMap((statement) => statement.get(now)?.at ?? []);
      return moments.length === 0 ? null : Math.min(...moments);
    },
    settle: (settlements) => writer.write(() => settle(settlements)),
  };
}
