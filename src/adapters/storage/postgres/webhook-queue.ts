import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lte, min, or, sql } from "drizzle-orm";
import type { Settlement } from "../../../features/webhooks/change-model.ts";
import { decideSettlements } from "../../../features/webhooks/decisions.ts";
import { testType, type DueDelivery } from "../../../features/webhooks/model.ts";
import type { WebhookStore } from "../../../features/webhooks/store.ts";
import type { NewEvent } from "../../../platform/events/model.ts";
import type { Connection, Engine } from "./engine.ts";
import type { EventLog } from "./event-log.ts";
import { lockPosition, movePosition } from "./event-numbers.ts";
import { appendEvents, eventColumns } from "./event-rows.ts";
import { decideLoaded, NamedFacts } from "./loaded.ts";
import { events, workspaces } from "./tables.ts";
import {
  findDelivery,
  isActive,
  isMeantFor,
  isWanted,
  noteDue,
  rowOf,
  selectEndpoints,
  shownEndpoint,
  writeDelivery,
  writeEndpoint,
} from "./webhook-rows.ts";
import { webhookDeliveries, webhookEndpoints } from "./webhook-tables.ts";

/** What the deliverer works with. */
export function createWebhookQueue(
  { orm, transact }: Engine,
  log: EventLog,
): Pick<
  WebhookStore,
  "fanOut" | "dueEndpoints" | "due" | "onDemandEndpoints" | "nextOnDemand" | "nextDueAt" | "settle"
> {
  const isDueAt = (at: ReturnType<typeof lte>, areFailing: boolean) =>
    and(
      isActive,
      areFailing ? gt(webhookEndpoints.failures, 0) : eq(webhookEndpoints.failures, 0),
      isNotNull(webhookEndpoints.dueAt),
      at,
    );

  const selectDue = () =>
    orm
      .select({ tries: webhookDeliveries.tries, event: eventColumns })
      .from(webhookDeliveries)
      .innerJoin(webhookEndpoints, eq(webhookEndpoints.seq, webhookDeliveries.endpoint))
      .innerJoin(events, eq(events.position, webhookDeliveries.event))
      .leftJoin(workspaces, eq(workspaces.seq, events.owner));

  return {
    async fanOut(now, limit) {
      const [active] = await orm.select({ seq: webhookEndpoints.seq }).from(webhookEndpoints).where(isActive).limit(1);
      if (active === undefined) return null;
      await log.numberPending();
      return transact((connection) => fanOut(connection, now, limit));
    },
    dueEndpoints: async ({ areFailing, now, limit }) =>
      (
        await selectEndpoints(orm)
          .where(isDueAt(lte(webhookEndpoints.dueAt, now), areFailing))
          .orderBy(asc(webhookEndpoints.dueAt))
          .limit(limit)
      ).map((found) => shownEndpoint(rowOf(found))),
    due: (endpointId, now, limit): Promise<DueDelivery[]> =>
      selectDue()
        .where(and(eq(webhookEndpoints.id, endpointId), lte(webhookDeliveries.nextAt, now)))
        .orderBy(asc(webhookDeliveries.nextAt), asc(webhookDeliveries.event))
        .limit(limit),
    onDemandEndpoints: async (limit) => {
      const asked = orm
        .select({ endpoint: webhookDeliveries.endpoint, since: min(webhookDeliveries.askedAt).as("since") })
        .from(webhookDeliveries)
        .where(isNotNull(webhookDeliveries.askedAt))
        .groupBy(webhookDeliveries.endpoint)
        .as("asked");
      const found = await selectEndpoints(orm)
        .innerJoin(asked, eq(asked.endpoint, webhookEndpoints.seq))
        .where(isActive)
        .orderBy(asc(asked.since))
        .limit(limit);
      return found.map((each) => shownEndpoint(rowOf(each)));
    },
    nextOnDemand: async (endpointId) => {
      const [next] = await selectDue()
        .where(and(eq(webhookEndpoints.id, endpointId), isNotNull(webhookDeliveries.askedAt)))
        .orderBy(desc(eq(events.type, testType)), asc(webhookDeliveries.askedAt), asc(webhookDeliveries.event))
        .limit(1);
      return next ?? null;
    },
    nextDueAt: async (now) => {
      const moments = await Promise.all(
        [true, false].map((areFailing) =>
          orm
            .select({ at: min(webhookEndpoints.dueAt) })
            .from(webhookEndpoints)
            .where(isDueAt(gt(webhookEndpoints.dueAt, now), areFailing)),
        ),
      );
      const found = moments.flatMap(([row]) => row?.at ?? []);
      return found.length === 0 ? null : Math.min(...found);
    },
    settle: (settlements) => transact((connection) => settle(connection, settlements)),
  };
}

