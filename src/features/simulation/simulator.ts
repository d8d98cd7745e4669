import { Cron } from "croner";
import { apart } from "../../lib/concurrency/apart.ts";
import { isoTime, parseInstant } from "../../platform/base/clock.ts";
import { ApiError, invalid } from "../../platform/base/errors.ts";
import type { Chore } from "../../platform/jobs/maintenance.ts";
import type { Log } from "../../platform/base/log.ts";
import { pause } from "../../lib/concurrency/pause.ts";
import { durationMs } from "./duration.ts";
import {
  longestAdvanceMs,
  type Advanced,
  type ClockInput,
  type SimulationEvent,
  type SimulationView,
} from "./model.ts";
import type { SimulatedClock } from "./simulated-clock.ts";
import type { SimulationStore } from "./store.ts";

export type SimulatorParts = {
  store: SimulationStore;
  clock: SimulatedClock;
  seed: number;
  /** The next moment at which work is due; null when there is none. */
  nextDueAt: () => Promise<number | null>;
  /** Resolves when nothing that is due is left to be done. */
  idle: () => Promise<void>;
  /** See `JobRunner.onDiskFault`: who waits for the disk is not idle until somebody has made room. */
  onDiskFault: (tell: (error: unknown) => void) => () => void;
  chores: readonly Chore[];
  log: Log;
};

/** Chores that come more often only look for what is due, which the simulator knows: it does not stop for them. */
const minStopPeriodMs = 3_600_000;
/** They run where it stops, but not more often than this. */
const minChoreGapMs = 600_000;
/** What is due but not done, because it waits for something else, is looked at again after this. */
const stuckRetryMs = 60_000;
/** Who asks again and again without a moment in between can't be waited for. */
const maxRounds = 100;
const maxEvents = 1_000;
/** After so many moments the time is written down, for the case that the process ends. */
const stepsBetweenWrites = 100;

type ScheduledChore = { chore: Chore; cron: Cron; isFrequent: boolean; at: number };

/**
 * Moves the clock from one moment at which something is due to the next, and waits each time until all that it set in
 * motion has come to rest. So everything happens in order, however fast the machine.
 */
export class Simulator {
  readonly #parts: SimulatorParts;
  readonly #scheduledChores: ScheduledChore[];
  #isAdvancing = false;
  #isStopped = false;

