import type { Clock } from "../../platform/base/clock.ts";
import type { EnrichmentStore } from "./store.ts";

/**
 * Vendors charge tenths of credits, which have no exact binary representation, so amounts are counted in millionths.
 */
const millionths = 1_000_000;

export function sumOf(...amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + Math.round(amount * millionths), 0) / millionths;
}

/** An exact sum of vendor credits. */
export class CreditSum {
  sum = 0;

  add(amount: number): void {
    this.sum = sumOf(this.sum, amount);
  }
}

/**
 * Credits spent at each provider in the current month, by all processes that share the store. Counted in memory and
 * written by `flush`, together with the maximum cost of calls in progress: a crash never loses a call, but may count one
 * that cost nothing.
 */
export class Spending {
  readonly #clock: Clock;
  #month = 0;
  /** By provider, by this process. */
  #spent: Record<string, number> = {};
  readonly #held: Record<string, number> = {};
  /** How much of what this process spent and holds is in the store. */
  #stored: Record<string, number> = {};
  /** What others have spent and hold, as of the last write: other processes, and this one before a restart. */
  #others: Record<string, number> = {};
  #store: EnrichmentStore | null = null;
  #lastWrite: Promise<void> = Promise.resolve();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#month = this.#currentMonth();
  }

  of(provider: string): number {
    this.#resetIfNewMonth();
    return sumOf(this.#spent[provider] ?? 0, this.#others[provider] ?? 0);
  }

  add(provider: string, amount: number): void {
    if (amount <= 0) return;
    this.#resetIfNewMonth();
    this.#spent[provider] = sumOf(this.#spent[provider] ?? 0, amount);
  }

  /** Holds the maximum cost of a call. Durable once the promise resolves; `of` then includes what others hold. */
  async hold(provider: string, amount: number): Promise<void> {
    this.#hold(provider, amount);
    if (this.#store !== null) await this.flush(this.#store);
  }

  /** Releases a hold after the call has ended and its cost was added. */
  release(provider: string, amount: number): void {
    this.#hold(provider, -amount);
  }

  #hold(provider: string, amount: number): void {
    this.#held[provider] = sumOf(this.#held[provider] ?? 0, amount);
  }

  /** Loads the spending so far. Call once, before the first `flush` or `hold`. */
  async load(store: EnrichmentStore): Promise<void> {
    this.#store = store;
    this.#others = await store.spending(this.#month);
  }

  /** Writes changes to the store: one write after the other, because each adds to what was written before. */
  async flush(store: EnrichmentStore): Promise<void> {
    const writing = this.#lastWrite.then(() => this.#write(store));
    this.#lastWrite = writing.catch(() => {});
    await writing;
  }

  async #write(store: EnrichmentStore): Promise<void> {
    this.#resetIfNewMonth();
    const month = this.#month;
    const names = new Set([...Object.keys(this.#spent), ...Object.keys(this.#held)]);
    const changes = [...names]
      .map((name) => [name, this.#changeOf(name)] as const)
      .filter(([, change]) => change !== 0);
    if (changes.length === 0) return;
    const sums = await store.addSpending(month, Object.fromEntries(changes));
    if (month !== this.#month) return;
    for (const [name, change] of changes) {
      this.#stored[name] = sumOf(this.#stored[name] ?? 0, change);
      this.#others[name] = sumOf(sums[name] ?? 0, -this.#stored[name]);
    }
  }

  #changeOf(name: string): number {
    return sumOf(this.#spent[name] ?? 0, this.#held[name] ?? 0, -(this.#stored[name] ?? 0));
  }

  #resetIfNewMonth(): void {
    const month = this.#currentMonth();
    if (month === this.#month) return;
    this.#month = month;
    this.#spent = {};
    this.#stored = {};
    this.#others = {};
  }

  #currentMonth(): number {
    const date = new Date(this.#clock.now());
    return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
  }
}
