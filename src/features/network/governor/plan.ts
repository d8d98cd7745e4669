import type { Meter } from "../meter-model.ts";
import type { PendingReason } from "../action-model.ts";
import { earliestSlot, gapOf, type Governed, type Timeline } from "./slot.ts";

/** A timeline in memory, for planning a whole queue. */
export class MemoryTimeline implements Timeline {
  readonly #times = new Map<Meter, number[]>();

  add(uses: readonly Meter[], at: number): void {
    for (const meter of uses) {
      const times = this.#of(meter);
      if (at >= (times.at(-1) ?? -Infinity)) times.push(at);
      else times.splice(firstAfter(times, at), 0, at);
    }
  }

  nthBefore(meter: Meter, at: number, n: number): number | null {
    const times = this.#of(meter);
    return times[firstAfter(times, at) - n] ?? null;
  }

  between(meter: Meter, from: number, to: number): readonly number[] {
    const times = this.#of(meter);
    return times.slice(firstAfter(times, from), firstAfter(times, to));
  }

  #of(meter: Meter): number[] {
    let times = this.#times.get(meter);
    if (times === undefined) this.#times.set(meter, (times = []));
    return times;
  }
}

/** An action waiting in the queue. */
export type Waiting = { uses: readonly Meter[]; notBefore: number; draw: number };
export type Turn<W> = { waiting: W; at: number | null; reason: PendingReason };

/**
 * Assigns each waiting action, in order, the earliest time from `now` on that its account allows, and adds it to the
 * timeline. Lazy: the caller requests as many turns at a time as it can afford.
 */
export function* plan<W extends Waiting>(
  account: Governed,
  timeline: MemoryTimeline,
  queue: Iterable<W>,
  now: number,
): Generator<Turn<W>, void, void> {
  // No other action of a meter fits before the time of the last action that could have been placed anywhere.
  const frontiers = new Map<Meter, number>();
  for (const waiting of queue) {
    const { uses, notBefore, draw } = waiting;
    const frontier = frontiers.get(narrowestOf(uses)) ?? now;
    const request = { account, uses, notBefore: Math.max(notBefore, frontier), gapMs: gapOf(account.spacing, draw) };
    const slot = earliestSlot(request, timeline, maxSteps);
    if (slot.at !== null) {
      timeline.add(uses, slot.at);
      if (notBefore <= frontier) frontiers.set(narrowestOf(uses), slot.at);
    }
    yield { waiting, at: slot.at, reason: reasonInQueue(slot.reason, notBefore, frontier, now) };
  }
}

/** Enough to skip a year of full days. Beyond that, the time is an estimate that the next plan improves. */
const maxSteps = 2_000;

/** The meter that determines the position of an action in the queue: the one used by the fewest other actions. */
export function narrowestOf(uses: readonly Meter[]): Meter {
  return (uses.includes("notes") ? "notes" : uses[0]) ?? "all";
}

/** The pending reason of an action: its requested time or the actions before it, if nothing else delays it. */
export function reasonInQueue(reason: PendingReason, notBefore: number, frontier: number, now: number): PendingReason {
  const isFirst = frontier <= Math.max(notBefore, now);
  if (reason === "queued" && isFirst && notBefore > now) return "notBefore";
  return reason === "spacing" && !isFirst ? "queued" : reason;
}

/** The index of the first time after `at`. */
function firstAfter(times: readonly number[], at: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? Infinity) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
