import { and, desc, eq, exists, inArray, isNotNull, or, sql, type SQL } from "drizzle-orm";
import type { StoredDelivery, StoredEndpoint } from "../../../features/webhooks/change-model.ts";
import { shownNextAt } from "../../../features/webhooks/decisions.ts";
import { testType, type Delivery, type Endpoint } from "../../../features/webhooks/model.ts";
import type { Event } from "../../../platform/events/model.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import type { Connection } from "./engine.ts";
import { eventColumns } from "./event-rows.ts";
import { events, members, users, workspaces } from "./tables.ts";
import { webhookDeliveries, webhookEndpoints } from "./webhook-tables.ts";

/** An endpoint with its number and that of its workspace. */
export type EndpointRow = { seq: number; owner: number; endpoint: StoredEndpoint };

export const isActive = and(eq(webhookEndpoints.isEnabled, true), eq(webhookEndpoints.isDeleted, false));

/** Whether the endpoint receives events of this type. */
export const isWanted: SQL = sql`(${webhookEndpoints.types} IS NULL
  OR jsonb_exists(${webhookEndpoints.types}, ${events.type})
  OR jsonb_exists(${webhookEndpoints.types}, split_part(${events.type}, '.', 1) || '.*')) AND ${events.type} <> ${testType}`;

/** Whether events of the installation concern the workspace of the endpoint: an admin of the installation manages it. */
export function seesInstallation(connection: Connection) {
  const managers = connection
    .select({ id: members.userId })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(
      and(
        eq(members.workspaceId, workspaces.id),
        inArray(members.role, ["owner", "admin"]),
        eq(members.isActive, true),
        eq(users.role, "admin"),
        eq(users.isActive, true),
      ),
    );
  return exists(managers);
}

/** Endpoints with their workspaces. */
export function selectEndpoints(connection: Connection) {
  return connection
    .select({ row: webhookEndpoints, workspaceId: workspaces.id })
    .from(webhookEndpoints)
    .innerJoin(workspaces, eq(workspaces.seq, webhookEndpoints.owner))
    .$dynamic();
}

export function rowOf({ row, workspaceId }: EndpointSelection): EndpointRow {
  const { seq, owner, since: _since, dueAt: _dueAt, isDeleted: _isDeleted, ...content } = row;
  return { seq, owner, endpoint: { ...content, workspaceId } };
}
type EndpointSelection = { row: typeof webhookEndpoints.$inferSelect; workspaceId: WorkspaceId };

/** Without what only the store and its decisions use. */
export function shownEndpoint({ endpoint }: EndpointRow): Endpoint {
  const { restsUntil: _restsUntil, ...shown } = endpoint;
  return shown;
}

/** An endpoint of the workspace; null if it does not exist. `isLocked`: nobody else changes it until the transaction ends. */
export async function findEndpoint(
  connection: Connection,
  workspaceId: WorkspaceId,
  id: string,
  { isLocked = false } = {},
): Promise<EndpointRow | null> {
  const query = selectEndpoints(connection).where(
    and(eq(webhookEndpoints.id, id), eq(workspaces.id, workspaceId), eq(webhookEndpoints.isDeleted, false)),
  );
  const [found] = await (isLocked ? query.for("update", { of: webhookEndpoints }) : query);
  return found === undefined ? null : rowOf(found);
}

export async function writeEndpoint(connection: Connection, seq: number, endpoint: StoredEndpoint): Promise<void> {
  const { id: _id, workspaceId: _workspaceId, createdAt: _createdAt, ...content } = endpoint;
  await connection.update(webhookEndpoints).set(content).where(eq(webhookEndpoints.seq, seq));
}

/** Notes when the endpoint's earliest pending delivery is due, even if it is disabled or paused. */
export async function noteDue(connection: Connection, seq: number): Promise<void> {
  const earliest = connection
    .select({ at: sql`min(${webhookDeliveries.nextAt})` })
    .from(webhookDeliveries)
    .where(and(eq(webhookDeliveries.endpoint, seq), isNotNull(webhookDeliveries.nextAt)));
  const at = sql`(${earliest})`;
  await connection
    .update(webhookEndpoints)
    .set({ dueAt: sql`CASE WHEN ${at} IS NULL THEN NULL ELSE greatest(${webhookEndpoints.restsUntil}, ${at}) END` })
    .where(eq(webhookEndpoints.seq, seq));
}

export async function findDelivery(
  connection: Connection,
  seq: number,
  eventId: number,
): Promise<StoredDelivery | null> {
  const [row] = await connection.select().from(webhookDeliveries).where(isDelivery(seq, eventId));
  if (row === undefined) return null;
  const { endpoint: _endpoint, event: _event, ...delivery } = row;
  return delivery;
}

export async function writeDelivery(
  connection: Connection,
  seq: number,
  eventId: number,
  delivery: StoredDelivery,
): Promise<void> {
  await connection.update(webhookDeliveries).set(delivery).where(isDelivery(seq, eventId));
}

const isDelivery = (seq: number, eventId: number) =>
  and(eq(webhookDeliveries.endpoint, seq), eq(webhookDeliveries.event, eventId));

function shownDelivery({ endpoint }: EndpointRow, { event, ...delivery }: StoredDelivery & { event: Event }) {
  const { state, nextAt, askedAt, attempts } = delivery;
  const shown: Delivery = {
    endpointId: endpoint.id,
    event,
    state,
    nextAt: shownNextAt(endpoint, { nextAt, askedAt }),
    attempts: [...attempts],
  };
  return shown;
}

/** Events of the endpoint's workspace, or of the installation if they concern it. */
export function isMeantFor(connection: Connection): SQL | undefined {
  return or(eq(events.owner, webhookEndpoints.owner), and(sql`${events.owner} IS NULL`, seesInstallation(connection)));
}

/** Deliveries of an endpoint with their events, newest event first. */
export async function deliveriesOf(
  connection: Connection,
  row: EndpointRow,
  condition: ReturnType<typeof and>,
  limit: number,
): Promise<Delivery[]> {
  const found = await connection
    .select({ delivery: webhookDeliveries, event: eventColumns })
    .from(webhookDeliveries)
    .innerJoin(events, eq(events.position, webhookDeliveries.event))
    .leftJoin(workspaces, eq(workspaces.seq, events.owner))
    .where(and(eq(webhookDeliveries.endpoint, row.seq), condition))
    .orderBy(desc(webhookDeliveries.event))
    .limit(limit);
  return found.map(({ delivery, event }) => shownDelivery(row, { ...delivery, event }));
}
