import { Cron } from "croner";
import { runOutsideRequest } from "../../lib/concurrency/outside-request.ts";
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
  /** The next time at which work is due; null if there is none. */
  nextDueAt: () => Promise<number | null>;
  /** Resolves when no due work is left. */
  idle: () => Promise<void>;
  /** See `JobRunner.onDiskFault`: work that waits for a full disk is not idle until space has been freed. */
  onDiskFault: (notify: (error: unknown) => void) => () => void;
  chores: readonly Chore[];
  log: Log;
};

/** More frequent chores only check for due work, which the simulator knows about, so it does not stop for them. */
const minStopPeriodMs = 3_600_000;
/** Frequent chores run wherever the simulator stops, but at least this far apart. */
const minChoreGapMs = 600_000;
/** Delay before checking again for due work that waits for something else. */
const stuckRetryMs = 60_000;
/** Work that keeps rescheduling itself without delay cannot be waited for. */
const maxRounds = 100;
const maxEvents = 1_000;
/** Steps after which the time is stored, in case the process ends. */
const stepsBetweenWrites = 100;

type ScheduledChore = { chore: Chore; cron: Cron; isFrequent: boolean; at: number };

/**
 * Advances the clock from one due time to the next, and waits each time until all resulting work is done. Everything
 * therefore happens in order, regardless of the speed of the machine.
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
   * Resolves when the target is reached, or earlier if `signal` aborts or the server stops. Throws VALIDATION_ERROR for
   * an invalid target, CONFLICT while the clock is advancing, and the error of the disk if it cannot be written to.
   */
  async advance(input: ClockInput, signal: AbortSignal): Promise<Advanced> {
    const { clock, store, onDiskFault } = this.#parts;
    const from = clock.now();
    const to = targetOf(input, from);
    if (this.#isAdvancing) throw new ApiError("CONFLICT", { message: "The clock is already advancing." });
    this.#isAdvancing = true;
    const fault = Promise.withResolvers<never>();
    // The rejection may arrive when it is no longer awaited.
    fault.promise.catch(() => {});
    const stopListening = onDiskFault(fault.reject);
    try {
      // Marks the start of the request's effects, so that a repetition does not advance the clock again.
      await store.setNow(from);
      const steps = await runOutsideRequest(() => this.#moveTo(to, signal, fault.promise));
      const events = await store.eventsBetween(from, clock.now());
      await store.setNow(clock.now());
      return summaryOf(from, clock.now(), steps, events);
    } finally {
      stopListening();
      this.#isAdvancing = false;
    }
  }

  /** Stops an advance in progress soon; its response reports how far it got. */
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
      // Lets concurrent requests run.
      await pause();
    }
  }

  /** Resolves when all work due at the current time is done, including work that becomes due as a result. */
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
    throw invalid([{ path: "", message: "Send either advance, such as P30D, or to, such as 2026-03-01T09:00:00Z." }]);
  const ms = advance === undefined ? null : durationMs(advance);
  if (advance !== undefined && ms === null)
    throw invalid([{ path: "advance", message: "Expected a duration such as P30D, PT6H, or P1DT12H." }]);
  const target = ms === null ? parseInstant(to ?? "") : from + ms;
  const path = advance === undefined ? "to" : "advance";
  if (target === null) throw invalid([{ path, message: "Expected a date and time, such as 2026-03-01T09:00:00Z." }]);
  if (target < from)
    throw invalid([{ path, message: `Must not be before the current simulated time, ${isoTime(from)}.` }]);
  if (target - from > longestAdvanceMs) throw invalid([{ path, message: "Expected at most 366 days per request." }]);
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
