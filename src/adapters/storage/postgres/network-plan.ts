import { and, asc, desc, eq, gt, isNotNull, sql } from "drizzle-orm";
import { windowMs, windows } from "../../../features/network/account-model.ts";
import { meters, type Meter } from "../../../features/network/meter-model.ts";
import { neverAt } from "../../../features/network/action-model.ts";
import { decisiveUses } from "../../../features/network/governor/limits.ts";
import type { NetworkStore } from "../../../features/network/store.ts";
import { meterCode } from "../meter-code.ts";
import type { Engine } from "./engine.ts";
import { lockAccountById, recordOf } from "./network-accounts.ts";
import { networkAccounts, networkActions, networkMeters } from "./network-tables.ts";
import { jobs } from "./tables.ts";

/** What plans are made from, and their results. */
export function createPlanStore({
  orm,
  transact,
}: Engine): Pick<NetworkStore, "usage" | "planBasis" | "movePlanned" | "endPlan"> {
  const { account, used, slotAt, seq, state } = networkActions;

  return {
    async usage(workspaceId, accountId, now) {
      const ofUser = and(eq(networkAccounts.id, accountId), eq(networkAccounts.workspaceId, workspaceId));
      const [row] = await orm.select({ seq: networkAccounts.seq }).from(networkAccounts).where(ofUser);
      if (row === undefined) return [];
      const questions = meters.flatMap((meter) => windows.map((window) => ({ meter, window })));
      return Promise.all(
        questions.map(async ({ meter, window }) => {
          const length = windowMs[window];
          const isUsed = sql`${used} = 1 AND ${slotAt} > ${now - length}`;
          const isPlanned = sql`${used} = 0 AND ${slotAt} <= ${now + length} AND ${state} <> 'canceled'`;
          const [counts] = await orm
            .select({
              used: sql<number>`count(*) FILTER (WHERE ${isUsed})`,
              oldest: sql<number | null>`min(${slotAt}) FILTER (WHERE ${isUsed})`,
              planned: sql<number>`count(*) FILTER (WHERE ${isPlanned})`,
            })
            .from(networkActions)
            .where(and(eq(account, row.seq), takesFrom(meter)));
          const { oldest = null, ...numbers } = counts ?? { used: 0, planned: 0 };
          return { meter, window, ...numbers, resetsAt: oldest === null ? null : oldest + length };
        }),
      );
    },
    async planBasis(accountId, limit, now, caps) {
      const [row] = await orm.select().from(networkAccounts).where(eq(networkAccounts.id, accountId));
      if (row === undefined) return null;
      const { governed, account: settings } = await recordOf(orm, row);
      const queue = await orm
        .select({
          seq,
          jobId: networkActions.jobId,
          actionType: networkActions.actionType,
          profileUrl: networkActions.profileUrl,
          hasNote: networkActions.hasNote,
          isUrgent: networkActions.isUrgent,
          notBefore: networkActions.notBefore,
          draw: networkActions.draw,
          slotAt: sql<number>`${slotAt}`,
          pendingReason: networkActions.pendingReason,
        })
        .from(networkActions)
        .where(and(eq(account, row.seq), eq(used, 0), isNotNull(slotAt), sql`${state} = 'scheduled'`))
        .orderBy(asc(slotAt), asc(seq))
        .limit(limit);
      const histories = await Promise.all(
        meters.map(async (meter) => {
          const rows = await orm
            .select({ at: slotAt })
            .from(networkActions)
            .where(and(eq(account, row.seq), eq(used, 1), takesFrom(meter), gt(slotAt, now - windowMs.month)))
            .orderBy(desc(slotAt))
            .limit(decisiveUses(settings, caps ?? settings.caps, meter));
          return [meter, rows.map(({ at }) => at ?? 0).reverse()] as const;
        }),
      );
      return {
        account: settings,
        coolDowns: [...governed.coolDowns],
        history: Object.fromEntries(histories),
        queue,
        queueVersion: row.queueVersion,
        needsPlan: row.needsPlan,
      };
    },
    movePlanned: (accountId, slots, at) =>
      transact(async (connection) => {
        if ((await lockAccountById(connection, accountId)) === null) return;
        for (const slot of slots) {
          const [moved] = await connection
            .update(networkActions)
            .set({ slotAt: slot.slotAt, pendingReason: slot.reason, updatedAt: at })
            .where(and(eq(seq, slot.seq), sql`${state} = 'scheduled'`))
            .returning({ jobId: networkActions.jobId });
          if (moved === undefined) continue;
          await connection
            .update(jobs)
            .set({ runAt: Math.min(slot.slotAt, neverAt), message: "", updatedAt: at })
            .where(and(eq(jobs.id, moved.jobId), sql`${jobs.status} = 'pending'`));
        }
      }),
    endPlan: (accountId, queueVersion, frontiers) =>
      transact(async (connection) => {
        const record = await lockAccountById(connection, accountId);
        if (record === null) return true;
        const isCurrent = and(eq(networkAccounts.seq, record.seq), eq(networkAccounts.queueVersion, queueVersion));
        const ended = await connection
          .update(networkAccounts)
          .set({ needsPlan: false })
          .where(isCurrent)
          .returning({ seq: networkAccounts.seq });
        if (ended.length === 0) return false;
        const ofAccount = eq(networkMeters.account, record.seq);
        await connection.update(networkMeters).set({ frontierAt: null, freeAt: null }).where(ofAccount);
        for (const [meter, at] of Object.entries(frontiers) as [Meter, number][])
          await connection
            .insert(networkMeters)
            .values({ account: record.seq, meter: meterCode(meter), frontierAt: at })
            .onConflictDoUpdate({
              target: [networkMeters.account, networkMeters.meter],
              set: { frontierAt: at },
            });
        return true;
      }),
  };
}

/** Actions that take from a meter and have a slot. */
function takesFrom(meter: Meter) {
  const { slotAt, hasNote, meter: code } = networkActions;
  if (meter === "all") return isNotNull(slotAt);
  return and(isNotNull(slotAt), meter === "notes" ? eq(hasNote, true) : eq(code, meterCode(meter)));
}
