import type { Clock } from "../base/clock.ts";
import { BackgroundWork } from "../../lib/concurrency/background-work.ts";

/**
 * Background work whose hints come in crowds: the first waits a little, and all that come meanwhile are one. So a busy
 * server is not asked for a look, or a commit, after each of a thousand small things.
 */
export class GatheredWork {
  readonly #work: BackgroundWork;
  readonly #clock: Clock;
  readonly #gatherMs: number;
  #cancel: (() => void) | null = null;

  /** `run` and `onError` as `BackgroundWork` has them. */
  constructor(clock: Clock, gatherMs: number, run: () => Promise<void>, onError: (error: unknown) => void) {
    this.#work = new BackgroundWork(run, onError);
    this.#clock = clock;
    this.#gatherMs = gatherMs;
  }

  get isBusy(): boolean {
    return this.#cancel !== null || this.#work.isBusy;
  }

  /** `afterMs`: for a hint that is in less of a hurry. */
  wake(afterMs: number = this.#gatherMs): void {
    this.#cancel ??= this.#clock.after(afterMs, () => this.#now());
  }

  /** Does at once what it was woken for, and resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.isBusy) {
      if (this.#cancel !== null) this.#now();
      await this.#work.idle();
    }
  }

  /** Takes no more hints, and resolves when the run that is under way has ended. */
  async stop(): Promise<void> {
    this.#cancel?.();
    this.#cancel = null;
    await this.#work.stop();
  }

  #now(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#work.wake();
  }
}