  constructor(parts: SimulatorParts) {
    this.#parts = parts;
    const now = parts.clock.now();
    this.#scheduledChores = parts.chores.map((chore) => {
      const cron = new Cron(chore.pattern, { paused: true, utcOffset: 0 });
      const at = nextRunAt(cron, now);
      return { chore, cron, at, isFrequent: nextRunAt(cron, at) - at < minStopPeriodMs };
    });
  }

  view(): SimulationView {
    const { clock, seed } = this.#parts;
    return { now: isoTime(clock.now()), seed, isAdvancing: this.#isAdvancing };
  }

  /**
   * Resolves at the end, or earlier when `signal` aborts or the server stops. VALIDATION_ERROR for no such moment,
   * CONFLICT while the clock is being moved. Throws what the disk said when it does not take what is to be written.
   */
  async advance(input: ClockInput, signal: AbortSignal): Promise<Advanced> {
    const { clock, store, onDiskFault } = this.#parts;
    const from = clock.now();
    const to = targetOf(input, from);
    if (this.#isAdvancing) throw new ApiError("CONFLICT", { message: "The clock is being moved already." });
    this.#isAdvancing = true;
    const fault = Promise.withResolvers<never>();
    // It may come when nobody waits for it any more.
    fault.promise.catch(() => {});
    const stopListening = onDiskFault(fault.reject);
    try {
      // The request begins to change things: a repetition must not move the clock as far once more.
      await store.setNow(from);
      const steps = await apart(() => this.#moveTo(to, signal, fault.promise));
      const events = await store.eventsBetween(from, clock.now());
      await store.setNow(clock.now());
      return summaryOf(from, clock.now(), steps, events);
    } finally {
      stopListening();
      this.#isAdvancing = false;
    }
  }

  /** What is being moved stands still soon; the answer tells how far it came. */
  stop(): void {
    this.#isStopped = true;
  }

  async #moveTo(to: number, signal: AbortSignal, fault: Promise<never>): Promise<number> {
    const { clock, store } = this.#parts;
    await this.#settle(fault);
    for (let steps = 0; ; steps++) {
      if (clock.now() >= to || signal.aborted || this.#isStopped) return steps;
      clock.moveTo(Math.min(to, await this.#nextStop()));
      await this.#settle(fault);
      await this.#runChores();
      await this.#settle(fault);
      if (steps % stepsBetweenWrites === stepsBetweenWrites - 1) await store.setNow(clock.now());
      // Whoever waits for an answer beside this gets a turn.
      await pause();
    }
  }

  /** Resolves when all that is due at this moment is done, and what that made due. */
  async #settle(fault: Promise<never>): Promise<void> {
    const { clock, idle } = this.#parts;
    for (let rounds = 0; rounds < maxRounds; rounds++) {
      await Promise.race([fault, idle()]);
      if (!clock.fireDue()) return;
    }
  }

  async #nextStop(): Promise<number> {
    const now = this.#parts.clock.now();
    const dueAt = await this.#parts.nextDueAt();
    const choresAt = this.#scheduledChores.filter(({ isFrequent }) => !isFrequent).map(({ at }) => at);
    return Math.min(...choresAt, dueAt === null ? Infinity : dueAt > now ? dueAt : now + stuckRetryMs);
  }

  async #runChores(): Promise<void> {
    const { clock, log } = this.#parts;
    for (const scheduled of this.#scheduledChores) {
      if (scheduled.at > clock.now()) continue;
      scheduled.at = nextRunAt(scheduled.cron, scheduled.isFrequent ? clock.now() + minChoreGapMs - 1000 : clock.now());
      try {
        await scheduled.chore.run();
      } catch (error) {
        log.error({ err: error, chore: scheduled.chore.name }, "chore failed");
      }
    }
  }
}

function nextRunAt(cron: Cron, after: number): number {
  return cron.nextRun(new Date(after))?.getTime() ?? Infinity;
}

function targetOf({ advance, to }: ClockInput, from: number): number {
  if ((advance === undefined) === (to === undefined))
    throw invalid([{ path: "", message: "Send either advance, such as P30D, or to, a moment." }]);
  const ms = advance === undefined ? null : durationMs(advance);
  if (advance !== undefined && ms === null)
    throw invalid([{ path: "advance", message: "Expected a duration such as P30D, PT6H or P1DT12H." }]);
  const target = ms === null ? parseInstant(to ?? "") : from + ms;
  const path = advance === undefined ? "to" : "advance";
  if (target === null) throw invalid([{ path, message: "Expected a moment, such as 2026-03-01T09:00:00Z." }]);
  if (target < from) throw invalid([{ path, message: `Time goes on only: it is ${isoTime(from)}.` }]);
  if (target - from > longestAdvanceMs) throw invalid([{ path, message: "Expected at most 366 days at once." }]);
  return target;
}

function summaryOf(from: number, to: number, steps: number, events: readonly SimulationEvent[]): Advanced {
  const actions: Advanced["actions"] = {};
  const jobs: Advanced["jobs"] = {};
  const enrollments: Record<string, number> = {};
  const people = { accepted: 0, replied: 0 };
  const count = (counts: Record<string, number>, name: string) => (counts[name] = (counts[name] ?? 0) + 1);
  for (const { kind, what, outcome } of events) {
    if (kind === "action") count((actions[what] ??= {}), outcome);
    else if (kind === "job") count((jobs[what] ??= {}), outcome);
    else if (kind === "enrollment") count(enrollments, outcome);
    else people[kind]++;
  }
  const shown = events.slice(0, maxEvents).map(({ at, ...rest }) => ({ at: isoTime(at), ...rest }));
  return {
    from: isoTime(from),
    to: isoTime(to),
    steps,
    actions,
    ...people,
    enrollments,
    jobs,
    events: shown,
    total: events.length,
  };
}
