import { and, asc, eq, gt, gte, isNotNull, lte, ne, sql, count } from "drizzle-orm";
import { isReplayed, replayedDelivery } from "../../../features/webhooks/decisions.ts";
import { testType, type Delivery } from "../../../features/webhooks/model.ts";
import type { ReplayRequest, WebhookStore } from "../../../features/webhooks/store.ts";
import type { Connection, Engine } from "./engine.ts";
import type { EventLog } from "./event-log.ts";
import { appendNumbered } from "./event-numbers.ts";
import { events, workspaces } from "./tables.ts";
import { insertPending } from "./webhook-queue.ts";
import {
  deliveriesOf,
  findDelivery,
  findEndpoint,
  isMeantFor,
  isWanted,
  noteDue,
  writeDelivery,
  type EndpointRow,
} from "./webhook-rows.ts";
import { webhookDeliveries, webhookEndpoints } from "./webhook-tables.ts";

/** Single deliveries, and replays of earlier ones. */
export function createWebhookReplays(
  { orm, transact }: Engine,
  log: EventLog,
): Pick<WebhookStore, "delivery" | "test" | "replay" | "replayRange"> {
  return {
    delivery: async (workspaceId, endpointId, eventId) => {
      const row = await findEndpoint(orm, workspaceId, endpointId);
      return row === null ? null : shown(orm, row, eventId);
    },
    test: (workspaceId, endpointId, at) =>
      transact(async (connection) => {
        const row = await findEndpoint(connection, workspaceId, endpointId, { isLocked: true });
        if (row === null) return null;
        const [underWay] = await connection
          .select({ event: webhookDeliveries.event })
          .from(webhookDeliveries)
          .innerJoin(events, eq(events.position, webhookDeliveries.event))
          .where(and(isAsked(row.seq), eq(events.type, testType)))
          .limit(1);
        if (underWay !== undefined) return shown(connection, row, underWay.event);
        const event = await appendNumbered(connection, { type: testType, workspaceId, at, data: { endpointId } });
        const asked = { state: "pending" as const, askedAt: at, tries: 0, attempts: [] };
        await connection.insert(webhookDeliveries).values({ endpoint: row.seq, event, ...asked });
        return shown(connection, row, event);
      }),
    replay: (workspaceId, endpointId, eventId, { at, maxOnDemand }) =>
      transact(async (connection) => {
        const row = await findEndpoint(connection, workspaceId, endpointId, { isLocked: true });
        const before = row && (await findDelivery(connection, row.seq, eventId));
        if (row === null || before === null) return null;
        const [others] = await connection
          .select({ n: count() })
          .from(webhookDeliveries)
          .where(and(isAsked(row.seq), ne(webhookDeliveries.event, eventId)));
        const replayed = replayedDelivery(before, others?.n ?? 0, { at, maxOnDemand });
        await writeDelivery(connection, row.seq, eventId, replayed);
        await noteDue(connection, row.seq);
        return shown(connection, row, eventId);
      }),
    replayRange: async (request) => {
      await log.numberPending();
      return transact((connection) => replayRange(connection, request));
    },
  };
}

async function shown(connection: Connection, row: EndpointRow, eventId: number): Promise<Delivery | null> {
  const [delivery] = await deliveriesOf(connection, row, eq(webhookDeliveries.event, eventId), 1);
  return delivery ?? null;
}

const isAsked = (seq: number) => and(eq(webhookDeliveries.endpoint, seq), isNotNull(webhookDeliveries.askedAt));

async function replayRange(
  connection: Connection,
  { workspaceId, endpointId, from, to, includesDelivered, after, limit, at }: ReplayRequest,
): Promise<{ replayed: number; next: number | null }> {
  const row = await findEndpoint(connection, workspaceId, endpointId, { isLocked: true });
  if (row === null) return { replayed: 0, next: null };
  const start = after ?? (await firstSince(connection, from)) - 1;
  const end = await firstSince(connection, to + 1);
  const looked = await connection
    .select({ position: events.position })
    .from(events)
    .where(gt(events.position, start))
    .orderBy(asc(events.position))
    .limit(limit);
  const last = looked.at(-1)?.position ?? null;
  if (last === null) return { replayed: 0, next: null };
  const candidates = await connection
    .select({
      event: sql<number>`${events.position}`,
      state: webhookDeliveries.state,
      nextAt: webhookDeliveries.nextAt,
    })
    .from(events)
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.seq, row.seq))
    .innerJoin(workspaces, eq(workspaces.seq, webhookEndpoints.owner))
    .leftJoin(
      webhookDeliveries,
      and(eq(webhookDeliveries.endpoint, row.seq), eq(webhookDeliveries.event, events.position)),
    )
    .where(
      and(gt(events.position, start), lte(events.position, last), lte(events.at, to), isWanted, isMeantFor(connection)),
    )
    .orderBy(asc(events.position));
  const meant = candidates.filter(({ state, nextAt }) =>
    isReplayed(state && { state, nextAt }, { includesDelivered, at }),
  );
  await insertPending(
    connection,
    meant.map(({ event }) => ({ endpoint: row.seq, event })),
    at,
  );
  if (meant.length > 0) await noteDue(connection, row.seq);
  const isDone = looked.length < limit || last >= end;
  return { replayed: meant.length, next: isDone ? null : last };
}

/**
 * The position of the first event that is not older, or one past the last. Binary search, because times follow the order
 * of positions; after a clock was set back, a time occurs twice, and one of the two is close enough.
 */
async function firstSince(connection: Connection, at: number): Promise<number> {
  const [latest] = await connection
    .select({ position: sql<number>`coalesce(max(${events.position}), 0)` })
    .from(events)
    .where(isNotNull(events.position));
  let [low, high] = [0, latest!.position + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [event] = await connection
      .select({ position: sql<number>`${events.position}`, at: events.at })
      .from(events)
      .where(gte(events.position, middle))
      .orderBy(asc(events.position))
      .limit(1);
    if (event === undefined || event.at >= at) high = middle;
    else low = event.position + 1;
  }
  return low;
}
