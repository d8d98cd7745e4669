import { and, count, desc, eq, inArray, lt } from "drizzle-orm";
import { changedEndpoint, rotatedEndpoint } from "../../../features/webhooks/decisions.ts";
import type { DeliveryPageRequest, WebhookStore } from "../../../features/webhooks/store.ts";
import type { Connection, Engine } from "./engine.ts";
import type { EventLog } from "./event-log.ts";
import { lastPosition, lockPosition, movePosition } from "./event-numbers.ts";
import { countRows } from "./list-pages.ts";
import { events, workspaces } from "./tables.ts";
import { createWebhookQueue } from "./webhook-queue.ts";
import { createWebhookReplays } from "./webhook-replays.ts";
import {
  deliveriesOf,
  findEndpoint,
  isActive,
  noteDue,
  rowOf,
  selectEndpoints,
  shownEndpoint,
  writeEndpoint,
  type EndpointRow,
} from "./webhook-rows.ts";
import { webhookDeliveries, webhookEndpoints } from "./webhook-tables.ts";

export function createWebhookStore(engine: Engine, log: EventLog): WebhookStore {
  const { orm, transact } = engine;

  /** Runs with the endpoint locked; null if it does not exist. */
  function change<T>(
    workspaceId: string,
    id: string,
    work: (connection: Connection, row: EndpointRow) => Promise<T>,
  ): Promise<T | null> {
    return transact(async (connection) => {
      const row = await findEndpoint(connection, workspaceId, id, { isLocked: true });
      return row === null ? null : work(connection, row);
    });
  }

  const shownAgain = async (connection: Connection, { endpoint }: EndpointRow) =>
    shownEndpoint((await findEndpoint(connection, endpoint.workspaceId, endpoint.id))!);

  return {
    insert: async (endpoint, max) => {
      await log.numberPending();
      return transact(async (connection) => {
        const { workspaceId, ...content } = endpoint;
        // Locked, so that concurrent requests count each other's endpoints.
        const [workspace] = await connection
          .select({ seq: workspaces.seq })
          .from(workspaces)
          .where(eq(workspaces.id, workspaceId))
          .for("no key update");
        if (workspace === undefined) throw new Error(`Expected workspace ${workspaceId} to exist`);
        const owner = workspace.seq;
        const [own] = await connection
          .select({ n: count() })
          .from(webhookEndpoints)
          .where(and(eq(webhookEndpoints.owner, owner), eq(webhookEndpoints.isDeleted, false)));
        if ((own?.n ?? 0) >= max) return false;
        const since = await beginning(connection);
        await connection.insert(webhookEndpoints).values({ ...content, owner, since });
        return true;
      });
    },
    get: async (workspaceId, id) => {
      const row = await findEndpoint(orm, workspaceId, id);
      return row === null ? null : shownEndpoint(row);
    },
    list: async (workspaceId, limit) =>
      (
        await selectEndpoints(orm)
          .where(and(eq(workspaces.id, workspaceId), eq(webhookEndpoints.isDeleted, false)))
          .orderBy(desc(webhookEndpoints.createdAt), desc(webhookEndpoints.seq))
          .limit(limit)
      ).map((found) => shownEndpoint(rowOf(found))),
    update: async (workspaceId, id, request) => {
      await log.numberPending();
      return change(workspaceId, id, async (connection, row) => {
        const { endpoint, isTurnedOn, isRetried } = changedEndpoint(row.endpoint, request);
        if (isTurnedOn)
          await connection
            .update(webhookEndpoints)
            .set({ since: await beginning(connection) })
            .where(eq(webhookEndpoints.seq, row.seq));
        await writeEndpoint(connection, row.seq, endpoint);
        if (isRetried) await noteDue(connection, row.seq);
        return shownAgain(connection, row);
      });
    },
    rotate: (workspaceId, id, request) =>
      change(workspaceId, id, async (connection, row) => {
        await writeEndpoint(connection, row.seq, rotatedEndpoint(row.endpoint, request));
        return shownAgain(connection, row);
      }),
    remove: async (workspaceId, id) => {
      const removed = await change(workspaceId, id, async (connection, { seq }) => {
        const nothing = { isEnabled: false, secret: "", oldSecret: null, description: null, url: "", dueAt: null };
        await connection
          .update(webhookEndpoints)
          .set({ ...nothing, isDeleted: true })
          .where(eq(webhookEndpoints.seq, seq));
        return true;
      });
      return removed !== null;
    },
    sweep: (limit) =>
      transact(async (connection) => {
        const [deleted] = await connection
          .select({ seq: webhookEndpoints.seq })
          .from(webhookEndpoints)
          .where(eq(webhookEndpoints.isDeleted, true))
          .limit(1)
          .for("update", { skipLocked: true });
        if (deleted === undefined) return false;
        const isOwn = eq(webhookDeliveries.endpoint, deleted.seq);
        const some = connection
          .select({ event: webhookDeliveries.event })
          .from(webhookDeliveries)
          .where(isOwn)
          .limit(limit);
        const removed = await connection
          .delete(webhookDeliveries)
          .where(and(isOwn, inArray(webhookDeliveries.event, some)))
          .returning({ event: webhookDeliveries.event });
        if (removed.length < limit)
          await connection.delete(webhookEndpoints).where(eq(webhookEndpoints.seq, deleted.seq));
        return true;
      }),
    async deliveries({ workspaceId, endpointId, before, limit, ...filter }) {
      const row = await findEndpoint(orm, workspaceId, endpointId);
      if (row === null) return [];
      const range = before === null ? undefined : lt(webhookDeliveries.event, before);
      return deliveriesOf(orm, row, and(isDeliveryOf(row.seq, filter), range), limit);
    },
    async countDeliveries({ workspaceId, endpointId, ...filter }) {
      const row = await findEndpoint(orm, workspaceId, endpointId);
      if (row === null) return 0;
      const found = orm
        .select({ event: webhookDeliveries.event })
        .from(webhookDeliveries)
        .innerJoin(events, eq(events.position, webhookDeliveries.event))
        .where(isDeliveryOf(row.seq, filter));
      return countRows(orm, found.$dynamic());
    },
    ...createWebhookReplays(engine, log),
    ...createWebhookQueue(engine, log),
  };
}

/** The position from which an endpoint receives events that is created or enabled now. */
async function beginning(connection: Connection): Promise<number> {
  const told = await lockPosition(connection, "webhooks");
  const last = await lastPosition(connection);
  const [waiting] = await connection
    .select({ seq: webhookEndpoints.seq })
    .from(webhookEndpoints)
    .where(isActive)
    .limit(1);
  // No endpoint was waiting for the events in between, so they are skipped.
  if (waiting === undefined && last > told) await movePosition(connection, "webhooks", last);
  return last;
}

function isDeliveryOf(seq: number, { state, types }: Pick<DeliveryPageRequest, "state" | "types">) {
  return and(
    eq(webhookDeliveries.endpoint, seq),
    state === null ? undefined : eq(webhookDeliveries.state, state),
    types === null ? undefined : inArray(events.type, [...types]),
  );
}