async function fanOut(connection: Connection, now: number, limit: number): Promise<number> {
  const from = await lockPosition(connection, "webhooks");
  const next = await connection
    .select({ position: events.position })
    .from(events)
    .where(gt(events.position, from))
    .orderBy(asc(events.position))
    .limit(limit);
  const to = next.at(-1)?.position ?? null;
  if (to === null) return 0;
  const inRange = and(gt(events.position, from), lte(events.position, to), gt(events.position, webhookEndpoints.since));
  const told = await connection
    .select({ endpoint: webhookEndpoints.seq, event: sql<number>`${events.position}` })
    .from(events)
    .innerJoin(webhookEndpoints, and(isActive, isWanted))
    .innerJoin(workspaces, eq(workspaces.seq, webhookEndpoints.owner))
    .where(and(inRange, isMeantFor(connection)))
    .orderBy(asc(webhookEndpoints.seq), asc(events.position));
  await insertPending(connection, told, now);
  const endpoints = [...new Set(told.map(({ endpoint }) => endpoint))];
  const dueAt = sql`greatest(${now}::bigint, ${webhookEndpoints.restsUntil})`;
  if (endpoints.length > 0)
    await connection
      .update(webhookEndpoints)
      .set({ dueAt })
      .where(
        and(
          inArray(webhookEndpoints.seq, endpoints),
          or(isNull(webhookEndpoints.dueAt), gt(webhookEndpoints.dueAt, dueAt)),
        ),
      );
  await movePosition(connection, "webhooks", to);
  return next.length;
}

/** Far below the number of parameters that a statement can have. */
const deliveriesAtOnce = 5_000;

/** Queues deliveries that do not exist yet, and queues existing ones again. */
export async function insertPending(
  connection: Connection,
  deliveries: readonly { endpoint: number; event: number }[],
  nextAt: number,
): Promise<void> {
  for (let from = 0; from < deliveries.length; from += deliveriesAtOnce)
    await connection
      .insert(webhookDeliveries)
      .values(
        deliveries
          .slice(from, from + deliveriesAtOnce)
          .map((delivery) => ({ ...delivery, state: "pending" as const, nextAt, tries: 0, attempts: [] })),
      )
      .onConflictDoUpdate({
        target: [webhookDeliveries.endpoint, webhookDeliveries.event],
        set: { state: "pending", nextAt, tries: 0 },
      });
}

async function settle(connection: Connection, settlements: readonly Settlement[]): Promise<void> {
  const appended: NewEvent[] = [];
  // In the order of their IDs, so that two nodes do not wait for each other.
  const byEndpoint = [...Map.groupBy(settlements, ({ endpointId }) => endpointId)].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  );
  for (const [endpointId, own] of byEndpoint) {
    const [found] = await selectEndpoints(connection)
      .where(and(eq(webhookEndpoints.id, endpointId), eq(webhookEndpoints.isDeleted, false)))
      .for("update", { of: webhookEndpoints });
    if (found === undefined) continue;
    const { seq, endpoint } = rowOf(found);
    const facts = new NamedFacts();
    const deliveryOf = (eventId: number) => facts.get(`${eventId}`, () => findDelivery(connection, seq, eventId));
    const { changes } = await decideLoaded(() => decideSettlements(endpoint, own, deliveryOf), facts);
    for (const change of changes)
      if (change.kind === "delivery") await writeDelivery(connection, seq, change.eventId, change.delivery);
      else if (change.kind === "endpoint") await writeEndpoint(connection, seq, change.endpoint);
      else appended.push(change.event);
    await noteDue(connection, seq);
  }
  await appendEvents(connection, appended);
}
