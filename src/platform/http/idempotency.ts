import type { HTTPHeaders } from "elysia";
import type { Clock } from "../base/clock.ts";
import { ApiError, invalid } from "../base/errors.ts";
import type { Caller } from "../auth/caller.ts";
import { showsSecret } from "../auth/secret.ts";
import type { Log } from "../base/log.ts";
import { BodyDigest, bodyStream, digestWhileRead } from "./body-digest.ts";
import type { Gate } from "./gate.ts";
import type {
  Ending,
  IdempotencyStore,
  KeptAnswer,
  KeptRequest,
  KeyedAttempt,
  KeyedRequest,
} from "./idempotency-store.ts";
import { formParts } from "./multipart.ts";
import { mediaType } from "./media-type.ts";
import { sealed, sealKey, unsealed } from "./sealing.ts";

export type IdempotencyParts = {
  store: IdempotencyStore;
  gate: Pick<Gate, "secretOf" | "isFault" | "refusal" | "interrupted">;
  /** Not a simulated one: whoever repeats a request does so when it was cut off, however far it moved the clock. */
  clock: Clock;
  log: Log;
  /** How long an answer is told again. */
  keptMs: number;
};

type Next = (request: Request) => Response | Promise<Response>;
/** On the request itself: with a WeakMap each request costs more. */
const mark = Symbol("keyed");
type Marked = Request & { [mark]?: Keyed };
/** What a route has set of its answer. */
export type AnswerSettings = { headers: HTTPHeaders; status?: number | string };

export const idempotencyHeader = "idempotency-key";
export const replayedHeader = "idempotent-replayed";

/** Answers are JSON and mostly some kB; the largest, of 1,000 enriched leads, is 2 to 4 MB. */
const maxKeptBytes = 8 * 2 ** 20;
/** More than a server has connections; beyond, keys would cost memory without end. */
const maxInFlight = 10_000;
/** Of one user, or of one global key: nobody can take the room of all others. */
const maxInFlightOfOne = 500;
/** What of an answer is told again. The rest is of the moment: the request's id, what is left of the rate limits. */
const keptHeaders = ["content-type", "content-disposition", "etag", "location", "preference-applied"];
/** What an answer is that is kept without a type. */
const jsonType = "application/json;charset=utf-8";
const sweepSlice = 500;
const nothingKept: Promise<KeptRequest | null> = Promise.resolve(null);
const unnamed = new Uint8Array(0);

/**
 * The Idempotency-Key header (draft-ietf-httpapi-idempotency-key-header) for every POST: the first request with a key is
 * carried out, the others are told its answer.
 *
 * What is kept is written in the transactions of the request's own effects, mostly in the only one. So after a crash: no
 * row, and nothing was done, the request runs as if it were new; a row with an answer, and it is told again; a row
 * without, and the request had begun to change things and was cut off, which is said (REQUEST_INTERRUPTED) and not
 * repeated. A fault in the middle is answered in the same way: 503 is for requests of which nothing holds.
 *
 * Nothing is kept of a request that changed nothing and failed, nor of one that took back what it had begun and asks to
 * be sent again (503): both may be repeated with the same key.
 */
