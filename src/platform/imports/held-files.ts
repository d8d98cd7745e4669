import { FairQueue, type FairQueueLimits } from "../../lib/concurrency/fair-queue.ts";
import type { WorkspaceId } from "../base/ids.ts";
import { ApiError } from "../base/errors.ts";
import type { LocalFile } from "../blobs/blob-store.ts";
import type { ScratchStore } from "../blobs/scratch-store.ts";

/** An upload takes a while. */
const busySeconds = 10;

/** A file that a request has sent. `turn` resolves when no other request of this kind is between its turn and its end. */
export type HeldFile = Pick<LocalFile, "path"> & { turn: (signal: AbortSignal) => Promise<void> };

/** Files that requests send and that are read as a whole before the response, such as workbooks. */
export class HeldFiles {
  readonly #scratch: ScratchStore;
  readonly #limits: FairQueueLimits;
  readonly #queue: FairQueue;
  readonly #what: string;

  /** `what` is in the plural, such as "previews". `limits`: requests in progress at a time. */
  constructor(scratch: ScratchStore, what: string, limits: FairQueueLimits) {
    this.#scratch = scratch;
    this.#what = what;
    this.#limits = limits;
    this.#queue = new FairQueue(limits);
  }

  /**
   * Holds the file while `use` runs. Throws RATE_LIMIT_EXCEEDED if too many requests of the workspace are in progress,
   * SERVICE_UNAVAILABLE if too many of all are, and what the stream throws.
   */
  async hold<T>(
    workspaceId: WorkspaceId,
    stream: AsyncIterable<Uint8Array>,
    use: (file: HeldFile) => Promise<T>,
  ): Promise<T> {
    const place = this.#join(workspaceId);
    try {
      using file = await this.#scratch.receive(stream);
      return await use({ path: file.path, turn: (signal) => place.turn(signal) });
    } finally {
      place.leave();
    }
  }

  /** Holds the file until all that `use` yields is taken, or no more is wanted. Throws as `hold` does. */
  async *read<T>(
    workspaceId: WorkspaceId,
    stream: AsyncIterable<Uint8Array>,
    use: (file: HeldFile) => AsyncIterable<T>,
  ): AsyncGenerator<T> {
    const place = this.#join(workspaceId);
    try {
      using file = await this.#scratch.receive(stream);
      yield* use({ path: file.path, turn: (signal) => place.turn(signal) });
    } finally {
      place.leave();
    }
  }

  #join(workspaceId: WorkspaceId): ReturnType<FairQueue["join"]> {
    const full = this.#queue.fullFor(workspaceId);
    if (full !== null) throw this.#tooMany(full);
    return this.#queue.join(workspaceId);
  }

  #tooMany(full: "owner" | "everyone"): ApiError {
    const { perOwner } = this.#limits;
    const again = `Try again in ${busySeconds} seconds.`;
    if (full === "owner")
      return new ApiError("RATE_LIMIT_EXCEEDED", {
        message: `Rate limit exceeded: ${perOwner} ${this.#what} of this workspace are in progress. ${again}`,
        details: { limit: perOwner },
        retryAfterSeconds: busySeconds,
      });
    return new ApiError("SERVICE_UNAVAILABLE", {
      message: `Too many ${this.#what} are in progress on this server. ${again}`,
      retryAfterSeconds: busySeconds,
    });
  }
}
