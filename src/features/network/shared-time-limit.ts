import type { Clock } from "../../platform/base/clock.ts";

type Limit = { at: number; signal: AbortSignal; expired: Promise<"timedOut">; calls: number; cancel: () => void };

/**
 * A time limit for calls. Calls that start in the same millisecond share a timer and a signal, because creating them for
 * each call would cost as much as storing its outcome.
 */
export class SharedTimeLimit {
  readonly #clock: Clock;
  readonly #ms: number;
  #latest: Limit | null = null;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Returns the result of `call`, or aborts its signal and returns "timedOut" after the limit. */
  async within<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T | "timedOut"> {
    const limit = this.#limit();
    limit.calls += 1;
    try {
      return await Promise.race([call(limit.signal), limit.expired]);
    } finally {
      limit.calls -= 1;
      if (limit.calls === 0) this.#end(limit);
    }
  }

  #limit(): Limit {
    const at = this.#clock.now();
    if (this.#latest?.at === at) return this.#latest;
    const abort = new AbortController();
    const expired = Promise.withResolvers<"timedOut">();
    const cancel = this.#clock.after(this.#ms, () => {
      this.#forget(limit);
      abort.abort(new Error("Timed out"));
      expired.resolve("timedOut");
    });
    const limit: Limit = { at, signal: abort.signal, expired: expired.promise, calls: 0, cancel };
    this.#latest = limit;
    return limit;
  }

  #end(limit: Limit): void {
    this.#forget(limit);
    limit.cancel();
  }

  #forget(limit: Limit): void {
    if (this.#latest === limit) this.#latest = null;
  }
}
