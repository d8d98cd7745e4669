export type FairQueueLimits = {
  /** Maximum places of one owner, waiting or active. */
  perOwner: number;
  /** Maximum places of all owners. */
  total: number;
};

/** A place in the queue. It counts toward the limits until `leave`. */
export type Place = {
  /**
   * Resolves when it is this place's turn, immediately if it already is. Throws the signal's reason if it aborts first.
   */
  turn(signal: AbortSignal): Promise<void>;
  /** Ends the turn, or the wait for one. Safe to call twice. */
  leave(): void;
};

type Line = { places: number; waiting: (() => void)[] };

/**
 * Shares a resource that serves one request at a time. Waiting owners take turns, one request each, so many requests of
 * one owner delay only its own requests, and another owner's by at most one turn. A place that is not waiting yet (its
 * upload is still arriving) delays no one.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  /** In the order of turns: an owner whose turn ends moves to the end. */
  readonly #lines = new Map<string, Line>();
  #places = 0;
  #isTaken = false;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  /**
   * Returns which limit another place of this owner would exceed. Callers that must not be rejected join without
   * asking.
   */
  fullFor(owner: string): "owner" | "everyone" | null {
    if ((this.#lines.get(owner)?.places ?? 0) >= this.#limits.perOwner) return "owner";
    return this.#places >= this.#limits.total ? "everyone" : null;
  }

  join(owner: string): Place {
    const line = this.#lines.get(owner) ?? { places: 0, waiting: [] };
    this.#lines.set(owner, line);
    line.places += 1;
    this.#places += 1;
    let state: "joined" | "waiting" | "turn" | "left" = "joined";
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    const take = (): void => {
      state = "turn";
      resolve();
    };
    return {
      turn: async (signal) => {
        signal.throwIfAborted();
        if (state === "joined") {
          state = "waiting";
          line.waiting.push(take);
          this.#giveTurn();
        }
        await unlessAborted(reached, signal);
      },
      leave: () => {
        if (state === "left") return;
        if (state === "waiting") line.waiting.splice(line.waiting.indexOf(take), 1);
        if (state === "turn") {
          this.#isTaken = false;
          this.#lines.delete(owner);
          this.#lines.set(owner, line);
        }
        state = "left";
        line.places -= 1;
        this.#places -= 1;
        if (line.places === 0) this.#lines.delete(owner);
        this.#giveTurn();
      },
    };
  }

  #giveTurn(): void {
    if (this.#isTaken) return;
    const next = this.#lines.values().find(({ waiting }) => waiting.length > 0);
    if (next === undefined) return;
    this.#isTaken = true;
    next.waiting.shift()!();
  }
}

async function unlessAborted(reached: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    await Promise.race([reached, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
