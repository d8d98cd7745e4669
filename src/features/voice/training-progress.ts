import type { Clock } from "../../platform/base/clock.ts";
import type { JobContext } from "../../platform/jobs/handler.ts";
import type { VoiceStore } from "./store.ts";

/** Often enough for somebody who watches, seldom enough to cost nothing. */
const tellEveryMs = 500;

/** Writes the progress of a training, the latest only; `onLost` hears when the claim is void. */
export class TrainingProgress {
  readonly #store: VoiceStore;
  readonly #context: JobContext;
  readonly #clock: Clock;
  readonly #onLost: () => void;
  #toldAt = Number.NEGATIVE_INFINITY;
  #told = -1;
  #writing: Promise<void> = Promise.resolve();

  constructor(store: VoiceStore, context: JobContext, clock: Clock, onLost: () => void) {
    this.#store = store;
    this.#context = context;
    this.#clock = clock;
    this.#onLost = onLost;
  }

  /** Percent of the whole; it never goes back. */
  tell(percent: number, stage: string): void {
    const now = this.#clock.now();
    const progress = Math.min(99, Math.max(0, percent));
    if (progress <= this.#told || now - this.#toldAt < tellEveryMs) return;
    this.#told = progress;
    this.#toldAt = now;
    this.#writing = this.#writing.then(() => this.#write(progress, stage));
  }

  /** Resolves when what was told is written. */
  settled(): Promise<void> {
    return this.#writing;
  }

  async #write(progress: number, message: string): Promise<void> {
    const { claim, leaseUntil } = this.#context;
    const step = { claim, leaseUntil: leaseUntil(), at: this.#clock.now() };
    try {
      if (!(await this.#store.tellProgress({ ...step, progress, message }))) this.#onLost();
    } catch {
      // A full disk: progress is not worth a training. What it ends with is written patiently.
    }
  }
}
