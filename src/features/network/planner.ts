import type { Clock } from "../../platform/base/clock.ts";
import { BackgroundWork } from "../../lib/concurrency/background-work.ts";
import type { Log } from "../../platform/base/log.ts";
import { pause } from "../../lib/concurrency/pause.ts";
import { windowMs, type NetworkAccount } from "./account-model.ts";
import type { Meter } from "./meter-model.ts";
import { metersOf } from "./action-kinds.ts";
import { neverAt, type PendingReason } from "./action-model.ts";
import { MemoryTimeline, narrowestOf, plan, type Turn } from "./governor/plan.ts";
import type { NetworkStore, PlanBasis, PlannedSlot, QueuedAction } from "./store.ts";

/** Actions beyond this number keep their scheduled times. */
const maxPlanned = 1_000_000;
/** Size of the slices in which a plan is computed and written, so that other tasks can run in between. */
const sliceMs = 3;
const sliceRows = 100;
/** Attempts to plan a queue that changes meanwhile. Remaining inaccuracies are corrected when actions fall due. */
const maxRounds = 3;

/** Clock corrections below this are normal. */
const clockSlackMs = 60_000;

type Queued = QueuedAction & { uses: readonly Meter[] };

/** Reschedules queues when the basis of their plan changes: caps, hours, warm-up, account state, or cool-downs. */
export class Planner {
  readonly #store: NetworkStore;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #poke: () => void;
  readonly #background: BackgroundWork;
  #latest = -Infinity;

  constructor(store: NetworkStore, clock: Clock, log: Log, poke: () => void) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#poke = poke;
    this.#background = new BackgroundWork(
      () => this.#work(),
      (error) => log.error({ err: error }, "could not plan a queue"),
    );
  }

  /** Checks soon whether an account needs a new plan. Cheap to call often: the store records which accounts need one. */
  wake(): void {
    this.#background.wake();
  }

  get isBusy(): boolean {
    return this.#background.isBusy;
  }

  /** Resolves when no plan is in progress. */
  async idle(): Promise<void> {
    await this.#background.idle();
  }

  async stop(): Promise<void> {
    await this.#background.stop();
  }

  async #work(): Promise<void> {
    // The request that called `wake` may not commit its changes before the next turn of the event loop.
    await pause();
    await this.#checkClock();
    for (const accountId of await this.#store.accountsToPlan()) await this.#planInRounds(accountId);
    this.#poke();
  }

  /** Reschedules everything if the clock was ahead, because actions would otherwise wait until the wrong time. */
  async #checkClock(): Promise<void> {
    const now = this.#clock.now();
    const wasAhead = now < this.#latest - clockSlackMs;
    this.#latest = now;
    if (!wasAhead) return;
    this.#log.warn({ now }, "clock went back; rescheduling all queues");
    await this.#store.planAll();
  }

  /** A failure affects only this account. */
  async #planInRounds(accountId: string): Promise<void> {
    try {
      for (let round = 0; round < maxRounds && !this.#background.isStopped; round++)
        if (await this.#plan(accountId)) break;
    } catch (error) {
      this.#log.error({ err: error, accountId }, "could not plan the queue of an account");
    }
  }

  /** Returns false if the queue changed meanwhile. */
  async #plan(accountId: string): Promise<boolean> {
    const now = this.#clock.now();
    const basis = await this.#store.planBasis(accountId, maxPlanned, now);
    if (basis === null) return true;
    if (basis.account.state !== "active") return this.#store.endPlan(accountId, basis.queueVersion, {});
    const frontiers: Partial<Record<Meter, number>> = {};
    const earlier: PlannedSlot[] = [];
    const later: PlannedSlot[] = [];
    let unplaced = 0;
    for await (const { waiting, at, reason: slotReason } of inSlices(turnsOf(basis, basis.account, now))) {
      if (this.#background.isStopped) return true;
      const narrowest = narrowestOf(waiting.uses);
      if (at !== null && waiting.notBefore <= now) frontiers[narrowest] = at;
      const slotAt = at ?? neverAt + unplaced++;
      const reason = slotReason === "notBefore" && waiting.pendingReason === "retry" ? "retry" : slotReason;
      if (slotAt === waiting.slotAt && reason === waiting.pendingReason) continue;
      (slotAt <= waiting.slotAt ? earlier : later).push({ seq: waiting.seq, slotAt, reason });
    }
    await this.#move(accountId, [...earlier, ...later.reverse()], now);
    return !this.#background.isStopped && this.#store.endPlan(accountId, basis.queueVersion, frontiers);
  }

  /**
   * Moves actions with an earlier time first, from the front of the queue, then the others from its end. No action ever
   * overtakes another, so an interrupted plan leaves the queue in order.
   */
  async #move(accountId: string, changes: readonly PlannedSlot[], now: number): Promise<void> {
    for (let from = 0; from < changes.length && !this.#background.isStopped; from += sliceRows)
      await this.#store.movePlanned(accountId, changes.slice(from, from + sliceRows), now);
  }
}

export type PlannedAction = {
  jobId: string;
  actionType: QueuedAction["actionType"];
  profileUrl: string;
  at: number;
  reason: PendingReason;
};

/**
 * Forecasts the plan of an account with other settings: the first `limit` actions within `horizonMs`. Nothing is stored.
 */
export async function forecast(
  basis: PlanBasis,
  account: NetworkAccount,
  now: number,
  horizonMs: number,
  limit: number,
): Promise<PlannedAction[]> {
  const planned: PlannedAction[] = [];
  for await (const { waiting, at, reason } of inSlices(turnsOf(basis, account, now))) {
    if (at !== null && at <= now + horizonMs) {
      const { jobId, actionType, profileUrl } = waiting;
      planned.push({ jobId, actionType, profileUrl, at, reason });
    }
  }
  return planned.toSorted((a, b) => a.at - b.at).slice(0, limit);
}

function turnsOf(basis: PlanBasis, account: NetworkAccount, now: number): Generator<Turn<Queued>, void, void> {
  const timeline = new MemoryTimeline();
  for (const [meter, moments] of Object.entries(basis.history) as [Meter, number[]][])
    for (const at of moments) if (at > now - windowMs.month) timeline.add([meter], at);
  return plan({ ...account, coolDowns: basis.coolDowns }, timeline, queueOf(basis), now);
}

/** Replies of people first. */
function* queueOf({ queue }: PlanBasis): Generator<Queued, void, void> {
  for (const isUrgent of [true, false])
    for (const action of queue)
      if (action.isUrgent === isUrgent) yield { ...action, uses: metersOf(action.actionType, action.hasNote) };
}

/** Yields the items of a CPU-bound generator, pausing every few milliseconds so that other tasks can run. */
async function* inSlices<T>(items: Generator<T, void, void>): AsyncGenerator<T, void, void> {
  let since = performance.now();
  for (const item of items) {
    yield item;
    if (performance.now() - since < sliceMs) continue;
    await pause();
    since = performance.now();
  }
}
