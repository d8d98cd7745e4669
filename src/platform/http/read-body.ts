import { ApiError, invalid } from "../base/errors.ts";
import { parseJson } from "../base/text.ts";
import type { BodyDigest } from "./body-digest.ts";

/** What reading a body needs of a request: the request context, or a part of it. */
export type BodySource = {
  request: Request;
  /** The API key that was sent; null if there is none. */
  secret: string | null;
  /** With an Idempotency-Key: the digest to update with everything that is read. */
  keyed: { digest: BodyDigest } | null;
};

/**
 * How long a body may take to arrive: a minute, plus a second for each 16 KiB. The slowest mobile connection uploads a
 * 50 MB recording in that time; a client that trickles bytes to occupy a connection does not.
 */
const graceMs = 60_000;
const bytesPerSecond = 16 * 1024;
const checkIntervalMs = 1000;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The JSON value of a request body; undefined if there is no body. Throws 415 for another content type, 413 as soon as
 * more than `maxBytes` are announced or received, 400 for malformed JSON or UTF-8, and 408 if it arrives too slowly.
 */
export async function readJson(source: BodySource, maxBytes: number): Promise<unknown> {
  const { request, keyed } = source;
  const announced = announcedBytes(request);
  // Accessing `body` turns it into a stream that everything is then read through: a tenth of a request slower.
  if (announced === null ? request.body === null : announced === 0) {
    keyed?.digest.end();
    return undefined;
  }
  if (!isJson(source)) throw new ApiError("UNSUPPORTED_MEDIA_TYPE", { message: "Send the body as application/json." });
  if (announced !== null && announced > maxBytes) throw tooLarge(maxBytes);
  // Bun enforces an announced length; only a body without one has to be counted.
  const bytes =
    announced === null
      ? await collected(request.body && paced(request.body as ReadableStream<Uint8Array>), maxBytes)
      : await wholeBodies.within(request.bytes(), announced);
  keyed?.digest.whole(bytes);
  try {
    return parseJson(decoded(bytes));
  } catch (error) {
    throw invalid([{ path: "", message: `The body is not valid JSON: ${(error as Error).message}.` }]);
  }
}

/** The body as bytes; empty if there is none. Throws 413 like `readJson`. */
export async function readBytes(source: BodySource, maxBytes: number): Promise<Uint8Array> {
  refuseAnnounced(source.request, maxBytes);
  return collected(bodyStream(source), maxBytes);
}

/**
 * The body as it arrives, for routes that accept files. Throws REQUEST_TIMEOUT if it arrives too slowly. Only this folder
 * reads `request.body` directly.
 */
export function bodyStream({ request, keyed }: BodySource): AsyncIterable<Uint8Array> | null {
  const body = request.body === null ? null : paced(request.body as ReadableStream<Uint8Array>);
  return keyed === null ? body : keyed.digest.ofFile(body, mediaType(request), charset(request));
}

/** The content type without its parameters, in lower case; "" if there is none. */
export function mediaType(request: Request): string {
  return (request.headers.get("content-type") ?? "").split(";", 1)[0]!.trim().toLowerCase();
}

/** The charset of the content type as it was sent; null if there is none. */
export function charset(request: Request): string | null {
  const [, quoted, plain] =
    /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]+))/i.exec(request.headers.get("content-type") ?? "") ?? [];
  return (quoted ?? plain)?.trim() || null;
}

/** The length in Content-Length; null if there is none. */
export function announcedBytes({ headers }: Request): number | null {
  const announced = headers.get("content-length");
  return announced === null ? null : Number(announced);
}

/** Throws 413 if the announced length is too large. */
export function refuseAnnounced(request: Request, maxBytes: number): void {
  if ((announcedBytes(request) ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

export function tooLarge(maxBytes: number): ApiError {
  return new ApiError("PAYLOAD_TOO_LARGE", {
    message: `The body is larger than ${maxBytes} bytes.`,
    details: { maxBytes },
  });
}

/** Passes on the chunks of a body. Throws REQUEST_TIMEOUT once they arrive more slowly than allowed. */
export async function* paced(
  body: AsyncIterable<Uint8Array>,
  now: () => number = performance.now.bind(performance),
): AsyncGenerator<Uint8Array, void, void> {
  const startedAt = now();
  // Time spent by the consumer does not count.
  let consuming = 0;
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    const receivedAt = now();
    if (receivedAt - startedAt - consuming > longestMs(bytes)) throw tooSlow();
    yield chunk;
    consuming += now() - receivedAt;
  }
}

type Waiting = { until: number; reject: (reason: ApiError) => void };

/** Limits the time of bodies that are read in one piece, which become visible only once they are complete. */
export class WholeBodies {
  readonly #waiting = new Set<Waiting>();
  readonly #now: () => number;
  readonly #intervalMs: number;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(now: () => number = performance.now.bind(performance), intervalMs = checkIntervalMs) {
    this.#now = now;
    this.#intervalMs = intervalMs;
  }

  /** Resolves like `arriving`, or rejects with REQUEST_TIMEOUT if that takes too long. `bytes`: the announced length. */
  within<T>(arriving: Promise<T>, bytes: number): Promise<T> {
    // Most bodies arrive together with the headers. One timer serves all others.
    if (Bun.peek.status(arriving) !== "pending") return arriving;
    return new Promise<T>((resolve, reject) => {
      const waiting: Waiting = { until: this.#now() + longestMs(bytes), reject };
      const settleWith =
        <V>(settle: (value: V) => void) =>
        (value: V) => {
          this.#waiting.delete(waiting);
          settle(value);
        };
      this.#waiting.add(waiting);
      this.#timer ??= setInterval(() => this.#check(), this.#intervalMs).unref();
      arriving.then(settleWith(resolve), settleWith(reject));
    });
  }

  #check(): void {
    for (const waiting of this.#waiting) if (waiting.until < this.#now()) waiting.reject(tooSlow());
    // Stopped only here: restarting the timer for each body costs more than one unnecessary check.
    if (this.#waiting.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}

const wholeBodies = new WholeBodies();

/**
 * curl sends a form content type by default. A request with a key in a header cannot come from a foreign page, because a
 * custom header requires a preflight. A request authenticated by a cookie must declare JSON.
 */
function isJson({ request, secret }: BodySource): boolean {
  const type = mediaType(request);
  if (type === "application/json") return true;
  return type === "application/x-www-form-urlencoded" && secret !== null;
}

function decoded(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new SyntaxError("it is not encoded in UTF-8, as RFC 8259 requires");
  }
}

async function collected(body: AsyncIterable<Uint8Array> | null, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function longestMs(bytes: number): number {
  return graceMs + (bytes / bytesPerSecond) * 1000;
}

function tooSlow(): ApiError {
  return new ApiError("REQUEST_TIMEOUT", { headers: { connection: "close" } });
}
