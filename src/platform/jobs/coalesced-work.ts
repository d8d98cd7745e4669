import type { Clock } from "../base/clock.ts";
import { BackgroundWork } from "../../lib/concurrency/background-work.ts";

/**
 * Background work that is woken in bursts: the first call waits briefly, and calls made meanwhile are combined with it.
 * A busy server does not need to check or commit after each of a thousand small changes.
 */
export class CoalescedWork {
  readonly #work: BackgroundWork;
  readonly #clock: Clock;
  readonly #gatherMs: number;
  #cancel: (() => void) | null = null;

  /** `run` and `onError`: see `BackgroundWork`. */
  constructor(clock: Clock, gatherMs: number, run: () => Promise<void>, onError: (error: unknown) => void) {
    this.#work = new BackgroundWork(run, onError);
    this.#clock = clock;
    this.#gatherMs = gatherMs;
  }

  get isBusy(): boolean {
    return this.#cancel !== null || this.#work.isBusy;
  }

  /** `afterMs`: a longer delay, for less urgent work. */
  wake(afterMs: number = this.#gatherMs): void {
    this.#cancel ??= this.#clock.after(afterMs, () => this.#runNow());
  }

  /** Runs pending work immediately and resolves when nothing is running. */
  async idle(): Promise<void> {
    while (this.isBusy) {
      if (this.#cancel !== null) this.#runNow();
      await this.#work.idle();
    }
  }

  /** Ignores further calls and resolves when the current run has ended. */
  async stop(): Promise<void> {
    this.#cancel?.();
    this.#cancel = null;
    await this.#work.stop();
  }

  #runNow(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#work.wake();
  }
}
