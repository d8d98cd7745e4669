import { isoTime, isoTimeOrNull, type Clock } from "../../platform/base/clock.ts";
import { notFound } from "../../platform/base/errors.ts";
import { windows, type Caps, type CoolDown, type NetworkAccount } from "./account-model.ts";
import { meters } from "./meter-model.ts";
import type { AccountService } from "./account-service.ts";
import { limitsOf } from "./governor/limits.ts";
import { localTime } from "./governor/zone.ts";
import type { PlanView, UsageView } from "./forecast-model.ts";
import { forecast, type PlannedAction } from "./planner.ts";
import type { MeterUsage, NetworkStore, PlanBasis } from "./store.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

const dayMs = 86_400_000;
const horizonMs = 7 * dayMs;
/** Far more than the busiest real account can send in a week; only a simulated account can exceed it. */
const maxPlanned = 20_000;

/** Cap usage and plans of accounts. */
export class ForecastService {
  readonly #store: NetworkStore;
  readonly #accounts: AccountService;
  readonly #clock: Clock;

  constructor(store: NetworkStore, accounts: AccountService, clock: Clock) {
    this.#store = store;
    this.#accounts = accounts;
    this.#clock = clock;
  }

  /** Returns every meter of an account with its windows (used, remaining, planned) and its cool-down. */
  async usage(workspaceId: WorkspaceId, accountId: string): Promise<UsageView> {
    const account = await this.#accounts.find(workspaceId, accountId);
    const now = this.#clock.now();
    const [counts, coolDowns] = await Promise.all([
      this.#store.usage(workspaceId, accountId, now),
      this.#store.coolDowns(workspaceId, accountId),
    ]);
    return {
      accountId,
      state: account.state,
      stateReason: account.stateReason,
      meters: meters.map((meter) => meterView(meter, account, counts, coolDowns, now)),
    };
  }

  /** Returns the plan for the next seven days, or a forecast with `caps` instead of the account's own. */
  async plan(workspaceId: WorkspaceId, accountId: string, caps: Caps | undefined, limit: number): Promise<PlanView> {
    const account = await this.#accounts.find(workspaceId, accountId);
    const now = this.#clock.now();
    const basis = await this.#store.planBasis(accountId, maxPlanned, now, caps);
    if (basis === null) throw notFound("network account", accountId);
    const isStopped = caps === undefined && account.state !== "active";
    const planned = isStopped ? [] : await this.#planned(basis, caps === undefined ? null : { ...account, caps }, now);
    const days = new Map<string, Record<string, number>>();
    for (const { at, actionType } of planned) {
      const date = isoTime(localTime(at, account.timeZone).date).slice(0, 10);
      const counts = days.get(date) ?? {};
      counts[actionType] = (counts[actionType] ?? 0) + 1;
      days.set(date, counts);
    }
    return {
      accountId,
      timeZone: account.timeZone,
      isHypothetical: caps !== undefined,
      waiting: basis.queue.length,
      withinSevenDays: planned.length,
      days: [...days].map(([date, actions]) => ({ date, actions })),
      actions: planned.slice(0, limit).map(({ at, ...action }) => ({ ...action, scheduledFor: isoTime(at) })),
    };
  }

  /** Uses the stored plan unless it is outdated or hypothetical settings are given. */
  async #planned(basis: PlanBasis, hypothetical: NetworkAccount | null, now: number): Promise<PlannedAction[]> {
    if (hypothetical !== null || basis.needsPlan)
      return forecast(basis, hypothetical ?? basis.account, now, horizonMs, maxPlanned);
    return basis.queue
      .filter(({ slotAt }) => slotAt <= now + horizonMs)
      .map(({ jobId, actionType, profileUrl, slotAt, pendingReason }) => {
        return { jobId, actionType, profileUrl, at: slotAt, reason: pendingReason ?? "queued" };
      });
  }
}

function meterView(
  meter: (typeof meters)[number],
  account: NetworkAccount,
  counts: readonly MeterUsage[],
  coolDowns: readonly CoolDown[],
  now: number,
): UsageView["meters"][number] {
  const limits = limitsOf(account, meter, now);
  const coolDown = coolDowns.find((each) => each.meter === meter && each.until > now);
  return {
    meter,
    windows: windows.map((window) => {
      const limit = limits.find((item) => item.window === window);
      const count = counts.find((item) => item.meter === meter && item.window === window);
      const used = count?.used ?? 0;
      return {
        window,
        limit: limit?.cap ?? null,
        isWarmUp: limit?.reason === "warmup",
        used,
        remaining: limit === undefined ? null : Math.max(0, limit.cap - used),
        planned: count?.planned ?? 0,
        resetsAt: isoTimeOrNull(count?.resetsAt ?? null),
      };
    }),
    coolDown: coolDown ? { until: isoTime(coolDown.until), reason: coolDown.reason, level: coolDown.level } : null,
  };
}
