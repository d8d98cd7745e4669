import type { Meter } from "../account-model.ts";
import type { PendingReason } from "../action-model.ts";
import { earliestSlot, gapOf, type Governed, type Timeline } from "./slot.ts";

/** A timeline in memory, for plans that are worked out as a whole. */
export class MemoryTimeline implements Timeline {
  readonly #moments = new Map<Meter, number[]>();

  add(uses: readonly Meter[], at: number): void {
    for (const meter of uses) {
      const moments = this.#of(meter);
      if (at >= (moments.at(-1) ?? -Infinity)) moments.push(at);
      else moments.splice(firstAfter(moments, at), 0, at);
    }
  }

  nthBefore(meter: Meter, at: number, n: number): number | null {
    const moments = this.#of(meter);
    return moments[firstAfter(moments, at) - n] ?? null;
  }

  between(meter: Meter, from: number, to: number): readonly number[] {
    const moments = this.#of(meter);
    return moments.slice(firstAfter(moments, from), firstAfter(moments, to));
  }

  #of(meter: Meter): number[] {
    let moments = this.#moments.get(meter);
    if (moments === undefined) this.#moments.set(meter, (moments = []));
    return moments;
  }
}

/** An action that waits for its turn. */
export type Waiting = { uses: readonly Meter[]; notBefore: number; draw: number };
export type Turn<W> = { waiting: W; at: number | null; reason: PendingReason };

/**
 * Gives each waiting action, in this order, the earliest moment from `now` on that its account allows, and adds it to
 * the timeline. Lazy: the caller takes as many turns at a time as it has time for.
 */
export function* plan<W extends Waiting>(
  account: Governed,
  timeline: MemoryTimeline,
  queue: Iterable<W>,
  now: number,
): Generator<Turn<W>, void, void> {
  // Nothing that uses a meter fits before the moment given to the last one that could have been placed anywhere.
  const frontiers = new Map<Meter, number>();
  for (const waiting of queue) {
    const { uses, notBefore, draw } = waiting;
    const frontier = frontiers.get(narrowestOf(uses)) ?? now;
    const request = { account, uses, notBefore: Math.max(notBefore, frontier), gapMs: gapOf(account.spacing, draw) };
    const slot = earliestSlot(request, timeline, mostSteps);
    if (slot.at !== null) {
      timeline.add(uses, slot.at);
      if (notBefore <= frontier) frontiers.set(narrowestOf(uses), slot.at);
    }
    yield { waiting, at: slot.at, reason: reasonInQueue(slot.reason, notBefore, frontier, now) };
  }
}

/** Enough to pass a year of full days in memory; beyond that the moment is a guess that the next plan makes better. */
const mostSteps = 2_000;

/** The meter in whose queue an action stands: the one that few others take from. */
export function narrowestOf(uses: readonly Meter[]): Meter {
  return (uses.includes("notes") ? "notes" : uses[0]) ?? "all";
}

/** What an action waits for: its own moment, or only those before it, when nothing else holds it back. */
export function reasonInQueue(reason: PendingReason, notBefore: number, frontier: number, now: number): PendingReason {
  const isFirst = frontier <= Math.max(notBefore, now);
  if (reason === "queued" && isFirst && notBefore > now) return "notBefore";
  return reason === "spacing" && !isFirst ? "queued" : reason;
}

/** The index of the first moment after `at`. */
function firstAfter(moments: readonly number[], at: number): number {
  let low = 0;
  let high = moments.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((moments[middle] ?? Infinity) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
