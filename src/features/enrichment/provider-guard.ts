import { isoTimeOrNull, type Clock } from "../../platform/base/clock.ts";
import type { Log } from "../../platform/base/log.ts";
import type { EnrichField } from "./fields.ts";
import type { ProviderView, Subject } from "./model.ts";
import type { EnrichmentProvider, LookUpContext, LookUpOutcome } from "./provider.ts";
import { CreditSum, sumOf, type Spending } from "./spending.ts";

export type GuardSettings = {
  timeoutMs: number;
  /** Monthly limit in the provider's own credits; null = no cap. */
  spendCap: number | null;
};

/** Consecutive failures after which the provider is paused. */
const failuresToPause = 5;
const minPauseMs = 60_000;
const maxPauseMs = 15 * 60_000;
/** Pause after the account is exhausted. */
const exhaustedPauseMs = 3_600_000;
/** `skipped`: not queried, because the provider is paused or has reached its spend cap. */
export type GuardedOutcome = LookUpOutcome | { kind: "skipped" };

/**
 * Wraps a provider with a timeout, a monthly spend cap, and a circuit breaker: after repeated failures, the provider is
 * paused for a minute, then probed with a single call; each failed probe doubles the pause.
 */
export class GuardedProvider {
  readonly #provider: EnrichmentProvider;
  readonly #settings: GuardSettings;
  readonly #spending: Spending;
  readonly #clock: Clock;
  readonly #log: Log;
  #failures = 0;
  #pauseMs = minPauseMs;
  #pausedUntil = 0;
  #pauses = 0;
  #activeCalls = 0;
  /** Maximum cost of the calls in progress. */
  readonly #reserved = new CreditSum();

  constructor(provider: EnrichmentProvider, settings: GuardSettings, spending: Spending, clock: Clock, log: Log) {
    this.#provider = provider;
    this.#settings = settings;
    this.#spending = spending;
    this.#clock = clock;
    this.#log = log;
  }

  get name(): string {
    return this.#provider.name;
  }

  get fields(): readonly EnrichField[] {
    return this.#provider.fields;
  }

  fieldsFor(subject: Subject): readonly EnrichField[] {
    return this.#provider.fieldsFor(subject);
  }

  /** See `EnrichmentProvider`. */
  asksPartially(subject: Subject, wanted: ReadonlySet<EnrichField>): boolean {
    return this.#provider.asksPartially?.(subject, wanted) ?? false;
  }

  /** See `EnrichmentProvider`. */
  verifies(subject: Subject): string | null {
    return this.#provider.verifies?.(subject) ?? null;
  }

  view(): ProviderView {
    const isPaused = this.#pausedUntil > this.#clock.now();
    return {
      name: this.name,
      fields: [...this.fields],
      state: isPaused ? "paused" : this.#canPay(this.#minCost) ? "ready" : "exhausted",
      pausedUntil: isoTimeOrNull(isPaused ? this.#pausedUntil : null),
      creditsUsed: this.#spending.of(this.name),
      spendCap: this.#settings.spendCap,
    };
  }

  /** When the provider can be queried again: in the past if it is ready, null if its spend cap is reached. */
  get availableAt(): number | null {
    return this.#canPay(this.#minCost) ? this.#pausedUntil : null;
  }

  /** Whether the monthly cap leaves enough for a query about this person. */
  canPayFor(subject: Subject): boolean {
    return this.#canPay(this.#costOf(subject));
  }

  async lookUp(subject: Subject, context: LookUpContext): Promise<GuardedOutcome> {
    if (!this.#isAvailableFor(subject)) return { kind: "skipped" };
    const cost = this.#costOf(subject);
    this.#activeCalls++;
    this.#reserved.add(cost);
    const pauses = this.#pauses;
    try {
      const outcome = await this.#sendWithTimeout(subject, context, cost);
      // An aborted wait says nothing about the provider, nor does a failure for which another call already paused it.
      const isRelevant = !context.signal.aborted && (outcome.kind !== "failed" || pauses === this.#pauses);
      if (isRelevant) this.#recordOutcome(outcome);
      return outcome;
    } finally {
      this.#activeCalls--;
      this.#reserved.add(-cost);
      if (this.#isCapped(cost)) this.#spending.release(this.name, cost);
    }
  }

  #isAvailableFor(subject: Subject): boolean {
    if (this.#pausedUntil > this.#clock.now() || !this.canPayFor(subject)) return false;
    const isProbing = this.#failures >= failuresToPause;
    return !isProbing || this.#activeCalls === 0;
  }

  get #minCost(): number {
    const { spends = 1 } = this.#provider;
    return typeof spends === "number" ? spends : spends.minimum;
  }

  #costOf(subject: Subject): number {
    const { spends = 1 } = this.#provider;
    return typeof spends === "number" ? spends : spends.on(subject);
  }

  #canPay(cost: number): boolean {
    const { spendCap } = this.#settings;
    // Until a call returns, it counts with its maximum cost.
    return spendCap === null || sumOf(this.#spending.of(this.name), this.#reserved.sum, cost) <= spendCap;
  }

  #isCapped(cost: number): boolean {
    return this.#settings.spendCap !== null && cost > 0;
  }

  /** The maximum cost of a capped call is written to disk before the call is sent. */
  async #send(subject: Subject, context: LookUpContext, cost: number): Promise<GuardedOutcome> {
    if (this.#isCapped(cost)) {
      await this.#spending.hold(this.name, cost);
      // Another process may have taken the rest meanwhile. This call is among the reserved ones already.
      if (!this.#canPay(0)) return { kind: "skipped" };
    }
    return this.#provider.lookUp(subject, context);
  }

  /** Does not wait for a provider that ignores its abort signal. */
  async #sendWithTimeout(subject: Subject, context: LookUpContext, cost: number): Promise<GuardedOutcome> {
    const stop = new AbortController();
    const abort = (): void => stop.abort();
    let giveUp = (): void => {};
    const gaveUp = new Promise<LookUpOutcome>((resolve) => {
      giveUp = () => resolve({ kind: "failed", reason: "Timed out" });
    });
    stop.signal.addEventListener("abort", giveUp);
    const cancel = this.#clock.after(this.#settings.timeoutMs, abort);
    context.signal.addEventListener("abort", abort);
    if (context.signal.aborted) abort();
    try {
      const asked = this.#send(subject, { ...context, signal: stop.signal }, cost);
      return await Promise.race([asked, gaveUp]);
    } catch (error) {
      this.#log.error({ err: error, provider: this.name }, "enrichment provider threw an error");
      return { kind: "failed", reason: "Internal error" };
    } finally {
      cancel();
      context.signal.removeEventListener("abort", abort);
    }
  }

  #recordOutcome(outcome: GuardedOutcome): void {
    switch (outcome.kind) {
      case "skipped":
        return;
      case "found":
      case "none":
        this.#failures = 0;
        this.#pauseMs = minPauseMs;
        this.#spending.add(this.name, outcome.spent);
        return;
      case "paused":
        return this.#pause(outcome.until, outcome.reason);
      case "exhausted":
        return this.#pause(this.#clock.now() + exhaustedPauseMs, outcome.reason);
      case "failed":
        this.#failures++;
        if (this.#failures < failuresToPause) return;
        this.#pause(this.#clock.now() + this.#pauseMs, outcome.reason);
        this.#pauseMs = Math.min(maxPauseMs, this.#pauseMs * 2);
    }
  }

  #pause(until: number, reason: string): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
    this.#pauses++;
    this.#log.warn({ provider: this.name, until: isoTimeOrNull(until), reason }, "enrichment provider paused");
  }
}
