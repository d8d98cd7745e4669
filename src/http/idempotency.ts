import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import type { Clock } from "../clock.ts";
import { ApiError, invalid } from "../errors.ts";
import type { Caller } from "../keys/caller.ts";
import { showsSecret } from "../keys/secret.ts";
import type { Log } from "../log.ts";
import { BodyDigest, bodyStream, digestWhileRead } from "./body-digest.ts";
import type { IdempotencyStore, KeptAnswer, KeptRequest, KeyedAttempt } from "./idempotency-store.ts";
import { formParts } from "./multipart.ts";
import { mediaType } from "./read-body.ts";

export type IdempotencyParts = {
  store: IdempotencyStore;
  clock: Clock;
  log: Log;
  /** How long an answer is told again. */
  keptMs: number;
  /** The secret that the request showed; answers that show secrets are encrypted with it. */
  secretOf: (request: Request) => string;
  /** The answer to a request that failed when it had been handled; `headers` are those of every answer to it. */
  refusal: (error: unknown, request: Request, headers: Headers) => Response;
};

type Next = (request: Request) => Response | Promise<Response>;
/** `key` is null until it was checked, `id` while it is not this request that is carried out. */
type Keyed = { header: string; key: string | null; digest: BodyDigest; attempt: KeyedAttempt; id: Uint8Array | null };

export const idempotencyHeader = "idempotency-key";
export const replayedHeader = "idempotent-replayed";

/** Answers are JSON and mostly some kB; this is several times the largest that a route gives. */
const maxKeptBytes = 2 * 2 ** 20;
/** More than a server has connections; beyond, keys would cost memory without end. */
const maxInFlight = 10_000;
/** What of an answer is told again. The rest is of the moment: the request's id, what is left of the rate limits. */
const keptHeaders = ["content-type", "etag", "location", "preference-applied"];
const sweepSlice = 500;

/**
 * The Idempotency-Key header (draft-ietf-httpapi-idempotency-key-header) for every POST: the first request with a key is
 * carried out, the others are told its answer.
 *
 * What is kept is written in the transactions of the request's own effects. So after a crash: no row, and nothing was
 * done, the request runs as if it were new; a row with an answer, and it is told again; a row without, and the request
 * had begun to change things and was cut off, which is said (REQUEST_INTERRUPTED) and not repeated.
 *
 * Nothing is kept of a request that changed nothing and failed: a refusal can be put right and sent with the same key.
 */
export class Idempotency {
  readonly #parts: IdempotencyParts;
  readonly #keyed = new WeakMap<Request, Keyed>();
  readonly #inFlight = new Set<string>();

  constructor(parts: IdempotencyParts) {
    this.#parts = parts;
  }

  /** Around the handling of every request, for Elysia's `wrap`. */
  around(next: Next, request: Request): Next {
    const header = request.method === "POST" ? request.headers.get(idempotencyHeader) : null;
    return header === null ? next : () => this.#carryOut(request, header, next);
  }

  /** Throws VALIDATION_ERROR for a key that can't be one. */
  check(request: Request): void {
    const keyed = this.#keyed.get(request);
    if (keyed !== undefined) keyed.key ??= keyIn(keyed.header);
  }

  /**
   * Behind permission and validation: the answer that the key has already, undefined when the request is to be carried
   * out. Throws REQUEST_IN_PROGRESS, REQUEST_INTERRUPTED and IDEMPOTENCY_KEY_REUSED.
   */
  begin(request: Request, callerOf: (request: Request) => Caller): undefined | Promise<Response | undefined> {
    const keyed = this.#keyed.get(request);
    return keyed && this.#begin(request, keyed, callerOf(request));
  }

  /** Forgets answers that are too old to be told. */
  async sweep(): Promise<void> {
    const { store, clock, keptMs } = this.#parts;
    while ((await store.forget(clock.now() - keptMs, sweepSlice)) === sweepSlice);
  }

