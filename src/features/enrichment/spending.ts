import type { Clock } from "../../platform/base/clock.ts";
import type { EnrichmentStore } from "./store.ts";

/** Vendors have halves and tenths of credits, which no binary fraction is exactly: they are counted in millionths. */
const millionths = 1_000_000;

export function sumOf(...amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + Math.round(amount * millionths), 0) / millionths;
}

/** A sum of a vendor's credits, exactly. */
export class Credits {
  sum = 0;

  add(amount: number): void {
    this.sum = sumOf(this.sum, amount);
  }
}

/**
 * What providers take of their own credits in the current month. Counted in memory; `flush` writes it. What calls under
 * way may take is written with it, so a crash forgets none of them, and may count one that took nothing.
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
    this.#turnPage();
    return this.#spent[provider] ?? 0;
  }

  add(provider: string, amount: number): void {
    if (amount <= 0) return;
    this.#spent[provider] = sumOf(this.of(provider), amount);
    this.#isChanged = true;
  }

  /** Holds what a call may take; from the end of the promise on, a crash does not forget it. */
  async hold(provider: string, amount: number): Promise<void> {
    this.#hold(provider, amount);
    if (this.#store !== null) await this.flush(this.#store);
  }

  /** What was held, when the call has ended and what it took is added. */
  release(provider: string, amount: number): void {
    this.#hold(provider, -amount);
  }

  #hold(provider: string, amount: number): void {
    this.#held[provider] = sumOf(this.#held[provider] ?? 0, amount);
    this.#isChanged = true;
  }

  /** Reads what was written before a restart; once, before the first `flush` and `hold`. */
  async load(store: EnrichmentStore): Promise<void> {
    this.#store = store;
    for (const [provider, spent] of Object.entries(await store.spending(this.#month))) this.add(provider, spent);
    this.#isChanged = false;
  }

  /** Writes what changed. */
  async flush(store: EnrichmentStore): Promise<void> {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    this.#turnPage();
    const names = new Set([...Object.keys(this.#spent), ...Object.keys(this.#held)]);
    const sums = [...names].map((name) => [name, sumOf(this.#spent[name] ?? 0, this.#held[name] ?? 0)]);
    await store.saveSpending(this.#month, Object.fromEntries(sums));
  }

  #turnPage(): void {
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
