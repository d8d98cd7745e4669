import { runOutsideRequest } from "./outside-request.ts";

/**
 * Work that runs whenever there may be something to do. `wake` is a cheap hint; what there is to do is known elsewhere.
 * It never runs concurrently with itself, runs once more if it was woken meanwhile, and runs outside the request that
 * wakes it.
 */
export class BackgroundWork {
  readonly #run: () => Promise<void>;
  readonly #onError: (error: unknown) => void;
  #working: Promise<void> | null = null;
  #again = false;
  #isStopped = false;

  /** `run` must handle expected errors; `onError` receives the others. */
  constructor(run: () => Promise<void>, onError: (error: unknown) => void) {
    this.#run = run;
    this.#onError = onError;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  get isBusy(): boolean {
    return this.#working !== null;
  }

  wake(): void {
    if (this.#isStopped) return;
    if (this.#working !== null) {
      this.#again = true;
      return;
    }
    this.#working = runOutsideRequest(this.#run)
      .catch(this.#onError)
      .finally(() => {
        this.#working = null;
        if (!this.#again) return;
        this.#again = false;
        this.wake();
      });
  }

  /** Resolves when nothing is running. */
  async idle(): Promise<void> {
    while (this.#working !== null) await this.#working;
  }

  /** Ignores further hints and resolves when the current run has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#again = false;
    await this.#working;
  }
}
