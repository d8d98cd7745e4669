import { ApiError } from "../base/errors.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Caller } from "../auth/caller.ts";
import { showsSecret } from "../auth/secret.ts";
import type { BodyDigest } from "./body-digest.ts";
import type {
  Ending,
  ExecutingNode,
  IdempotencyStore,
  KeyedAttempt,
  StoredRequest,
  StoredResponse,
} from "./idempotency-store.ts";
import type { KeyedRequest } from "./keyed-request.ts";
import { formParts } from "./multipart.ts";
import { bodyStream, mediaType } from "./input.ts";
import type { Refusals } from "./refusals.ts";
import type { RequestContext } from "./request-context.ts";
import { sealed, sealKey, unsealed } from "./sealing.ts";

export type IdempotencyParts = {
  store: IdempotencyStore;
  /** The real clock even in a simulation: clients repeat requests in real time. */
  clock: Clock;
  log: Log;
  refusals: Pick<Refusals, "render" | "interrupted">;
  /** How long a response is replayed. */
  retentionMs: number;
  /** Null: no other node can execute requests. */
  node: { id: string; isElsewhere(node: ExecutingNode): boolean } | null;
};

export const replayedHeader = "idempotent-replayed";

/** Responses are JSON, usually a few kB; the largest, with 1,000 enriched leads, has 2 to 4 MB. */
const maxStoredBytes = 8 * 2 ** 20;
/** More than a server has connections; limits the memory for keys. */
const maxInFlight = 10_000;
/** Per user or global key, so that none can use up the limit for all. */
const maxInFlightPerOwner = 500;
/** Headers that are replayed. The others, such as the request ID and rate limits, describe the current request. */
const storedHeaders = ["content-type", "content-disposition", "etag", "location", "preference-applied"];
/** Type of a response that is stored without one. */
const jsonType = "application/json;charset=utf-8";
const sweepSlice = 500;
/** Responses that wait in memory for room on the disk, in characters. */
const maxUnstored = 32 * 2 ** 20;

/**
 * The Idempotency-Key header (draft-ietf-httpapi-idempotency-key-header) for every POST: the first request with a key is
 * executed, and the others receive its response.
 *
 * The key is stored in each transaction of the request, and the response right after the last one. So after a crash, a
 * request that is not stored changed nothing and is executed as if it were new; one that is stored with a response is
 * replayed; one that is stored without was interrupted, which is reported (REQUEST_INTERRUPTED) rather than repeated,
 * unless another node is still working on it (REQUEST_IN_PROGRESS). Server errors in the middle of a request are reported
 * the same way as an interruption: 503 is for requests that changed nothing.
 *
 * A response that cannot be stored, such as on a full disk, is kept in memory if the request changed something, and
 * replayed from there until it can be stored.
 *
 * Nothing is stored for a request that failed without changing anything, or that undid its changes and asks to be sent
 * again (503): both can be repeated with the same key.
 */
export class Idempotency {
  readonly #parts: IdempotencyParts;
  /** Lookups of requests in progress, by name: resolves with the response that is already stored. */
  readonly #inFlight = new Map<string, Promise<StoredRequest | null>>();
  readonly #inFlightPerOwner = new Map<string, number>();
  /** Responses that could not be stored; their requests stay in `#inFlight`. */
  readonly #unstored = new Map<KeyedRequest, StoredResponse>();
  #unstoredLength = 0;
  /** Requests that have ended without a response, but whose rows say that they are in progress. */
  readonly #unended = new Map<KeyedAttempt, Ending>();
  /** Number of requests begun; those up to `#emptied` began before the last `emptyMemory`. */
  #begun = 0;
  #emptied = 0;

  constructor(parts: IdempotencyParts) {
    this.#parts = parts;
  }

