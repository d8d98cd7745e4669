import type { Clock } from "../../platform/base/clock.ts";

type Limit = { at: number; signal: AbortSignal; passed: Promise<"timedOut">; calls: number; cancel: () => void };

/**
 * A limit on the time that calls take. Those that begin in the same millisecond share a timer and a signal, which
 * otherwise cost as much as writing down what came of the call.
 */
export class SharedTimeLimit {
  readonly #clock: Clock;
  readonly #ms: number;
  #latest: Limit | null = null;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** What `call` answers, or "timedOut" once the limit has passed; then its signal is aborted, too. */
  async within<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T | "timedOut"> {
    const limit = this.#limit();
    limit.calls += 1;
    try {
      return await Promise.race([call(limit.signal), limit.passed]);
    } finally {
      limit.calls -= 1;
      if (limit.calls === 0) this.#end(limit);
    }
  }

  #limit(): Limit {
    const at = this.#clock.now();
    if (this.#latest?.at === at) return this.#latest;
    const abort = new AbortController();
    const passed = Promise.withResolvers<"timedOut">();
    const cancel = this.#clock.after(this.#ms, () => {
      this.#forget(limit);
      abort.abort(new Error("Timed out"));
      passed.resolve("timedOut");
    });
    const limit: Limit = { at, signal: abort.signal, passed: passed.promise, calls: 0, cancel };
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
