import type { LookUpResult, LookUp } from "./look-up.ts";

/**
 * Lookups shared by concurrent requests: a request for the same lookup joins the one that is running, or done but not
 * stored yet. A lookup that missed an unavailable provider is not shared with later requests.
 */
export class SharedLookUps {
  readonly #byKey = new Map<string, SharedLookUp>();

  find(key: string): SharedLookUp | null {
    return this.#byKey.get(key) ?? null;
  }

  start(key: string, begin: (signal: AbortSignal) => LookUp): SharedLookUp {
    const shared = new SharedLookUp(begin, () => {
      if (this.#byKey.get(key) === shared) this.#byKey.delete(key);
    });
    this.#byKey.set(key, shared);
    return shared;
  }
}

export class SharedLookUp {
  readonly #lookUp: LookUp;
  readonly #stop = new AbortController();
  readonly #done: Promise<LookUpResult>;
  readonly #leave: () => void;
  #waiting = 0;
  #holders = 0;

  /** `leave` is called when no other request may join. */
  constructor(begin: (signal: AbortSignal) => LookUp, leave: () => void) {
    this.#leave = leave;
    this.#lookUp = begin(this.#stop.signal);
    this.#done = this.#lookUp.run();
    this.#done.then(({ unavailable }) => unavailable.length > 0 && leave(), leave);
  }

  /** Requests may join until every holder has called `release`. */
  hold(): void {
    this.#holders++;
  }

  release(): void {
    if (--this.#holders === 0) this.#leave();
  }

  /**
   * Resolves to the result. A request whose `signal` aborts gets the intermediate result while the others keep waiting;
   * when the last one aborts, so does the lookup.
   */
  async result(signal: AbortSignal): Promise<LookUpResult> {
    this.#waiting++;
    let isWaiting = true;
    let giveUp = (): void => {};
    const gaveUp = new Promise<LookUpResult>((resolve) => {
      giveUp = () => {
        if (!isWaiting) return;
        isWaiting = false;
        if (--this.#waiting > 0) return resolve(this.#lookUp.currentResult());
        this.#leave();
        this.#stop.abort();
      };
    });
    signal.addEventListener("abort", giveUp);
    if (signal.aborted) giveUp();
    try {
      return await Promise.race([this.#done, gaveUp]);
    } finally {
      signal.removeEventListener("abort", giveUp);
      if (isWaiting) this.#waiting--;
      isWaiting = false;
    }
  }
}
