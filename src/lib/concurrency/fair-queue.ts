export type FairQueueLimits = {
  /** Places of one owner, waiting or having their turn. */
  perOwner: number;
  /** Places of all owners together. */
  total: number;
};

/** A place in the queue. It counts toward the limits until `leave`. */
export type Place = {
  /** Resolves when it is this place's turn, at once if it is already. Throws the signal's reason when that aborts first. */
  turn(signal: AbortSignal): Promise<void>;
  /** Ends the turn, or the waiting for one. Safe to call twice. */
  leave(): void;
};

type Line = { places: number; waiting: (() => void)[] };

/**
 * Shares a resource that serves one request at a time: turns go round among the owners that are waiting, one each, so
 * that many requests of one owner delay its own, and another owner's by one turn at most. A place that has not asked for
 * its turn yet (its upload is still arriving) delays no other.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  /** In the order in which they get turns: whoever ends one goes to the end. */
  readonly #lines = new Map<string, Line>();
  #places = 0;
  #isTaken = false;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  /** Which limit one more place of this owner would exceed. Whoever must not be refused joins without asking. */
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
