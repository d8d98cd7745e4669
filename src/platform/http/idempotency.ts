import type { Clock } from "../base/clock.ts";
import { ApiError, invalid } from "../base/errors.ts";
import { showsSecret } from "../auth/secret.ts";
import type { Log } from "../base/log.ts";
import { bodyStream, mediaType, type BodyDigest } from "./body.ts";
import type { Gate } from "./gate.ts";
import type { Ending, IdempotencyStore, KeptAnswer, KeptRequest } from "./idempotency-store.ts";
import { formParts } from "./multipart.ts";
import { keyIn } from "./credentials.ts";
import type { RequestContext, ResponseSettings } from "./request-context.ts";
import { KeyedExecution } from "./keyed-execution.ts";
import { sealed, sealKey, unsealed } from "./sealing.ts";

export type IdempotencyParts = {
  store: IdempotencyStore;
  gate: Pick<Gate, "refuse" | "interrupted">;
  /** Not a simulated one: whoever repeats a request does so when it was cut off, however far it moved the clock. */
  clock: Clock;
  log: Log;
  /** How long an answer is told again. */
  keptMs: number;
};

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

  /** Runs a POST that has the header so that its response is stored and returned again. */
  run(context: RequestContext, respond: () => Promise<Response>): Promise<Response> {
    const header = context.request.method === "POST" ? context.request.headers.get(idempotencyHeader) : null;
    return header === null ? respond() : this.#carryOut(context, header, respond);
  }

  /** Throws VALIDATION_ERROR for a key that can't be one. */
  check({ keyed }: RequestContext): void {
    if (keyed !== null) keyed.key ??= idempotencyKeyIn(keyed.header);
  }

  /**
   * After permission and validation: the response that the key already has; undefined if the request is to be carried
   * out. Throws REQUEST_IN_PROGRESS, REQUEST_INTERRUPTED, and IDEMPOTENCY_KEY_REUSED.
   */
  replay(context: RequestContext): undefined | Promise<Response | undefined> {
    const { keyed } = context;
    return keyed === null ? undefined : this.#begin(context, keyed);
  }

  /**
   * The JSON of a result, made once for the client and for the store, when it is stored together with what it reports.
   * Rejects if that does not hold. Undefined for what is not JSON of a route, or has no key.
   */
  store(context: RequestContext, value: unknown): undefined | Promise<string> {
    const { keyed, set } = context;
    if (keyed?.isCarriedOut !== true || !isPlain(value) || Number(set.status ?? 200) >= 400) return undefined;
    set.headers["content-type"] ??= jsonType;
    const text = JSON.stringify(value);
    const ending = this.#endingOf(context, keyed, Number(set.status ?? 200), set.headers, text);
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

  #carryOut(context: RequestContext, header: string, respond: () => Promise<Response>): Promise<Response> {
    return this.#parts.store.attempt((attempt) => {
      const keyed = new KeyedExecution(header, attempt);
      context.keyed = keyed;
      context.digest = keyed.digest;
      return respond().then(
        (response) => this.#answered(context, keyed, response),
        (error: unknown) => {
          this.#leave(keyed);
          throw error;
        },
      );
    });
  }

  #answered(context: RequestContext, keyed: KeyedExecution, response: Response): Response | Promise<Response> {
    if (!keyed.isCarriedOut) return response;
    if (!keyed.isEnded) return this.#keepAny(context, keyed, response);
    this.#leave(keyed);
    return this.#trueAnswer(context, keyed, response);
  }

  /** A refusal, or an answer that is no JSON of a route's, once it is kept; or that what it tells of does not hold. */
  async #keepAny(context: RequestContext, keyed: KeyedExecution, response: Response): Promise<Response> {
    try {
      const [answer, text] = await readAnswer(response).catch(async (error: unknown) => {
        // It broke off: what was done holds, and nobody knows the answer.
        await keyed.attempt.end("unknown", null);
        throw error;
      });
      const ending = this.#endingOf(context, keyed, answer.status, Object.fromEntries(answer.headers), text);
      return this.#trueAnswer(context, keyed, await keyed.attempt.end(ending, answer));
    } catch (error) {
      return this.#trueAnswer(context, keyed, this.#parts.gate.refuse(context, error));
    } finally {
      this.#leave(keyed);
    }
  }

  /** Only a request of which nothing holds may be told to try again: another one is, as its repetition will be, told so. */
  #trueAnswer(context: RequestContext, { attempt }: KeyedExecution, response: Response): Response {
    const { gate, log } = this.#parts;
    if (attempt.isForgotten) log.warn({ requestId: response.headers.get("x-request-id") }, "could not keep an answer");
    const isOurFault = response.status >= 500 && context.isFault;
    return isOurFault && attempt.hasChanged ? gate.interrupted(context) : response;
  }

  #leave(keyed: KeyedExecution): void {
    if (!keyed.isCarriedOut) return;
    keyed.isCarriedOut = false;
    this.#inFlight.delete(keyed.name);
    const left = this.#inFlightOf.get(keyed.owner)! - 1;
    if (left > 0) this.#inFlightOf.set(keyed.owner, left);
    else this.#inFlightOf.delete(keyed.owner);
  }

  #begin(context: RequestContext, keyed: KeyedExecution): undefined | Promise<Response | undefined> {
    const { caller } = context;
    keyed.owner = caller.userId === null ? `key:${caller.keyId}` : `user:${caller.userId}`;
    keyed.name = nameOf(context.request, keyed.owner, (keyed.key ??= idempotencyKeyIn(keyed.header)));
    keyed.userId = caller.userId;
    const underWay = this.#inFlight.get(keyed.name);
    const look = underWay ?? this.#claim(keyed);
    return look === null ? undefined : this.#toldOf(context, keyed, look, underWay !== undefined);
  }

  /** Many may be told what there is, at once; of those that find nothing the first is carried out. */
  async #toldOf(
    context: RequestContext,
    keyed: KeyedExecution,
    look: Promise<KeptRequest | null>,
    isUnderWay: boolean,
  ): Promise<Response | undefined> {
    const kept = await look;
    if (kept !== null) return this.#replayed(context, keyed, kept);
    if (isUnderWay) throw new ApiError("REQUEST_IN_PROGRESS", { retryAfterSeconds: 1 });
    return undefined;
  }

  /** The answer that the name has already; null, sooner or later: the request is to be carried out, and has it to itself. */
  #claim(keyed: KeyedExecution): null | Promise<KeptRequest | null> {
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
  async #claimUnlessKept(keyed: KeyedExecution, found: Promise<KeptRequest | null>): Promise<KeptRequest | null> {
    const kept = await found;
    if (kept !== null && kept.startedAt > keyed.startedAt - this.#parts.keptMs) {
      this.#leave(keyed);
      return kept;
    }
    keyed.attempt.begin(keyed, keyed.digest);
    return null;
  }

  async #replayed(
    context: RequestContext,
    { digest }: KeyedExecution,
    { id, fingerprint, answer }: KeptRequest,
  ): Promise<Response> {
    if (answer === null) throw new ApiError("REQUEST_INTERRUPTED");
    // A body that is longer is another one: nobody has to read on to know.
    await readToEnd(context, digest, fingerprint.bytes);
    if (fingerprint.hash !== null && !isSame(digest.hash, fingerprint.hash))
      throw new ApiError("IDEMPOTENCY_KEY_REUSED");
    const { status, headers, body } = answer;
    if (body === null)
      throw new ApiError("CONFLICT", {
        message:
          "This request was carried out before. Its answer can't be told again: it is too large, no text, or told of a person who was erased.",
        details: { status },
      });
    const text = typeof body === "string" ? body : this.#unsealed(context.request, id, body);
    const told = { ...(text !== "" && { "content-type": jsonType }), ...headers, [replayedHeader]: "true" };
    return new Response(text || null, { status, headers: told });
  }

  /** `text` is null when the answer is no text. */
  #endingOf(
    context: RequestContext,
    { id, attempt }: KeyedExecution,
    status: number,
    headers: ResponseSettings["headers"],
    text: string | null,
  ): Ending {
    // A service that asks to be asked again has taken back what it did; after a fault nobody knows.
    if (status >= 500) return context.isFault ? "unknown" : "undone";
    if ((status >= 400 || text === null) && !attempt.hasChanged) return "undone";
    if (text === null) return { status, headers: {}, body: null };
    return { status, headers: toldOf(headers), body: this.#sealedIfSecret(context.request, id, text) };
  }

  #sealedIfSecret(request: Request, id: Uint8Array, text: string): KeptAnswer["body"] {
    if (text.length > maxKeptBytes) return null;
    return showsSecret(text) ? sealed(sealKey(keyIn(request.headers) ?? "", id), text) : text;
  }

  #unsealed(request: Request, id: Uint8Array, body: Uint8Array): string {
    const text = unsealed(sealKey(keyIn(request.headers) ?? "", id), body);
    if (text !== null) return text;
    throw new ApiError("CONFLICT", {
      message: "The answer shows a secret, so it is told again only to the API key that asked first.",
    });
  }
}

/**
 * Fires when the client goes away; never for a POST with an Idempotency-Key, whose client comes back for the answer.
 */
export function givenUp(request: Request): AbortSignal {
  const comesBack = request.method === "POST" && request.headers.has(idempotencyHeader);
  return comesBack ? new AbortController().signal : request.signal;
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
async function readToEnd(context: RequestContext, digest: BodyDigest, maxBytes: number): Promise<void> {
  if (digest.hash !== null) return;
  if (mediaType(context.request) === "multipart/form-data")
    for await (const part of formParts(context)) {
      if (part.kind === "file") for await (const _ of part.body) if (digest.bytes > maxBytes) return;
      if (digest.bytes > maxBytes) return;
    }
  else for await (const _ of bodyStream(context) ?? []) if (digest.bytes > maxBytes) return;
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

function toldOf(headers: ResponseSettings["headers"]): Record<string, string> {
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