  #carryOut(request: Request, header: string, next: Next): Promise<Response> {
    return this.#parts.store.attempt(async (attempt) => {
      const keyed: Keyed = { header, key: null, digest: new BodyDigest(), attempt, id: null };
      this.#keyed.set(request, keyed);
      digestWhileRead(request, keyed.digest);
      try {
        const response = await next(request);
        return keyed.id === null ? response : await this.#end(request, keyed, keyed.id, response);
      } finally {
        if (keyed.id !== null) this.#inFlight.delete(nameOf(keyed.id));
      }
    });
  }

  async #begin(request: Request, keyed: Keyed, caller: Caller): Promise<Response | undefined> {
    const { store, clock, keptMs } = this.#parts;
    const id = idOf(request, caller, (keyed.key ??= keyIn(keyed.header)));
    const name = nameOf(id);
    if (this.#inFlight.has(name)) throw new ApiError("REQUEST_IN_PROGRESS", { retryAfterSeconds: 1 });
    if (this.#inFlight.size >= maxInFlight) throw new ApiError("SERVICE_UNAVAILABLE", { retryAfterSeconds: 1 });
    this.#inFlight.add(name);
    keyed.id = id;
    const startedAt = clock.now();
    const kept = await store.find(id);
    if (kept === null || kept.startedAt <= startedAt - keptMs) {
      keyed.attempt.begin({ id, startedAt }, () => keyed.digest.fingerprint);
      return undefined;
    }
    try {
      return await this.#replayed(request, keyed, kept);
    } finally {
      keyed.id = null;
      this.#inFlight.delete(name);
    }
  }

  async #replayed(request: Request, keyed: Keyed, { id, fingerprint, answer }: KeptRequest): Promise<Response> {
    if (answer === null) throw new ApiError("REQUEST_INTERRUPTED");
    const { digest } = keyed;
    // A body that is longer is another one: nobody has to read on to know.
    await readToEnd(request, digest, fingerprint.bytes);
    if (fingerprint.hash !== null && !isSame(digest.fingerprint.hash, fingerprint.hash))
      throw new ApiError("IDEMPOTENCY_KEY_REUSED");
    const { status, headers, body } = answer;
    if (body === null)
      throw new ApiError("CONFLICT", {
        message: "This request was carried out before. Its answer was too large to be kept, so it can't be told again.",
        details: { status },
      });
    const text = typeof body === "string" ? body : this.#unsealed(request, id, body);
    return new Response(text, { status, headers: { ...headers, [replayedHeader]: "true" } });
  }

  /** The answer to send, once it is kept with what it tells of. */
  async #end(request: Request, keyed: Keyed, id: Uint8Array, response: Response): Promise<Response> {
    const { attempt } = keyed;
    const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
    // After a fault of ours, or for sound that is made anew, there is nothing to be told again.
    if (!isJson || response.status >= 500 || (response.status >= 400 && !attempt.hasChanged)) {
      await attempt.end(null);
      return response;
    }
    const { status, headers } = response;
    const text = await response.text();
    const answer = new Response(text, { status, headers });
    try {
      const isKept = await attempt.end({ status, headers: told(headers), body: this.#kept(request, id, text) });
      if (!isKept) this.#parts.log.warn({ requestId: headers.get("x-request-id") }, "could not keep an answer");
      return answer;
    } catch (error) {
      return this.#parts.refusal(error, request, headers);
    }
  }

  #kept(request: Request, id: Uint8Array, text: string): KeptAnswer["body"] {
    if (text.length > maxKeptBytes) return null;
    return showsSecret(text) ? sealed(sealKey(this.#parts.secretOf(request), id), text) : text;
  }

  #unsealed(request: Request, id: Uint8Array, body: Uint8Array): string {
    const text = unsealed(sealKey(this.#parts.secretOf(request), id), body);
    if (text !== null) return text;
    throw new ApiError("CONFLICT", {
      message: "The answer shows a secret, so it is told again only to the API key that asked first.",
    });
  }
}

/** Printable ASCII, as it is or as a structured string (RFC 8941, section 3.3.3), which means what it quotes. */
function keyIn(header: string): string {
  const text = header.trim();
  const isQuoted = /^"(?:[^"\\]|\\["\\])*"$/.test(text);
  const key = isQuoted ? text.slice(1, -1).replaceAll(/\\(["\\])/g, "$1") : text;
  if (/^[\x20-\x7e]{1,255}$/.test(key) && (isQuoted || !text.startsWith('"'))) return key;
  throw invalid([
    {
      path: "Idempotency-Key",
      message: "Expected 1 to 255 printable ASCII characters, such as a UUID, once, with or without double quotes.",
    },
  ]);
}

/** Where the request goes to, with its query: the same key means another request elsewhere. */
function idOf({ method, url }: Request, caller: Caller, key: string): Uint8Array {
  const owner = caller.userId === null ? `key:${caller.keyId}` : `user:${caller.userId}`;
  const route = url.slice(url.indexOf("/", url.indexOf("://") + 3));
  const name = JSON.stringify([owner, method, route, key]);
  return new Bun.CryptoHasher("sha256").update(name).digest().subarray(0, 16);
}

function nameOf(id: Uint8Array): string {
  return Buffer.from(id).toString("latin1");
}

/** Reads a body that streams, unless it turns out to be longer than `maxBytes`. */
async function readToEnd(request: Request, digest: BodyDigest, maxBytes: number): Promise<void> {
  if (digest.fingerprint.hash !== null) return;
  if (mediaType(request) === "multipart/form-data")
    for await (const part of formParts(request)) {
      if (part.kind === "file") for await (const _ of part.body) if (digest.bytes > maxBytes) return;
      if (digest.bytes > maxBytes) return;
    }
  else
    for await (const _ of (bodyStream(request) ?? []) as AsyncIterable<Uint8Array>) if (digest.bytes > maxBytes) return;
}

function isSame(one: Uint8Array | null, other: Uint8Array): boolean {
  return one !== null && Buffer.compare(one, other) === 0;
}

function told(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    keptHeaders.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}

const cipher = "aes-256-gcm";
const nonceLength = 12;
const tagLength = 16;

/** Of a caller's own secret, of which the database has only the hash: who has the file alone can't open the answer. */
function sealKey(secret: string, id: Uint8Array): Uint8Array {
  return createHmac("sha256", secret).update("idempotent answer").update(id).digest();
}

/** Nonce, ciphertext and tag of AES-256-GCM. */
function sealed(key: Uint8Array, text: string): Uint8Array {
  const nonce = randomBytes(nonceLength);
  const coding = createCipheriv(cipher, key, nonce);
  return Buffer.concat([nonce, coding.update(text, "utf8"), coding.final(), coding.getAuthTag()]);
}

/** Null when the key is another one. */
function unsealed(key: Uint8Array, bytes: Uint8Array): string | null {
  const decoding = createDecipheriv(cipher, key, bytes.subarray(0, nonceLength));
  decoding.setAuthTag(bytes.subarray(-tagLength));
  try {
    const content = bytes.subarray(nonceLength, -tagLength);
    return Buffer.concat([decoding.update(content), decoding.final()]).toString("utf8");
  } catch {
    return null;
  }
}
