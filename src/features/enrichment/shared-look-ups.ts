import type { LookedUp, LookUp } from "./look-up.ts";

/**
 * Look-ups that several requests wait for: who asks for the same while one is under way, or is done but not stored yet,
 * gets what it finds. One that missed somebody who could not be asked is not given to those who come later.
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
  readonly #done: Promise<LookedUp>;
  readonly #leave: () => void;
  #waiting = 0;
  #holders = 0;

  /** `leave` is called when nobody else may join. */
  constructor(begin: (signal: AbortSignal) => LookUp, leave: () => void) {
    this.#leave = leave;
    this.#lookUp = begin(this.#stop.signal);
    this.#done = this.#lookUp.run();
    this.#done.then(({ hindered }) => hindered.length > 0 && leave(), leave);
  }

  /** Others may join until everybody who holds it has released it. */
  hold(): void {
    this.#holders++;
  }

  release(): void {
    if (--this.#holders === 0) this.#leave();
  }

  /**
   * What is found. Who gives up by `signal` gets what is known by then, and the others go on waiting; with the last one
   * the look-up itself is given up.
   */
  async result(signal: AbortSignal): Promise<LookedUp> {
    this.#waiting++;
    let isWaiting = true;
    let giveUp = (): void => {};
    const gaveUp = new Promise<LookedUp>((resolve) => {
      giveUp = () => {
        if (!isWaiting) return;
        isWaiting = false;
        if (--this.#waiting > 0) return resolve(this.#lookUp.soFar());
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
