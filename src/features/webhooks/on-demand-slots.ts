import type { Endpoint } from "./model.ts";

/** So many posts at once that somebody asked for, beside those of the queue; of these, for one user. */
const limits = { all: 32, perUser: 4 };

/**
 * The places of deliveries that somebody waits for: of each endpoint one at a time, so that asking again and again is no
 * way to flood a receiver, nor, if it hangs, to keep others from theirs.
 */
export class OnDemandSlots {
  /** The user of each endpoint that has one. */
  readonly #users = new Map<string, string>();

  /** False when there is none for this endpoint now. */
  acquire({ id, userId }: Pick<Endpoint, "id" | "userId">): boolean {
    if (this.#users.has(id) || this.#users.size >= limits.all) return false;
    const own = [...this.#users.values()].filter((user) => user === userId);
    if (own.length >= limits.perUser) return false;
    this.#users.set(id, userId);
    return true;
  }

  release(endpointId: string): void {
    this.#users.delete(endpointId);
  }
}
