import { and, asc, count, desc, eq, gt, isNotNull, lte, min, ne, sql, type SQL } from "drizzle-orm";
import { neverAt } from "../../../features/network/action-model.ts";
import { windowMs, windows, type Caps } from "../../../features/network/account-model.ts";
import { meters, type Meter } from "../../../features/network/meter-model.ts";
import type {
  MeterUsage,
  NetworkStore,
  PlanBasis,
  PlannedSlot,
  QueuedAction,
} from "../../../features/network/store.ts";
import type { StoredAccount } from "../../../features/network/decisions/facts.ts";
import { decisiveUses } from "../../../features/network/governor/limits.ts";
import type { Engine } from "./engine.ts";
import { meterCode } from "../meter-code.ts";
import type { AccountRows } from "./network-accounts.ts";
import { networkAccounts, networkActions, networkMeters } from "./network-tables.ts";
import { newValueOf } from "./parameter.ts";
import { lazy } from "./prepared.ts";
import { jobs } from "./tables.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

type PlanStore = Pick<NetworkStore, "usage" | "planBasis" | "movePlanned" | "endPlan">;

/** Reads the basis of plans and writes their results. */
export function createPlanStore({ orm, writer, reader }: Engine, accounts: AccountRows): PlanStore {
  const move = lazy(() =>
    orm
      .update(networkActions)
      .set({ slotAt: newValueOf("slotAt"), pendingReason: newValueOf("reason"), updatedAt: newValueOf("now") })
      .where(and(eq(networkActions.seq, sql.placeholder("seq")), eq(networkActions.state, "scheduled")))
      .returning({ jobId: networkActions.jobId })
      .prepare(),
  );
  const moveJob = lazy(() =>
    orm
      .update(jobs)
      .set({ runAt: newValueOf("runAt"), message: "", updatedAt: newValueOf("now") })
      .where(and(eq(jobs.id, sql.placeholder("jobId")), eq(jobs.status, "pending")))
      .prepare(),
  );

  function versionOf(account: number): { version: number; needsPlan: boolean } {
    const { seq, queueVersion, needsPlan } = networkAccounts;
    const ofAccount = eq(seq, account);
    const row = orm.select({ version: queueVersion, needsPlan }).from(networkAccounts).where(ofAccount).get();
    return row ?? { version: 0, needsPlan: false };
  }

  async function history(record: StoredAccount, meter: Meter, now: number, plannedCaps: Caps): Promise<number[]> {
    const { account, used, slotAt } = networkActions;
    const query = orm
      .select({ slotAt })
      .from(networkActions)
      .where(and(meterTerms(meter), eq(account, record.seq), eq(used, 1), gt(slotAt, now - windowMs.month)))
      .orderBy(desc(slotAt))
      .limit(decisiveUses(record.account, plannedCaps, meter));
    const rows = await reader.all<{ slot_at: number }>(query.toSQL());
    return rows.map((row) => row.slot_at).reverse();
  }

  function pageAfter(account: number, last: Pick<QueuedAction, "slotAt" | "seq">, limit: number) {
    const { seq, jobId, actionType, profileUrl, hasNote, isUrgent, notBefore, draw, slotAt, pendingReason } =
      networkActions;
    return orm
      .select({ seq, jobId, actionType, profileUrl, hasNote, isUrgent, notBefore, draw, slotAt, pendingReason })
      .from(networkActions)
      .where(
        and(
          eq(networkActions.account, account),
          eq(networkActions.used, 0),
          isNotNull(slotAt),
          eq(networkActions.state, "scheduled"),
          sql`(${slotAt}, ${seq}) > (${last.slotAt}, ${last.seq})`,
        ),
      )
      .orderBy(asc(slotAt), asc(seq))
      .limit(limit)
      .toSQL();
  }

  /**
   * Reads pages, because receiving a row takes this thread a microsecond. The queue version detects changes between two
   * pages.
   */
  async function queueOf(record: StoredAccount, limit: number): Promise<QueuedAction[]> {
    const queue: QueuedAction[] = [];
    for (let last: Pick<QueuedAction, "slotAt" | "seq"> | undefined = { slotAt: -1, seq: -1 }; last !== undefined;) {
      const pageLimit = Math.min(pageRows, limit - queue.length);
      const page: QueuedAction[] = (await reader.all<QueuedRow>(pageAfter(record.seq, last, pageLimit))).map(queued);
      queue.push(...page);
      last = page.length < pageLimit || queue.length >= limit ? undefined : page.at(-1);
    }
    return queue;
  }

  async function planBasis(accountId: string, limit: number, now: number, caps?: Caps): Promise<PlanBasis | null> {
    const record = accounts.byId(accountId);
    if (record === null) return null;
    const plannedCaps = caps ?? record.account.caps;
    const { version, needsPlan } = versionOf(record.seq);
    const queue = await queueOf(record, limit);
    const histories = await Promise.all(
      meters.map(async (meter) => [meter, await history(record, meter, now, plannedCaps)] as const),
    );
    return {
      account: record.account,
      coolDowns: [...record.governed.coolDowns],
      history: Object.fromEntries(histories),
      queue,
      queueVersion: version,
      needsPlan,
    };
  }

  function movePlanned(slots: readonly PlannedSlot[], now: number): void {
    for (const { seq, slotAt, reason } of slots) {
      const [moved] = move().all({ seq, slotAt, reason, now });
      if (moved !== undefined) moveJob().run({ runAt: Math.min(slotAt, neverAt), now, jobId: moved.jobId });
    }
  }

  function setFrontiers(account: number, frontiers: Partial<Record<Meter, number>>): void {
    const ofAccount = eq(networkMeters.account, account);
    orm.update(networkMeters).set({ frontierAt: null, freeAt: null }).where(ofAccount).run();
    for (const [meter, frontierAt] of Object.entries(frontiers) as [Meter, number][])
      orm
        .insert(networkMeters)
        .values({ account, meter: meterCode(meter), frontierAt })
        .onConflictDoUpdate({ target: [networkMeters.account, networkMeters.meter], set: { frontierAt } })
        .run();
  }

  async function usage(workspaceId: WorkspaceId, accountId: string, now: number): Promise<MeterUsage[]> {
    const record = accounts.ofUser(workspaceId, accountId);
    if (record === null) return [];
    const pairs = meters.flatMap((meter) => windows.map((window) => ({ meter, window })));
    return Promise.all(
      pairs.map(async ({ meter, window }) => {
        const length = windowMs[window];
        const { account, used, slotAt, state } = networkActions;
        const ofMeter = and(meterTerms(meter), eq(account, record.seq));
        const isPlanned = and(ofMeter, eq(used, 0), lte(slotAt, now + length), ne(state, "canceled"));
        const planned = orm.select({ n: count() }).from(networkActions).where(isPlanned);
        const query = orm
          .select({
            used: count().as("used"),
            oldest: min(slotAt).as("oldest"),
            planned: sql<number>`(${planned})`.as("planned"),
          })
          .from(networkActions)
          .where(and(ofMeter, eq(used, 1), gt(slotAt, now - length)));
        const [row] = await reader.all<{ used: number; oldest: number | null; planned: number }>(query.toSQL());
        const oldest = row?.oldest ?? null;
        const resetsAt = oldest === null ? null : oldest + length;
        return { meter, window, used: row?.used ?? 0, planned: row?.planned ?? 0, resetsAt };
      }),
    );
  }

  return {
    usage,
    planBasis,
    movePlanned: (_accountId, slots, at) => writer.write(() => movePlanned(slots, at)),
    endPlan: (accountId, queueVersion, frontiers) =>
      writer.write(() => {
        const record = accounts.byId(accountId);
        if (record === null) return true;
        const { seq } = networkAccounts;
        const isCurrent = and(eq(seq, record.seq), eq(networkAccounts.queueVersion, queueVersion));
        const ended = orm.update(networkAccounts).set({ needsPlan: false }).where(isCurrent).returning({ seq }).all();
        accounts.forget(record.seq);
        if (ended.length === 0) return false;
        setFrontiers(record.seq, frontiers);
        return true;
      }),
  };
}

/** A row as the reader returns it, under the names of the columns. */
type QueuedRow = Pick<QueuedAction, "seq" | "draw"> & {
  job_id: string;
  action_type: QueuedAction["actionType"];
  profile_url: string;
  has_note: 0 | 1;
  is_urgent: 0 | 1;
  not_before: number;
  slot_at: number;
  pending_reason: QueuedAction["pendingReason"];
};

function queued({ seq, draw, ...row }: QueuedRow): QueuedAction {
  return {
    seq,
    draw,
    jobId: row.job_id,
    actionType: row.action_type,
    profileUrl: row.profile_url,
    hasNote: row.has_note === 1,
    isUrgent: row.is_urgent === 1,
    notBefore: row.not_before,
    slotAt: row.slot_at,
    pendingReason: row.pending_reason,
  };
}

const pageRows = 2_000;

/** Selects the rows of a meter with the terms of its partial index. */
function meterTerms(meter: Meter): SQL | undefined {
  const { slotAt, hasNote } = networkActions;
  if (meter === "all") return isNotNull(slotAt);
  if (meter === "notes") return and(isNotNull(slotAt), sql`${hasNote} = 1`);
  return and(isNotNull(slotAt), eq(networkActions.meter, meterCode(meter)));
}
