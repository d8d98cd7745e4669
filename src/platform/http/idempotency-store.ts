import type { Participation } from "../../lib/group-commit/writer.ts";
import type { WorkspaceId } from "../base/ids.ts";

/** A request with an Idempotency-Key, as it is stored. */
export type StoredKey = {
  /** 16 random bytes that identify the caller, the route, and the key. */
  id: Uint8Array;
  startedAt: number;
  /** User that it belongs to; null if it belongs to no single user or the key acts for many. */
  workspaceId: WorkspaceId | null;
  /** The node that executes it; null with the embedded database, which only one process can use. */
  nodeId: string | null;
};

/** Digest of the body of a request. `hash` is null if the body was not read to its end. */
export type Fingerprint = { readonly hash: Uint8Array | null; readonly bytes: number };

/**
 * A response as it is replayed. `body` is text (JSON if `headers` have no content-type) or encrypted text; null if it was
 * too large to store.
 */
export type StoredResponse = { status: number; headers: Record<string, string>; body: string | Uint8Array | null };

/** The node that has stored a request without a response, and when it last reported to the others. */
export type ExecutingNode = { id: string; seenAt: number };

/**
 * `response` is null if the request changed something but its response is unknown. `node` is set if a node may still be
 * executing it.
 */
export type StoredRequest = Omit<StoredKey, "workspaceId" | "nodeId"> & {
  fingerprint: Fingerprint;
  response: StoredResponse | null;
  node: ExecutingNode | null;
};

/**
 * How a request ended: with a response to be replayed; `unknown` if it may have been interrupted between two changes;
 * `undone` if nothing that it changed still holds, so that it may be repeated.
 */
export type Ending = StoredResponse | "unknown" | "undone";

/**
 * The execution of a request. Every transaction that the request writes also stores its key, in the state `started`. So
 * after a crash, a request without a row has changed nothing, and one whose row has no response was interrupted. Its
 * participant is null once the request has ended: work that it started in the background is not part of it.
 */
export type KeyedAttempt = Participation & {
  /** Whether the request has committed a change. */
  readonly hasChanged: boolean;
  /** Stores the response, leaves the key as started (`unknown`), or removes it (`undone`). Later writes are not recorded. */
  end(ending: Ending): Promise<void>;
};

export type IdempotencyStore = {
  /**
   * Starts an execution. `body` is read whenever the key is stored. `replaced` is what was found under the key if it has
   * expired, or null: if another server has stored the key since, the first transaction that changes something fails with
   * REQUEST_IN_PROGRESS.
   */
  begin(key: StoredKey, body: Fingerprint, replaced: StoredRequest | null): KeyedAttempt;
  /** Null, without a promise, if the store knows that the request is new. */
  find(id: Uint8Array): null | Promise<StoredRequest | null>;
  /** Deletes requests that started before `startedBefore`, oldest first, at most `limit`. Returns their number. */
  forget(startedBefore: number, limit: number): Promise<number>;
};
