import type { Clock } from "../clock.ts";
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

/** What providers take of their own credits in the current month. Counted in memory; `flush` writes it. */
export class Spending {
  readonly #clock: Clock;
  #month = 0;
  #spent: Record<string, number> = {};
  #isChanged = false;

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

  /** Reads what was written before a restart; once, before the first `flush`. */
  async load(store: EnrichmentStore): Promise<void> {
    for (const [provider, spent] of Object.entries(await store.spending(this.#month))) this.add(provider, spent);
    this.#isChanged = false;
  }

  /** Writes what changed. A crash loses what came after the last call. */
  async flush(store: EnrichmentStore): Promise<void> {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    await store.saveSpending(this.#month, { ...this.#spent });
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
