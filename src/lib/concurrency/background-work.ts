import { runOutsideRequest } from "./outside-request.ts";

/**
 * Work that is done whenever there may be some: `wake` is a hint, cheap to give often; what there is to do is known
 * elsewhere. It never runs twice at once, and runs once more when it was woken meanwhile. It is none of the request's own
 * that wakes it.
 */
export class BackgroundWork {
  readonly #run: () => Promise<void>;
  readonly #onError: (error: unknown) => void;
  #working: Promise<void> | null = null;
  #again = false;
  #isStopped = false;

  /** `run` must not throw for what it can expect; what it throws even so goes to `onError`. */
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

  /** Resolves when it has nothing under way. */
  async idle(): Promise<void> {
    while (this.#working !== null) await this.#working;
  }

  /** Takes no more hints, and resolves when the run that is under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#again = false;
    await this.#working;
  }
}
