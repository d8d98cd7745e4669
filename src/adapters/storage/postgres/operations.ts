import { and, eq, gt, max, ne, sql, type AnyColumn, type SQL } from "drizzle-orm";
import type { MaintenanceState } from "../../../platform/operations/model.ts";
import type { OperationsStore } from "../../../platform/operations/store.ts";
import { serverState } from "./access-tables.ts";
import { appendAudit } from "./audit.ts";
import { campaignEnrollments } from "./campaign-tables.ts";
import type { Connection, Engine } from "./engine.ts";
import { networkAccounts, networkActions, networkMeters } from "./network-tables.ts";
import { invitations, sessions, signInLinks } from "./people-tables.ts";
import { jobs } from "./tables.ts";
import { webhookDeliveries, webhookEndpoints } from "./webhook-tables.ts";

export function createOperationsStore({ orm, transact }: Engine): OperationsStore {
  return {
    latestTime: () => latestTime(orm),
    keepTime: async (at) => {
      const isLater = sql`${serverState.value} < to_jsonb(${at}::bigint)`;
      await orm
        .insert(serverState)
        .values({ name: "clock", value: at })
        .onConflictDoUpdate({ target: serverState.name, set: { value: at }, setWhere: isLater });
    },
    maintenance: async () => ((await read(orm, "maintenance")) ?? null) as MaintenanceState | null,
    setMaintenance: (state, audit) =>
      transact(async (connection) => {
        if (state === null) await connection.delete(serverState).where(eq(serverState.name, "maintenance"));
        else await write(connection, "maintenance", state);
        await appendAudit(connection, [audit]);
      }),
    acceptTime: (now, audit) =>
      transact(async (connection) => {
        const aheadMs = Math.max(0, ((await latestTime(connection)) ?? now) - now);
        const counted = await connection
          .update(networkActions)
          .set({ carriedOutAt: sql`coalesce(${networkActions.carriedOutAt}, ${networkActions.slotAt})`, slotAt: now })
          .where(and(eq(networkActions.used, 1), gt(networkActions.slotAt, now)))
          .returning({ seq: networkActions.seq });
        await moveBack(connection, now, aheadMs);
        await connection.update(networkMeters).set({ frontierAt: null, freeAt: null });
        const queueVersion = sql`${networkAccounts.queueVersion} + 1`;
        await connection.update(networkAccounts).set({ needsPlan: true, queueVersion });
        await write(connection, "clock", now);
        const actions = counted.length;
        await appendAudit(connection, [{ ...audit, details: { ...audit.details, actions } }]);
        return { actions };
      }),
  };
}

async function latestTime(connection: Connection): Promise<number | null> {
  const [used] = await connection
    .select({ at: max(networkActions.slotAt) })
    .from(networkActions)
    .where(eq(networkActions.used, 1));
  const clock = (await read(connection, "clock")) as number | undefined;
  const moments = [clock ?? null, used?.at ?? null].filter((at) => at !== null);
  return moments.length === 0 ? null : Math.max(...moments);
}

/** Rows that were written while the clock was ahead have an `updatedAt` or `createdAt` that has not come yet. */
async function moveBack(connection: Connection, now: number, aheadMs: number): Promise<void> {
  const earlier = (column: AnyColumn): SQL => sql`greatest(${now}::bigint, ${column} - ${aheadMs}::bigint)`;
  await connection
    .update(networkActions)
    .set({ notBefore: earlier(networkActions.notBefore) })
    .where(and(eq(networkActions.used, 0), gt(networkActions.updatedAt, now), gt(networkActions.notBefore, now)));
  await connection
    .update(networkMeters)
    .set({ coolUntil: sql`${networkMeters.coolUntil} - (${networkMeters.coolSince} - ${now}::bigint)`, coolSince: now })
    .where(gt(networkMeters.coolSince, now));
  const wasChanged = gt(jobs.updatedAt, now);
  await connection
    .update(jobs)
    .set({ runAt: earlier(jobs.runAt) })
    .where(and(eq(jobs.status, "pending"), gt(jobs.runAt, now), wasChanged, ne(jobs.type, "linkedin_action")));
  await connection
    .update(jobs)
    .set({ leaseUntil: earlier(jobs.leaseUntil) })
    .where(and(eq(jobs.status, "running"), gt(jobs.leaseUntil, now), wasChanged));
  await connection
    .update(campaignEnrollments)
    .set({ wakeAt: earlier(campaignEnrollments.wakeAt) })
    .where(and(gt(campaignEnrollments.wakeAt, now), gt(campaignEnrollments.updatedAt, now)));
  await connection.update(webhookDeliveries).set({ nextAt: now }).where(gt(webhookDeliveries.nextAt, now));
  const atMost = (column: AnyColumn): SQL => sql`least(${column}, ${now}::bigint)`;
  await connection.update(webhookEndpoints).set({
    // Not `least` alone, which ignores that nothing is due.
    dueAt: sql`CASE WHEN ${webhookEndpoints.dueAt} IS NULL THEN NULL ELSE ${atMost(webhookEndpoints.dueAt)} END`,
    restsUntil: atMost(webhookEndpoints.restsUntil),
  });
  for (const table of [sessions, signInLinks, invitations])
    await connection.delete(table).where(gt(table.createdAt, now));
}

type StateName = (typeof serverState.$inferSelect)["name"];

async function read(connection: Connection, name: StateName): Promise<unknown> {
  const [row] = await connection
    .select({ value: serverState.value })
    .from(serverState)
    .where(eq(serverState.name, name));
  return row?.value;
}

async function write(connection: Connection, name: StateName, value: unknown): Promise<void> {
  await connection
    .insert(serverState)
    .values({ name, value })
    .onConflictDoUpdate({ target: serverState.name, set: { value } });
}