  /**
   * Returns the stored response of a request, or null if the request must be executed. Throws REQUEST_IN_PROGRESS,
   * REQUEST_INTERRUPTED, and IDEMPOTENCY_KEY_REUSED.
   */
  async replay(context: RequestContext): Promise<Response | null> {
    const { keyed, caller } = context;
    if (keyed === null) return null;
    keyed.owner = caller.userId === null ? `key:${caller.keyId}` : `user:${caller.userId}`;
    keyed.name = nameOf(context.request, keyed.owner, keyed.key);
    const running = this.#inFlight.get(keyed.name);
    const stored = await (running ?? this.#claim(keyed, caller));
    if (stored !== null) return this.#replayed(context, keyed, stored);
    if (running !== undefined) throw new ApiError("REQUEST_IN_PROGRESS", { retryAfterSeconds: 1 });
    return null;
  }

  /**
   * Stores the response of a request that was executed, and returns it. If the server failed after changing something,
   * returns REQUEST_INTERRUPTED instead, as it will when the request is repeated.
   */
  async finish(context: RequestContext, response: Response): Promise<Response> {
    const { keyed } = context;
    const { refusals } = this.#parts;
    if (keyed === null || keyed.attempt === null) return response;
    let ending: Ending;
    try {
      const text = keyed.text ?? (isText(response.headers) ? await response.clone().text() : null);
      ending = this.#endingOf(context, keyed, response, text);
    } catch (error) {
      // The body ended early: what was changed holds, but the response is unknown.
      ending = "unknown";
      response = refusals.render(context, error);
    }
    await this.#end(context, keyed, ending);
    return isServerFault(context) && keyed.attempt.hasChanged ? refusals.interrupted(context) : response;
  }

  /** Deletes responses that have expired. */
  async sweep(): Promise<void> {
    const { store, clock, retentionMs } = this.#parts;
    const before = clock.now() - retentionMs;
    while ((await store.forget(before, sweepSlice)) === sweepSlice);
  }

  /**
   * Leaves no response in memory, neither of a request that is completed nor of one in progress, so that an erasure
   * finds all that refer to a person. Those that cannot be stored are discarded. Never rejects.
   */
  async emptyMemory(): Promise<void> {
    this.#emptied = this.#begun;
    await this.storePending().catch(() => {
      for (const keyed of this.#unstored.keys()) this.#discard(keyed);
    });
  }

  /** Stores what could not be stored before. Each node has its own. */
  async storePending(): Promise<void> {
    for (const [keyed, response] of this.#unstored) {
      await keyed.attempt?.end(response);
      this.#discard(keyed);
    }
    for (const [attempt, ending] of this.#unended) {
      await attempt.end(ending);
      this.#unended.delete(attempt);
    }
  }

  #discard(keyed: KeyedRequest): void {
    const response = this.#unstored.get(keyed);
    if (response === undefined) return;
    this.#unstored.delete(keyed);
    this.#unstoredLength -= lengthOf(response);
    this.#release(keyed);
  }

  /** Reserves the name until `finish`, unless a response is stored. */
  #claim(keyed: KeyedRequest, caller: Caller): Promise<StoredRequest | null> {
    const own = this.#inFlightPerOwner.get(keyed.owner) ?? 0;
    if (own >= maxInFlightPerOwner)
      throw new ApiError("RATE_LIMIT_EXCEEDED", {
        message: `You have ${own} requests with an Idempotency-Key in progress; the limit is ${maxInFlightPerOwner}. Wait until some of them complete.`,
        retryAfterSeconds: 1,
      });
    if (this.#inFlight.size >= maxInFlight) throw new ApiError("SERVICE_UNAVAILABLE", { retryAfterSeconds: 1 });
    const lookup = this.#lookUp(keyed, caller);
    this.#inFlight.set(keyed.name, lookup);
    this.#inFlightPerOwner.set(keyed.owner, own + 1);
    return lookup;
  }

  async #lookUp(keyed: KeyedRequest, { workspaceId }: Caller): Promise<StoredRequest | null> {
    const { store, clock, retentionMs } = this.#parts;
    const id = idOf(keyed.name);
    const startedAt = clock.now();
    try {
      const stored = await store.find(id);
      if (stored === null || stored.startedAt <= startedAt - retentionMs) {
        keyed.serial = ++this.#begun;
        const nodeId = this.#parts.node?.id ?? null;
        keyed.attempt = store.begin({ id, startedAt, workspaceId, nodeId }, keyed.digest, stored);
        return null;
      }
      this.#release(keyed);
      return stored;
    } catch (error) {
      this.#release(keyed);
      throw error;
    }
  }

  #release({ name, owner }: KeyedRequest): void {
    if (!this.#inFlight.delete(name)) return;
    const left = this.#inFlightPerOwner.get(owner)! - 1;
    if (left > 0) this.#inFlightPerOwner.set(owner, left);
    else this.#inFlightPerOwner.delete(owner);
  }

