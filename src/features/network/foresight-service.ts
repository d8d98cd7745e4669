import { isoTime, isoTimeOrNull, type Clock } from "../../platform/base/clock.ts";
import { notFound } from "../../platform/base/errors.ts";
import { meters, windows, type Caps, type CoolDown, type NetworkAccount } from "./account-model.ts";
import type { AccountService } from "./account-service.ts";
import { limitsOf } from "./governor/limits.ts";
import { localTime } from "./governor/zone.ts";
import type { PlanView, UsageView } from "./foresight-model.ts";
import { foresee, type ForeseenAction } from "./planner.ts";
import type { MeterUsage, NetworkStore, PlanBasis } from "./store.ts";

const dayMs = 86_400_000;
const horizonMs = 7 * dayMs;
/** What a week of the busiest account can hold many times over; more would only be asked of a simulated one. */
const mostForeseen = 20_000;

/** What an account may still do, and what it is going to do. */
export class ForesightService {
  readonly #store: NetworkStore;
  readonly #accounts: AccountService;
  readonly #clock: Clock;

  constructor(store: NetworkStore, accounts: AccountService, clock: Clock) {
    this.#store = store;
    this.#accounts = accounts;
    this.#clock = clock;
  }

  /** Every meter of an account with its windows: what was used, what is left, and since when it rests. */
  async usage(userId: string, accountId: string): Promise<UsageView> {
    const account = await this.#accounts.choose(userId, accountId);
    const now = this.#clock.now();
    const [counts, coolDowns] = await Promise.all([
      this.#store.usage(userId, accountId, now),
      this.#store.coolDowns(userId, accountId),
    ]);
    return {
      accountId,
      state: account.state,
      stateReason: account.stateReason,
      meters: meters.map((meter) => meterView(meter, account, counts, coolDowns, now)),
    };
  }

  /** The next seven days as they will run; with `caps`, as they would run with these instead. */
  async plan(userId: string, accountId: string, caps: Caps | undefined, limit: number): Promise<PlanView> {
    const account = await this.#accounts.choose(userId, accountId);
    const now = this.#clock.now();
    const basis = await this.#store.planBasis(accountId, mostForeseen, now, caps);
    if (basis === null) throw notFound("network account", accountId);
    const isHeld = caps === undefined && account.state !== "active";
    const foreseen = isHeld ? [] : await this.#coming(basis, caps === undefined ? null : { ...account, caps }, now);
    const days = new Map<string, Record<string, number>>();
    for (const { at, actionType } of foreseen) {
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
      withinSevenDays: foreseen.length,
      days: [...days].map(([date, actions]) => ({ date, actions })),
      actions: foreseen.slice(0, limit).map(({ at, ...action }) => ({ ...action, scheduledFor: isoTime(at) })),
    };
  }

  /** As it is planned, unless the plan is being made, or other settings are asked for. */
  async #coming(basis: PlanBasis, asked: NetworkAccount | null, now: number): Promise<ForeseenAction[]> {
    if (asked !== null || basis.needsPlan) return foresee(basis, asked ?? basis.account, now, horizonMs, mostForeseen);
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
  const rest = coolDowns.find((coolDown) => coolDown.meter === meter && coolDown.until > now);
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
    coolDown: rest ? { until: isoTime(rest.until), reason: rest.reason, level: rest.level } : null,
  };
}
