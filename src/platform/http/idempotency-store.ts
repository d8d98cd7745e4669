/** What a request with an Idempotency-Key is known by. */
export type KeyedRequest = {
  /** 16 random bytes that stand for the caller, the route and the key. */
  id: Uint8Array;
  startedAt: number;
  /** Whose it is; null when it is nobody's in particular, or of a key that acts for many. */
  userId: string | null;
};

/** What the body of a request says. `hash` is null when it was not read to its end. */
export type Fingerprint = { readonly hash: Uint8Array | null; readonly bytes: number };

/**
 * An answer as it is told again. `body` is text, JSON where `headers` have no content-type; or such text encrypted; null
 * when it was too large to be kept.
 */
export type KeptAnswer = { status: number; headers: Record<string, string>; body: string | Uint8Array | null };

/**
 * What a request came to: an answer to be told again; `unknown`, when it may have been cut off between two changes;
 * `undone`, when it changed nothing that still holds, so that it may be carried out again.
 */
export type Ending = KeptAnswer | "unknown" | "undone";

/** `answer` is null when the request changed something and nobody knows its answer. */
export type KeptRequest = Omit<KeyedRequest, "userId"> & { fingerprint: Fingerprint; answer: KeptAnswer | null };

/** A request under way, seen from the store. */
export type KeyedAttempt = {
  /** Whether something that the request wrote has changed what is stored, and holds. */
  readonly hasChanged: boolean;
  /** After `end`: whether everything is durable but the ending. */
  readonly isForgotten: boolean;
  /** From here on the request's writes leave a mark, in the transaction of each, with what was read of `body` by then. */
  begin(request: KeyedRequest, body: Fingerprint): void;
  /**
   * Keeps the answer, leaves the mark (`unknown`) or takes it back (`undone`), and resolves with `answer` when that is
   * durable together with everything that the request wrote; with `isForgotten`, all of it but the ending. Where the last
   * write was made for an answer (see the engine), that is one transaction. Rejects when one of the request's writes did
   * not hold, so that its answer is not true. Nothing that is written later belongs to the request.
   */
  end<T>(ending: Ending, answer: T): Promise<T>;
};

/**
 * The one port through which a function passes: what belongs to a request is told by where it is written from, so that
 * no other port has to know of idempotency.
 */
export type IdempotencyStore = {
  /** Runs the work of a request; what is written from within belongs to the attempt once that has begun. */
  attempt<T>(work: (attempt: KeyedAttempt) => Promise<T>): Promise<T>;
  /** Null at once where the store knows without a look that there is none. */
  find(id: Uint8Array): null | Promise<KeptRequest | null>;
  /** Forgets requests from before `startedBefore`, oldest first, at most `limit`; answers how many. */
  forget(startedBefore: number, limit: number): Promise<number>;
};
