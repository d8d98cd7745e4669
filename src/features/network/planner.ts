import type { Clock } from "../../platform/base/clock.ts";
import { BackgroundWork } from "../../lib/concurrency/background-work.ts";
import type { Log } from "../../platform/base/log.ts";
import { pause } from "../../lib/concurrency/pause.ts";
import { windowMs, type Meter, type NetworkAccount } from "./account-model.ts";
import { metersOf } from "./action-kinds.ts";
import { neverAt, type PendingReason } from "./action-model.ts";
import { MemoryTimeline, narrowestOf, plan, type Turn } from "./governor/plan.ts";
import type { NetworkStore, PlanBasis, PlannedSlot, QueuedAction } from "./store.ts";

/** A queue longer than this keeps its moments behind the part that is planned anew. */
const mostPlanned = 1_000_000;
/** A slice of a plan that is worked out, or written, without letting others take a turn. */
const sliceMs = 3;
const sliceRows = 100;
/** Rounds for a queue that changes while it is planned; what is then left open comes right when actions fall due. */
const mostRounds = 3;

/** Corrections of a clock by less are the course of things. */
const clockSlackMs = 60_000;

type Queued = QueuedAction & { uses: readonly Meter[] };

/** Plans queues again when what they were planned by has changed: caps, hours, warm-up, an account's state, a rest. */
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

  /** Some account may want a plan: look as soon as possible. Cheap to call often; the want itself is in the store. */
  wake(): void {
    this.#background.wake();
  }

  get isBusy(): boolean {
    return this.#background.isBusy;
  }

  /** Resolves when no plan is under way. */
  async idle(): Promise<void> {
    await this.#background.idle();
  }

  async stop(): Promise<void> {
    await this.#background.stop();
  }

  async #work(): Promise<void> {
    // A request that wakes it may not have committed what it changed before the next turn.
    await pause();
    await this.#lookAtClock();
    for (const accountId of await this.#store.accountsToPlan()) await this.#planInRounds(accountId);
    this.#poke();
  }

  /** Moments that were planned while the clock was ahead would keep everybody waiting until then. */
  async #lookAtClock(): Promise<void> {
    const now = this.#clock.now();
    const wasAhead = now < this.#latest - clockSlackMs;
    this.#latest = now;
    if (!wasAhead) return;
    this.#log.warn({ now }, "clock went back; rescheduling all queues");
    await this.#store.planAll();
  }

  /** One that can't be planned does not keep the others from it. */
  async #planInRounds(accountId: string): Promise<void> {
    try {
      for (let round = 0; round < mostRounds && !this.#background.isStopped; round++)
        if (await this.#plan(accountId)) break;
    } catch (error) {
      this.#log.error({ err: error, accountId }, "could not plan the queue of an account");
    }
  }

  /** False: the queue changed meanwhile. */
  async #plan(accountId: string): Promise<boolean> {
    const now = this.#clock.now();
    const basis = await this.#store.planBasis(accountId, mostPlanned, now);
    if (basis === null) return true;
    if (basis.account.state !== "active") return this.#store.endPlan(accountId, basis.queueVersion, {});
    const frontiers: Partial<Record<Meter, number>> = {};
    const earlier: PlannedSlot[] = [];
    const later: PlannedSlot[] = [];
    let unplaced = 0;
    for await (const { waiting, at, reason: held } of inSlices(turnsOf(basis, basis.account, now))) {
      if (this.#background.isStopped) return true;
      const narrowest = narrowestOf(waiting.uses);
      if (at !== null && waiting.notBefore <= now) frontiers[narrowest] = at;
      const slotAt = at ?? neverAt + unplaced++;
      const reason = held === "notBefore" && waiting.pendingReason === "retry" ? "retry" : held;
      if (slotAt === waiting.slotAt && reason === waiting.pendingReason) continue;
      (slotAt <= waiting.slotAt ? earlier : later).push({ seq: waiting.seq, slotAt, reason });
    }
    await this.#move(accountId, [...earlier, ...later.reverse()], now);
    return !this.#background.isStopped && this.#store.endPlan(accountId, basis.queueVersion, frontiers);
  }

  /**
   * Whoever comes earlier moves first, from the front of the queue, then the others from its end: so nobody passes
   * anybody on the way, and a plan that is broken off leaves the queue in its order.
   */
  async #move(accountId: string, changes: readonly PlannedSlot[], now: number): Promise<void> {
    for (let from = 0; from < changes.length && !this.#background.isStopped; from += sliceRows)
      await this.#store.movePlanned(accountId, changes.slice(from, from + sliceRows), now);
  }
}

export type ForeseenAction = {
  jobId: string;
  actionType: QueuedAction["actionType"];
  profileUrl: string;
  at: number;
  reason: PendingReason;
};

/**
 * The coming days of an account as they would be under other settings: the first `limit` actions that fall within
 * `horizonMs`. Nothing is stored.
 */
export async function foresee(
  basis: PlanBasis,
  account: NetworkAccount,
  now: number,
  horizonMs: number,
  limit: number,
): Promise<ForeseenAction[]> {
  const foreseen: ForeseenAction[] = [];
  for await (const { waiting, at, reason } of inSlices(turnsOf(basis, account, now))) {
    if (at !== null && at <= now + horizonMs) {
      const { jobId, actionType, profileUrl } = waiting;
      foreseen.push({ jobId, actionType, profileUrl, at, reason });
    }
  }
  return foreseen.toSorted((a, b) => a.at - b.at).slice(0, limit);
}

function turnsOf(basis: PlanBasis, account: NetworkAccount, now: number): Generator<Turn<Queued>, void, void> {
  const timeline = new MemoryTimeline();
  for (const [meter, moments] of Object.entries(basis.history) as [Meter, number[]][])
    for (const at of moments) if (at > now - windowMs.month) timeline.add([meter], at);
  return plan({ ...account, coolDowns: basis.coolDowns }, timeline, queueOf(basis), now);
}

function* queueOf({ queue }: PlanBasis): Generator<Queued, void, void> {
  for (const action of queue) yield { ...action, uses: metersOf(action.actionType, action.hasNote) };
}

/** The items of a generator that computes, with a pause for others after each few milliseconds. */
async function* inSlices<T>(items: Generator<T, void, void>): AsyncGenerator<T, void, void> {
  let since = performance.now();
  for (const item of items) {
    yield item;
    if (performance.now() - since < sliceMs) continue;
    await pause();
    since = performance.now();
  }
}
