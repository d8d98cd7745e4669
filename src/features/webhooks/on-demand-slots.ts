import type { Endpoint } from "./model.ts";

/** Maximum concurrent on-demand posts, in addition to those of the queue: in total and per user. */
const limits = { all: 32, perUser: 4 };

/**
 * Slots for on-demand deliveries. Each endpoint has at most one at a time, so that repeated requests can neither flood
 * a receiver nor, if it hangs, block other users.
 */
export class OnDemandSlots {
  /** Endpoints that hold a slot, with their users. */
  readonly #users = new Map<string, string>();

  /** False if no slot is available for this endpoint. */
  acquire({ id, workspaceId }: Pick<Endpoint, "id" | "workspaceId">): boolean {
    if (this.#users.has(id) || this.#users.size >= limits.all) return false;
    const own = [...this.#users.values()].filter((user) => user === workspaceId);
    if (own.length >= limits.perUser) return false;
    this.#users.set(id, workspaceId);
    return true;
  }

  release(endpointId: string): void {
    this.#users.delete(endpointId);
  }
}
