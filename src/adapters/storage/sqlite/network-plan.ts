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
import { prepared } from "./prepared.ts";

type PlanStore = Pick<NetworkStore, "usage" | "planBasis" | "movePlanned" | "endPlan">;

/** Reads the basis of plans and writes their results. */
export function createPlanStore({ database, writer, reader }: Engine, accounts: AccountRows): PlanStore {
  const versionOf = prepared<{ version: number; needsPlan: number }, [number]>(
    database,
    "SELECT queue_version AS version, needs_plan AS needsPlan FROM network_accounts WHERE seq = ?",
  );
  const move = prepared<{ job_id: string }, [number, string, number, number]>(
    database,
    "UPDATE network_actions SET slot_at = ?, pending_reason = ?, updated_at = ? WHERE seq = ? AND state = 'scheduled'" +
      " RETURNING job_id",
  );
  const moveJob = prepared(
    database,
    "UPDATE jobs SET run_at = ?, message = '', updated_at = ? WHERE id = ? AND status = 'pending'",
  );
  const endPlan = prepared(database, "UPDATE network_accounts SET needs_plan = 0 WHERE seq = ? AND queue_version = ?");
  const clearFrontiers = prepared(
    database,
    "UPDATE network_meters SET frontier_at = NULL, free_at = NULL WHERE account = ?",
  );
  const setFrontier = prepared(
    database,
    "INSERT INTO network_meters (account, meter, frontier_at) VALUES (?, ?, ?)" +
      " ON CONFLICT (account, meter) DO UPDATE SET frontier_at = excluded.frontier_at",
  );

  async function history(record: StoredAccount, meter: Meter, now: number, plannedCaps: Caps): Promise<number[]> {
    const rows = await reader.all<{ slot_at: number }>({
      sql:
        `SELECT slot_at FROM network_actions WHERE ${meterTerms(meter)} AND account = ? AND used = 1` +
        " AND slot_at > ? ORDER BY slot_at DESC LIMIT ?",
      params: [record.seq, now - windowMs.month, decisiveUses(record.account, plannedCaps, meter)],
    });
    return rows.map((row) => row.slot_at).reverse();
  }

  /**
   * Reads pages, because receiving a row takes this thread a microsecond. The queue version detects changes between two
   * pages.
   */
  async function queueOf(record: StoredAccount, limit: number): Promise<QueuedAction[]> {
    const queue: QueuedAction[] = [];
    for (let last: Pick<QueuedAction, "slotAt" | "seq"> | undefined = { slotAt: -1, seq: -1 }; last !== undefined;) {
      const pageLimit = Math.min(pageRows, limit - queue.length);
      const page: QueuedRow[] = await reader.all<QueuedRow>({
        sql:
          "SELECT seq, job_id AS jobId, action_type AS actionType, profile_url AS profileUrl, has_note AS hasNote," +
          " not_before AS notBefore, draw, slot_at AS slotAt, pending_reason AS pendingReason FROM network_actions" +
          " WHERE account = ? AND used = 0 AND slot_at IS NOT NULL AND state = 'scheduled'" +
          " AND (slot_at, seq) > (?, ?) ORDER BY slot_at, seq LIMIT ?",
        params: [record.seq, last.slotAt, last.seq, pageLimit],
      });
      for (const action of page) queue.push({ ...action, hasNote: action.hasNote === 1 });
      last = page.length < pageLimit || queue.length >= limit ? undefined : page.at(-1);
    }
    return queue;
  }

  async function planBasis(accountId: string, limit: number, now: number, caps?: Caps): Promise<PlanBasis | null> {
    const record = accounts.byId(accountId);
    if (record === null) return null;
    const plannedCaps = caps ?? record.account.caps;
    const { version, needsPlan } = versionOf.get(record.seq) ?? { version: 0, needsPlan: 0 };
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
      needsPlan: needsPlan === 1,
    };
  }

  function movePlanned(slots: readonly PlannedSlot[], now: number): void {
    for (const { seq, slotAt, reason } of slots) {
      const moved = move.get(slotAt, reason, now, seq);
      if (moved !== null) moveJob.run(Math.min(slotAt, neverAt), now, moved.job_id);
    }
  }

  async function usage(userId: string, accountId: string, now: number): Promise<MeterUsage[]> {
    const record = accounts.ofUser(userId, accountId);
    if (record === null) return [];
    const pairs = meters.flatMap((meter) => windows.map((window) => ({ meter, window })));
    return Promise.all(
      pairs.map(async ({ meter, window }) => {
        const length = windowMs[window];
        const [row] = await reader.all<{ used: number; oldest: number | null; planned: number }>({
          sql:
            "SELECT count(*) AS used, min(slot_at) AS oldest," +
            ` (SELECT count(*) FROM network_actions WHERE ${meterTerms(meter)} AND account = ?1 AND used = 0` +
            " AND slot_at <= ?3 AND state <> 'canceled') AS planned" +
            ` FROM network_actions WHERE ${meterTerms(meter)} AND account = ?1 AND used = 1 AND slot_at > ?2`,
          params: [record.seq, now - length, now + length],
        });
        const { used = 0, oldest = null, planned = 0 } = row ?? {};
        return { meter, window, used, planned, resetsAt: oldest === null ? null : oldest + length };
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
        const isCurrent = endPlan.run(record.seq, queueVersion).changes === 1;
        accounts.forget(record.seq);
        if (!isCurrent) return false;
        clearFrontiers.run(record.seq);
        for (const [meter, at] of Object.entries(frontiers)) setFrontier.run(record.seq, meterCode(meter as Meter), at);
        return true;
      }),
  };
}

type QueuedRow = Omit<QueuedAction, "hasNote"> & { hasNote: number };
const pageRows = 2_000;

/** The rows of a meter, in the words of the index that is made for them. */
function meterTerms(meter: Meter): string {
  if (meter === "all") return "slot_at IS NOT NULL";
  if (meter === "notes") return "slot_at IS NOT NULL AND has_note = 1";
  return `slot_at IS NOT NULL AND meter = ${meterCode(meter)}`;
}