  async #replayed(
    context: RequestContext,
    { digest }: KeyedRequest,
    { id, fingerprint, response, node }: StoredRequest,
  ): Promise<Response> {
    if (response === null) {
      const isInProgress = node !== null && this.#parts.node?.isElsewhere(node) === true;
      throw isInProgress
        ? new ApiError("REQUEST_IN_PROGRESS", { retryAfterSeconds: 1 })
        : new ApiError("REQUEST_INTERRUPTED");
    }
    // A longer body is another body, so it is not read any further.
    await readToEnd(context, digest, fingerprint.bytes);
    if (fingerprint.hash !== null && !isSame(digest.hash, fingerprint.hash))
      throw new ApiError("IDEMPOTENCY_KEY_REUSED");
    const { status, headers, body } = response;
    if (body === null)
      throw new ApiError("CONFLICT", {
        message:
          "This request was executed before, but its response is not available: it is too large, is not text, or concerned a person whose data was erased.",
        details: { status },
      });
    const text = typeof body === "string" ? body : openedWith(context, id, body);
    const replayed = { ...(text !== "" && { "content-type": jsonType }), ...headers, [replayedHeader]: "true" };
    return new Response(text || null, { status, headers: replayed });
  }

  /** `text` is null if the response is not text. */
  #endingOf(context: RequestContext, keyed: KeyedRequest, response: Response, text: string | null): Ending {
    const { status, headers } = response;
    // A service that asks for a retry has undone its changes; after a server fault, their state is unknown.
    if (status >= 500) return isServerFault(context) ? "unknown" : "undone";
    if ((status >= 400 || text === null) && keyed.attempt?.hasChanged !== true) return "undone";
    if (text === null) return { status, headers: {}, body: null };
    // The response has the type that Bun would send, so that only JSON is stored without one.
    if (text !== "" && !headers.has("content-type")) headers.set("content-type", "text/plain;charset=utf-8");
    return { status, headers: replayable(headers), body: storedBody(context, idOf(keyed.name), text) };
  }

  /** Never rejects: what the request changed holds, whether or not its response can be stored. */
  async #end({ id: requestId }: RequestContext, keyed: KeyedRequest, ending: Ending): Promise<void> {
    try {
      await keyed.attempt?.end(ending);
    } catch (error) {
      this.#parts.log.warn({ requestId, err: error }, "could not store a response for its Idempotency-Key");
      if (this.#keep(keyed, ending)) return;
    }
    this.#release(keyed);
  }

  /** Replays the response of a change from memory until it can be stored. False if it is none, or memory is full. */
  #keep(keyed: KeyedRequest, ending: Ending): boolean {
    if (keyed.attempt?.hasChanged !== true) return false;
    if (typeof ending === "string" && this.#unended.size < maxInFlight) this.#unended.set(keyed.attempt, ending);
    if (typeof ending === "string" || keyed.serial <= this.#emptied) return false;
    if (this.#unstoredLength + lengthOf(ending) > maxUnstored) return false;
    this.#unstored.set(keyed, ending);
    this.#unstoredLength += lengthOf(ending);
    const { hash, bytes } = keyed.digest;
    const stored = { id: idOf(keyed.name), startedAt: this.#parts.clock.now(), response: ending, node: null };
    this.#inFlight.set(keyed.name, Promise.resolve({ ...stored, fingerprint: { hash, bytes } }));
    return true;
  }
}

function lengthOf({ body }: StoredResponse): number {
  return body?.length ?? 0;
}

/** Whether the server failed, rather than refused the request. */
function isServerFault({ failure }: RequestContext): boolean {
  return failure !== null && failure.thrown !== failure.error;
}

/** The owner, the key, and the target of the request with its query: elsewhere, the same key names another request. */
function nameOf({ method, url }: Request, owner: string, key: string): string {
  const target = url.slice(url.indexOf("/", url.indexOf("://") + 3));
  // JSON of all four, built piece by piece: three times faster than stringifying a list.
  return `["${owner}","${method}",${quoted(target)},${quoted(key)}]`;
}

/** JSON of printable ASCII. */
function quoted(text: string): string {
  return text.includes('"') || text.includes("\\") ? JSON.stringify(text) : `"${text}"`;
}

const hash = new Uint8Array(32);

function idOf(name: string): Uint8Array {
  Bun.SHA256.hash(name, hash);
  return hash.slice(0, 16);
}

/** Reads a streamed body to its end, unless it turns out to be longer than `maxBytes`. */
async function readToEnd(context: RequestContext, digest: BodyDigest, maxBytes: number): Promise<void> {
  if (digest.hash !== null) return;
  if (mediaType(context.request) === "multipart/form-data")
    for await (const part of formParts(context)) {
      if (part.kind === "file") for await (const _ of part.body) if (digest.bytes > maxBytes) return;
      if (digest.bytes > maxBytes) return;
    }
  else for await (const _ of bodyStream(context) ?? []) if (digest.bytes > maxBytes) return;
}

/** Audio, and streams that may never end, are not read. */
function isText(headers: Headers): boolean {
  const type = headers.get("content-type");
  return type === null || /^(application\/json|text\/(plain|csv))\b/.test(type);
}

function isSame(one: Uint8Array | null, other: Uint8Array): boolean {
  return one !== null && Buffer.compare(one, other) === 0;
}

function replayable(headers: Headers): Record<string, string> {
  const stored: Record<string, string> = {};
  for (const name of storedHeaders) {
    const value = headers.get(name);
    if (value !== null && value !== jsonType) stored[name] = value;
  }
  return stored;
}

function storedBody({ secret }: RequestContext, id: Uint8Array, text: string): StoredResponse["body"] {
  if (text.length > maxStoredBytes) return null;
  return showsSecret(text) ? sealed(sealKey(secret ?? "", id), text) : text;
}

function openedWith({ secret }: RequestContext, id: Uint8Array, body: Uint8Array): string {
  const text = unsealed(sealKey(secret ?? "", id), body);
  if (text !== null) return text;
  throw new ApiError("CONFLICT", {
    message: "The response contains a secret, so it is replayed only to the API key that sent the first request.",
  });
}