export class Idempotency {
  readonly #parts: IdempotencyParts;
  /** By the name of what is being carried out or looked for, the answer that it has already. */
  readonly #inFlight = new Map<string, Promise<KeptRequest | null>>();
  /** How many of them each user or global key has. */
  readonly #inFlightOf = new Map<string, number>();

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
    const keyed = keyedOf(request);
    if (keyed !== undefined) keyed.key ??= idempotencyKeyIn(keyed.header);
  }

  /**
   * Behind permission and validation: the answer that the key has already, undefined when the request is to be carried
   * out. Throws REQUEST_IN_PROGRESS, REQUEST_INTERRUPTED and IDEMPOTENCY_KEY_REUSED.
   */
  begin(request: Request, callerOf: (request: Request) => Caller): undefined | Promise<Response | undefined> {
    const keyed = keyedOf(request);
    return keyed && this.#begin(keyed, callerOf(request));
  }

  /**
   * For Elysia's `onAfterHandle`: the JSON to answer, made once for the client and for the store, when it is kept with
   * what it tells of. Rejects when that does not hold. Undefined for what is no JSON of a route's.
   */
  keep(request: Request, value: unknown, { headers, status }: AnswerSettings): undefined | Promise<string> {
    const keyed = keyedOf(request);
    if (keyed?.isCarriedOut !== true || !isPlain(value) || Number(status) >= 400) return undefined;
    headers["content-type"] ??= jsonType;
    const text = JSON.stringify(value);
    const ending = this.#endingOf(keyed, Number(status), headers, text);
    // Not before: what throws until here becomes a refusal, and that ends the attempt.
    keyed.isEnded = true;
    return keyed.attempt.end(ending, text);
  }

  /** Forgets answers that are too old to be told. */
  async sweep(): Promise<void> {
    const { store, clock, keptMs } = this.#parts;
    const before = clock.now() - keptMs;
    while ((await store.forget(before, sweepSlice)) === sweepSlice);
  }

  #carryOut(request: Request, header: string, next: Next): Promise<Response> {
    return this.#parts.store.attempt((attempt) => {
      const keyed = new Keyed(request, header, attempt);
      (request as Marked)[mark] = keyed;
      digestWhileRead(request, keyed.digest);
      // Not async: for most answers nothing is left to be done.
      return Promise.resolve(next(request)).then(
        (response) => this.#answered(keyed, response),
        (error: unknown) => {
          this.#leave(keyed);
          throw error;
        },
      );
    });
  }

  #answered(keyed: Keyed, response: Response): Response | Promise<Response> {
    if (!keyed.isCarriedOut) return response;
    if (!keyed.isEnded) return this.#keepAny(keyed, response);
    this.#leave(keyed);
    return this.#trueAnswer(keyed, response);
  }

  /** A refusal, or an answer that is no JSON of a route's, once it is kept; or that what it tells of does not hold. */
  async #keepAny(keyed: Keyed, response: Response): Promise<Response> {
    try {
      const [answer, text] = await readAnswer(response).catch(async (error: unknown) => {
        // It broke off: what was done holds, and nobody knows the answer.
        await keyed.attempt.end("unknown", null);
        throw error;
      });
      const ending = this.#endingOf(keyed, answer.status, Object.fromEntries(answer.headers), text);
      return this.#trueAnswer(keyed, await keyed.attempt.end(ending, answer));
    } catch (error) {
      return this.#trueAnswer(keyed, this.#parts.gate.refusal(error, keyed.request, response.headers));
    } finally {
      this.#leave(keyed);
    }
  }

  /** Only a request of which nothing holds may be told to try again: another one is, as its repetition will be, told so. */
  #trueAnswer({ request, attempt }: Keyed, response: Response): Response {
    const { gate, log } = this.#parts;
    if (attempt.isForgotten) log.warn({ requestId: response.headers.get("x-request-id") }, "could not keep an answer");
    const isOurFault = response.status >= 500 && gate.isFault(request);
    return isOurFault && attempt.hasChanged ? gate.interrupted(request, response.headers) : response;
  }

  #leave(keyed: Keyed): void {
    if (!keyed.isCarriedOut) return;
    keyed.isCarriedOut = false;
    this.#inFlight.delete(keyed.name);
    const left = this.#inFlightOf.get(keyed.owner)! - 1;
    if (left > 0) this.#inFlightOf.set(keyed.owner, left);
    else this.#inFlightOf.delete(keyed.owner);
  }

  #begin(keyed: Keyed, caller: Caller): undefined | Promise<Response | undefined> {
    keyed.owner = caller.userId === null ? `key:${caller.keyId}` : `user:${caller.userId}`;
    keyed.name = nameOf(keyed.request, keyed.owner, (keyed.key ??= idempotencyKeyIn(keyed.header)));
    keyed.userId = caller.userId;
    const underWay = this.#inFlight.get(keyed.name);
    const look = underWay ?? this.#claim(keyed);
    return look === null ? undefined : this.#toldOf(keyed, look, underWay !== undefined);
  }

  /** Many may be told what there is, at once; of those that find nothing the first is carried out. */
  async #toldOf(keyed: Keyed, look: Promise<KeptRequest | null>, isUnderWay: boolean): Promise<Response | undefined> {
    const kept = await look;
    if (kept !== null) return this.#replayed(keyed, kept);
    if (isUnderWay) throw new ApiError("REQUEST_IN_PROGRESS", { retryAfterSeconds: 1 });
    return undefined;
  }

  /** The answer that the name has already; null, sooner or later: the request is to be carried out, and has it to itself. */
  #claim(keyed: Keyed): null | Promise<KeptRequest | null> {
    const own = this.#inFlightOf.get(keyed.owner) ?? 0;
    if (own >= maxInFlightOfOne)
      throw new ApiError("RATE_LIMIT_EXCEEDED", {
        message: `You have ${own} requests with an Idempotency-Key in progress; the limit is ${maxInFlightOfOne}. Wait for some of them to end.`,
        retryAfterSeconds: 1,
      });
    if (this.#inFlight.size >= maxInFlight) throw new ApiError("SERVICE_UNAVAILABLE", { retryAfterSeconds: 1 });
    const { store, clock } = this.#parts;
    keyed.id = idOf(keyed.name);
    keyed.startedAt = clock.now();
    const found = store.find(keyed.id);
    const look = found && this.#claimUnlessKept(keyed, found);
    this.#inFlight.set(keyed.name, look ?? nothingKept);
    this.#inFlightOf.set(keyed.owner, own + 1);
    keyed.isCarriedOut = true;
    if (look === null) keyed.attempt.begin(keyed, keyed.digest);
    return look;
  }

  /** What is too old to be told counts as not kept. */
  async #claimUnlessKept(keyed: Keyed, found: Promise<KeptRequest | null>): Promise<KeptRequest | null> {
    const kept = await found;
    if (kept !== null && kept.startedAt > keyed.startedAt - this.#parts.keptMs) {
      this.#leave(keyed);
      return kept;
    }
    keyed.attempt.begin(keyed, keyed.digest);
    return null;
  }

  async #replayed({ request, digest }: Keyed, { id, fingerprint, answer }: KeptRequest): Promise<Response> {
    if (answer === null) throw new ApiError("REQUEST_INTERRUPTED");
    // A body that is longer is another one: nobody has to read on to know.
    await readToEnd(request, digest, fingerprint.bytes);
    if (fingerprint.hash !== null && !isSame(digest.hash, fingerprint.hash))
      throw new ApiError("IDEMPOTENCY_KEY_REUSED");
    const { status, headers, body } = answer;
    if (body === null)
      throw new ApiError("CONFLICT", {
        message:
          "This request was carried out before. Its answer can't be told again: it is too large, no text, or told of a person who was erased.",
        details: { status },
      });
    const text = typeof body === "string" ? body : this.#unsealed(request, id, body);
    const told = { ...(text !== "" && { "content-type": jsonType }), ...headers, [replayedHeader]: "true" };
    return new Response(text || null, { status, headers: told });
  }

  /** `text` is null when the answer is no text. */
  #endingOf({ request, id, attempt }: Keyed, status: number, headers: HTTPHeaders, text: string | null): Ending {
    // A service that asks to be asked again has taken back what it did; after a fault nobody knows.
    if (status >= 500) return this.#parts.gate.isFault(request) ? "unknown" : "undone";
    if ((status >= 400 || text === null) && !attempt.hasChanged) return "undone";
    if (text === null) return { status, headers: {}, body: null };
    return { status, headers: toldOf(headers), body: this.#sealedIfSecret(request, id, text) };
  }

  #sealedIfSecret(request: Request, id: Uint8Array, text: string): KeptAnswer["body"] {
    if (text.length > maxKeptBytes) return null;
    return showsSecret(text) ? sealed(sealKey(this.#parts.gate.secretOf(request), id), text) : text;
  }

  #unsealed(request: Request, id: Uint8Array, body: Uint8Array): string {
    const text = unsealed(sealKey(this.#parts.gate.secretOf(request), id), body);
    if (text !== null) return text;
    throw new ApiError("CONFLICT", {
      message: "The answer shows a secret, so it is told again only to the API key that asked first.",
    });
  }
}

/** A request with the header, under way. */
class Keyed implements KeyedRequest {
  readonly request: Request;
  readonly header: string;
  readonly attempt: KeyedAttempt;
  readonly digest = new BodyDigest();
  /** Null until it was checked. */
  key: string | null = null;
  /** The user, or the global key, that sent it. */
  owner = "";
  name = "";
  id: Uint8Array = unnamed;
  userId: string | null = null;
  startedAt = 0;
  /** It has its name to itself. */
  isCarriedOut = false;
  /** Its attempt was told what it came to. */
  isEnded = false;

  constructor(request: Request, header: string, attempt: KeyedAttempt) {
    this.request = request;
    this.header = header;
    this.attempt = attempt;
  }
}

/**
 * Fires when the client goes away; never for a POST with an Idempotency-Key, whose client comes back for the answer.
 */
export function givenUp(request: Request): AbortSignal {
  const comesBack = request.method === "POST" && request.headers.has(idempotencyHeader);
  return comesBack ? new AbortController().signal : request.signal;
}

function keyedOf(request: Request): Keyed | undefined {
  return (request as Marked)[mark];
}

/**
 * Printable ASCII, as it is or as a structured string (RFC 8941, section 3.3.3), which means what it quotes. A comma
 * outside of quotes is what lies between two headers of the same name (RFC 9110, section 5.3).
 */
function idempotencyKeyIn(header: string): string {
  const text = header.trim();
  const isQuoted = /^"(?:[^"\\]|\\["\\])*"$/.test(text);
  const key = isQuoted ? text.slice(1, -1).replaceAll(/\\(["\\])/g, "$1") : text;
  if (/^[\x20-\x7e]{1,255}$/.test(key) && (isQuoted || !/^"|,/.test(text))) return key;
  const isList = !isQuoted && text.includes(",");
  throw invalid([{ path: "Idempotency-Key", message: isList ? notSeveral : expectedKey }]);
}

/** The owner, the key, and where the request goes to, with its query: the same key means another request elsewhere. */
function nameOf({ method, url }: Request, owner: string, key: string): string {
  const route = url.slice(url.indexOf("/", url.indexOf("://") + 3));
  // The JSON of all four, piece by piece: as a list it takes three times as long.
  return `["${owner}","${method}",${quoted(route)},${quoted(key)}]`;
}

const digest = new Uint8Array(32);

function idOf(name: string): Uint8Array {
  Bun.SHA256.hash(name, digest);
  return digest.slice(0, 16);
}

/** The JSON of printable ASCII. */
function quoted(text: string): string {
  return text.includes('"') || text.includes("\\") ? JSON.stringify(text) : `"${text}"`;
}

/** Reads a body that streams, unless it turns out to be longer than `maxBytes`. */
async function readToEnd(request: Request, digest: BodyDigest, maxBytes: number): Promise<void> {
  if (digest.hash !== null) return;
  if (mediaType(request) === "multipart/form-data")
    for await (const part of formParts(request)) {
      if (part.kind === "file") for await (const _ of part.body) if (digest.bytes > maxBytes) return;
      if (digest.bytes > maxBytes) return;
    }
  else for await (const _ of bodyStream(request) ?? []) if (digest.bytes > maxBytes) return;
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Sound, and streams that may have no end, are not read. */
function isText(headers: Headers): boolean {
  const type = headers.get("content-type");
  return type === null || /^(application\/json|text\/(plain|csv))\b/.test(type);
}

function isSame(one: Uint8Array | null, other: Uint8Array): boolean {
  return one !== null && Buffer.compare(one, other) === 0;
}

/** An answer, and its text; null when it has none. */
async function readAnswer(response: Response): Promise<[Response, string | null]> {
  const { status, headers } = response;
  if (!isText(headers)) return [response, null];
  const text = await response.text();
  // What Bun would say of it on the way, so that JSON is all that is kept without a type.
  if (text !== "" && !headers.has("content-type")) headers.set("content-type", "text/plain;charset=utf-8");
  return [new Response(text || null, { status, headers }), text];
}

function toldOf(headers: HTTPHeaders): Record<string, string> {
  const told: Record<string, string> = {};
  for (const name of keptHeaders) {
    const value = headers[name];
    if (value !== undefined && value !== jsonType) told[name] = String(value);
  }
  return told;
}

const expectedKey =
  "Expected 1 to 255 printable ASCII characters, such as a UUID, once, with or without double quotes.";
const notSeveral =
  'Expected one key, got several. Send the header once; put a key that has commas into double quotes: "a,b".';
