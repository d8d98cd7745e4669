import type { Clock } from "../../platform/base/clock.ts";
import type { JobContext } from "../../platform/jobs/handler.ts";
import type { VoiceStore } from "./store.ts";

/** Frequent enough for a user who is watching, and rare enough to be cheap. */
const writeIntervalMs = 500;

/** Stores the latest progress of a training. Calls `onLost` if the claim is void. */
export class TrainingProgress {
  readonly #store: VoiceStore;
  readonly #context: JobContext;
  readonly #clock: Clock;
  readonly #onLost: () => void;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #writtenPercent = -1;
  #writing: Promise<void> = Promise.resolve();

  constructor(store: VoiceStore, context: JobContext, clock: Clock, onLost: () => void) {
    this.#store = store;
    this.#context = context;
    this.#clock = clock;
    this.#onLost = onLost;
  }

  /** Percentage of the whole training. Lower values than before are ignored. */
  report(percent: number, stage: string): void {
    const now = this.#clock.now();
    const progress = Math.min(99, Math.max(0, percent));
    if (progress <= this.#writtenPercent || now - this.#writtenAt < writeIntervalMs) return;
    this.#writtenPercent = progress;
    this.#writtenAt = now;
    this.#writing = this.#writing.then(() => this.#write(progress, stage));
  }

  /** Resolves when all reported progress is stored. */
  flush(): Promise<void> {
    return this.#writing;
  }

  async #write(progress: number, message: string): Promise<void> {
    const { claim, leaseUntil } = this.#context;
    const step = { claim, leaseUntil: leaseUntil(), at: this.#clock.now() };
    try {
      if (!(await this.#store.updateProgress({ ...step, progress, message }))) this.#onLost();
    } catch {
      // On a full disk, losing progress must not fail the training. Its result is written with retries.
    }
  }
}
