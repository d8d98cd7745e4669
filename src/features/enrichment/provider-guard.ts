import { isoTimeOrNull, type Clock } from "../../platform/base/clock.ts";
import type { Log } from "../../platform/base/log.ts";
import type { EnrichField } from "./fields.ts";
import type { ProviderView, Subject } from "./model.ts";
import type { EnrichmentProvider, LookUpContext, LookUpOutcome } from "./provider.ts";
import { Credits, sumOf, type Spending } from "./spending.ts";

export type GuardSettings = {
  timeoutMs: number;
  /** The provider's own credits in a month; null = no cap. */
  spendCap: number | null;
};

/** So many failures in a row, and the provider is left alone for a while. */
const failuresToPause = 5;
const shortestPauseMs = 60_000;
const longestPauseMs = 15 * 60_000;
/** An account that is used up is not asked again before. */
const exhaustedPauseMs = 3_600_000;
/** skipped: it was not asked, because it pauses or has spent what it may. */
export type GuardedOutcome = LookUpOutcome | { kind: "skipped" };

/**
 * A provider behind a time limit, a monthly cap on what it spends, and a circuit breaker: one that fails again and
 * again is left alone for a minute, then tried with a single call; each failed trial doubles the pause.
 */
export class GuardedProvider {
  readonly #provider: EnrichmentProvider;
  readonly #settings: GuardSettings;
  readonly #spending: Spending;
  readonly #clock: Clock;
  readonly #log: Log;
  #failures = 0;
  #pauseMs = shortestPauseMs;
  #pausedUntil = 0;
  #pauses = 0;
  #underWay = 0;
  /** What those who are under way may cost. */
  readonly #reserved = new Credits();

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

  get gives(): readonly EnrichField[] {
    return this.#provider.gives;
  }

  brings(subject: Subject): readonly EnrichField[] {
    return this.#provider.brings(subject);
  }

  /** As the provider's own. */
  asksInPart(subject: Subject, wanted: ReadonlySet<EnrichField>): boolean {
    return this.#provider.asksInPart?.(subject, wanted) ?? false;
  }

  /** As the provider's own. */
  verifies(subject: Subject): string | null {
    return this.#provider.verifies?.(subject) ?? null;
  }

  view(): ProviderView {
    const isPaused = this.#pausedUntil > this.#clock.now();
    return {
      name: this.name,
      fields: [...this.gives],
      state: isPaused ? "paused" : this.#canPay(this.#least) ? "ready" : "exhausted",
      pausedUntil: isoTimeOrNull(isPaused ? this.#pausedUntil : null),
      creditsUsed: this.#spending.of(this.name),
      spendCap: this.#settings.spendCap,
    };
  }

  /** When it may be asked again; in the past for one that is ready, null for one that has spent what it may. */
  get backAt(): number | null {
    return this.#canPay(this.#least) ? this.#pausedUntil : null;
  }

  /** Whether its monthly cap leaves enough to ask about this person. */
  canPayFor(subject: Subject): boolean {
    return this.#canPay(this.#costOf(subject));
  }

  async lookUp(subject: Subject, context: LookUpContext): Promise<GuardedOutcome> {
    if (!this.#mayAsk(subject)) return { kind: "skipped" };
    const cost = this.#costOf(subject);
    this.#underWay++;
    this.#reserved.add(cost);
    const pauses = this.#pauses;
    try {
      const outcome = await this.#withinTime(subject, context, cost);
      // Who gave up waiting learned nothing about the provider; nor does a failure tell more that others paused it for.
      const isNews = !context.signal.aborted && (outcome.kind !== "failed" || pauses === this.#pauses);
      if (isNews) this.#learn(outcome);
      return outcome;
    } finally {
      this.#underWay--;
      this.#reserved.add(-cost);
      if (this.#isCapped(cost)) this.#spending.release(this.name, cost);
    }
  }

  #mayAsk(subject: Subject): boolean {
    if (this.#pausedUntil > this.#clock.now() || !this.canPayFor(subject)) return false;
    const isOnTrial = this.#failures >= failuresToPause;
    return !isOnTrial || this.#underWay === 0;
  }

  get #least(): number {
    const { spends = 1 } = this.#provider;
    return typeof spends === "number" ? spends : spends.least;
  }

  #costOf(subject: Subject): number {
    const { spends = 1 } = this.#provider;
    return typeof spends === "number" ? spends : spends.on(subject);
  }

  #canPay(cost: number): boolean {
    const { spendCap } = this.#settings;
    // A call is taken for the most that it may cost until it tells.
    return spendCap === null || sumOf(this.#spending.of(this.name), this.#reserved.sum, cost) <= spendCap;
  }

  #isCapped(cost: number): boolean {
    return this.#settings.spendCap !== null && cost > 0;
  }

  /** What a capped call may take is on the disk before it is sent. */
  async #send(subject: Subject, context: LookUpContext, cost: number): Promise<LookUpOutcome> {
    if (this.#isCapped(cost)) await this.#spending.hold(this.name, cost);
    return this.#provider.lookUp(subject, context);
  }

  /** A provider that does not heed its signal is not waited for. */
  async #withinTime(subject: Subject, context: LookUpContext, cost: number): Promise<LookUpOutcome> {
    const stop = new AbortController();
    const abort = (): void => stop.abort();
    let giveUp = (): void => {};
    const gaveUp = new Promise<LookUpOutcome>((resolve) => {
      giveUp = () => resolve({ kind: "failed", reason: "It took too long" });
    });
    stop.signal.addEventListener("abort", giveUp);
    const cancel = this.#clock.after(this.#settings.timeoutMs, abort);
    context.signal.addEventListener("abort", abort);
    if (context.signal.aborted) abort();
    try {
      const asked = this.#send(subject, { ...context, signal: stop.signal }, cost);
      return await Promise.race([asked, gaveUp]);
    } catch (error) {
      this.#log.error({ err: error, provider: this.name }, "an enrichment provider broke");
      return { kind: "failed", reason: "An internal error" };
    } finally {
      cancel();
      context.signal.removeEventListener("abort", abort);
    }
  }

  #learn(outcome: LookUpOutcome): void {
    switch (outcome.kind) {
      case "found":
      case "none":
        this.#failures = 0;
        this.#pauseMs = shortestPauseMs;
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
        this.#pauseMs = Math.min(longestPauseMs, this.#pauseMs * 2);
    }
  }

  #pause(until: number, reason: string): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
    this.#pauses++;
    this.#log.warn({ provider: this.name, until: isoTimeOrNull(until), reason }, "an enrichment provider pauses");
  }
}
