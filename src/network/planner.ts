import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { windowMs, type Meter, type NetworkAccount } from "./account-model.ts";
import { metersOf } from "./action-kinds.ts";
import type { PendingReason } from "./action-model.ts";
import { MemoryTimeline, plan, type Turn } from "./governor/plan.ts";
import type { NetworkStore, PlanBasis, PlannedSlot, QueuedAction } from "./store.ts";

/** A queue longer than this keeps its moments behind the part that is planned anew. */
const mostPlanned = 1_000_000;
/** A slice of a plan that is worked out, or written, without letting others take a turn. */
const sliceMs = 3;
const sliceRows = 100;
/** Rounds for a queue that changes while it is planned; what is then left open comes right when actions fall due. */
const mostRounds = 3;

type Queued = QueuedAction & { uses: readonly Meter[] };

/** Plans queues again when what they were planned by has changed: caps, hours, warm-up, an account's state, a rest. */
export class Planner {
  readonly #store: NetworkStore;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #poke: () => void;
  #working: Promise<void> | null = null;
  #again = false;
  #isStopped = false;

  constructor(store: NetworkStore, clock: Clock, log: Log, poke: () => void) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#poke = poke;
  }

  /** Some account may want a plan: look as soon as possible. Cheap to call often; the want itself is in the store. */
  wake(): void {
    if (this.#isStopped) return;
    if (this.#working !== null) {
      this.#again = true;
      return;
    }
    this.#working = this.#work()
      .catch((error: unknown) => this.#log.error({ err: error }, "could not plan a queue"))
      .finally(() => {
        this.#working = null;
        if (!this.#again) return;
        this.#again = false;
        this.wake();
      });
  }

  get isBusy(): boolean {
    return this.#working !== null;
  }

  /** Resolves when no plan is under way. */
  async idle(): Promise<void> {
    while (this.#working !== null) await this.#working;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#again = false;
    await this.#working;
  }

  async #work(): Promise<void> {
    for (const accountId of await this.#store.accountsToPlan()) {
      for (let round = 0; round < mostRounds && !this.#isStopped; round++) if (await this.#plan(accountId)) break;
    }
    this.#poke();
  }

  /** False: the queue changed meanwhile. */
  async #plan(accountId: string): Promise<boolean> {
    const now = this.#clock.now();
    const basis = await this.#store.planBasis(accountId, mostPlanned, now);
    if (basis === null) return true;
    if (basis.account.state !== "active") return this.#store.endPlan(accountId, basis.queueVersion, {});
    const frontiers: Partial<Record<Meter, number>> = {};
    let changes: PlannedSlot[] = [];
    for await (const { waiting, at, reason } of inSlices(turnsOf(basis, basis.account, now))) {
      if (this.#isStopped) return true;
      const narrowest = waiting.uses.includes("notes") ? "notes" : waiting.uses[0];
      if (at !== null && narrowest !== undefined && waiting.notBefore <= now) frontiers[narrowest] = at;
      if (at !== waiting.slotAt) changes.push({ seq: waiting.seq, slotAt: at, reason });
      if (changes.length < sliceRows) continue;
      await this.#store.movePlanned(accountId, changes, now);
      changes = [];
    }
    if (changes.length > 0) await this.#store.movePlanned(accountId, changes, now);
    return this.#store.endPlan(accountId, basis.queueVersion, frontiers);
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
  const queue = basis.queue.map((action) => ({ ...action, uses: metersOf(action.actionType, action.hasNote) }));
  return plan({ ...account, coolDowns: basis.coolDowns }, timeline, queue, now);
}

/** The items of a generator that computes, with a pause for others after each few milliseconds. */
async function* inSlices<T>(items: Generator<T, void, void>): AsyncGenerator<T, void, void> {
  let since = performance.now();
  for (const item of items) {
    yield item;
    if (performance.now() - since < sliceMs) continue;
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  }
}
