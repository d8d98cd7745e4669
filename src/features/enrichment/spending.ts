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
 * Credits spent at each provider in the current month. Counted in memory and written by `flush`, together with the
 * maximum cost of calls in progress: a crash never loses a call, but may count one that cost nothing.
 */
export class Spending {
  readonly #clock: Clock;
  #month = 0;
  #spent: Record<string, number> = {};
  readonly #held: Record<string, number> = {};
  #isChanged = false;
  #store: EnrichmentStore | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#month = this.#currentMonth();
  }

  of(provider: string): number {
    this.#resetIfNewMonth();
    return this.#spent[provider] ?? 0;
  }

  add(provider: string, amount: number): void {
    if (amount <= 0) return;
    this.#spent[provider] = sumOf(this.of(provider), amount);
    this.#isChanged = true;
  }

  /** Holds the maximum cost of a call. Durable once the promise resolves. */
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
    this.#isChanged = true;
  }

  /** Loads the spending from before a restart. Call once, before the first `flush` or `hold`. */
  async load(store: EnrichmentStore): Promise<void> {
    this.#store = store;
    for (const [provider, spent] of Object.entries(await store.spending(this.#month))) this.add(provider, spent);
    this.#isChanged = false;
  }

  /** Writes changes to the store. */
  async flush(store: EnrichmentStore): Promise<void> {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    this.#resetIfNewMonth();
    const names = new Set([...Object.keys(this.#spent), ...Object.keys(this.#held)]);
    const sums = [...names].map((name) => [name, sumOf(this.#spent[name] ?? 0, this.#held[name] ?? 0)]);
    await store.saveSpending(this.#month, Object.fromEntries(sums));
  }

  #resetIfNewMonth(): void {
    const month = this.#currentMonth();
    if (month === this.#month) return;
    this.#month = month;
    this.#spent = {};
  }

  #currentMonth(): number {
    const date = new Date(this.#clock.now());
    return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
  }
}
