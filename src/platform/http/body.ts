import { ApiError, invalid } from "../base/errors.ts";
import { parseJson } from "../base/json.ts";
import { paced, WholeBodies } from "./body-pace.ts";
import { keyIn } from "./credentials.ts";
import type { Fingerprint } from "./idempotency-store.ts";

/** A request whose body is read here. `digest`: fed with what is read; null if nobody needs it. */
export type Incoming = { readonly request: Request; readonly digest: BodyDigest | null };

const wholeBodies = new WholeBodies();
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The JSON value of a request's body; undefined when there is none. Throws 415 for another content type, 413 as soon
 * as more than `maxBytes` are announced or have arrived, 400 for text that is not JSON, or not UTF-8, and
 * 408 when it arrives too slowly.
 */
export async function readJson({ request, digest }: Incoming, maxBytes: number): Promise<unknown> {
  const announced = announcedBytes(request);
  // To look at `body` makes a stream of it, through which all is read from then on: slower by a tenth of a request.
  if (announced === null ? request.body === null : announced === 0) {
    digest?.end();
    return undefined;
  }
  if (!isJson(request)) throw new ApiError("UNSUPPORTED_MEDIA_TYPE", { message: "Send the body as application/json." });
  if (announced !== null && announced > maxBytes) throw tooLarge(maxBytes);
  // An announced length is kept by the server; only a body without one has to be counted.
  const bytes =
    announced === null
      ? await collected(request.body && paced(request.body as ReadableStream<Uint8Array>), maxBytes)
      : await wholeBodies.within(request.bytes(), announced);
  digest?.whole(bytes);
  try {
    return parseJson(decoded(bytes));
  } catch (error) {
    throw invalid([{ path: "", message: `The body is not valid JSON: ${(error as Error).message}.` }]);
  }
}

/**
 * curl names a form where it is told nothing else. With a key in a header no page of another origin can have sent it
 * (a header of one's own takes a preflight); what a cookie speaks for must say that it is JSON.
 */
function isJson(request: Request): boolean {
  const type = mediaType(request);
  if (type === "application/json") return true;
  return type === "application/x-www-form-urlencoded" && keyIn(request.headers) !== null;
}

function decoded(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new SyntaxError("it is not UTF-8, which all JSON is (RFC 8259)");
  }
}

/** The length that the client announces for its body; null when it does not. */
export function announcedBytes({ headers }: Request): number | null {
  const announced = headers.get("content-length");
  return announced === null ? null : Number(announced);
}

/** Throws 413 when the announced length alone is too much. */
export function refuseAnnounced(request: Request, maxBytes: number): void {
  if ((announcedBytes(request) ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

export function tooLarge(maxBytes: number): ApiError {
  return new ApiError("PAYLOAD_TOO_LARGE", {
    message: `The body is larger than ${maxBytes} bytes.`,
    details: { maxBytes },
  });
}

/** The body as it is; empty when there is none. Throws 413 as `readJson`. */
export async function readBytes(incoming: Incoming, maxBytes: number): Promise<Uint8Array> {
  refuseAnnounced(incoming.request, maxBytes);
  return collected(bodyStream(incoming), maxBytes);
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

/**
 * The body as it arrives, for routes that take files. Throws REQUEST_TIMEOUT if it arrives too slowly. Only this module and
 * the form parser read `request.body`.
 */
export function bodyStream({ request, digest }: Incoming): AsyncIterable<Uint8Array> | null {
  const body = request.body === null ? null : paced(request.body as ReadableStream<Uint8Array>);
  if (digest === null) return body;
  // The same bytes mean something else as CSV and as NDJSON, and in another charset. UTF-8 is the default.
  const encoding = charset(request)?.toLowerCase() ?? "utf-8";
  digest.addName(mediaType(request), ...(encoding === "utf-8" ? [] : [encoding]));
  if (body === null) digest.end();
  return body && digestedBy(digest, body);
}

async function* digestedBy(
  digest: BodyDigest,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of body) {
    digest.add(chunk);
    yield chunk;
  }
  digest.end();
}

/**
 * What a body says, as one hash: the bytes of a JSON text; the content type of a file and its bytes; of a form the names
 * and contents of its fields and files, because each client draws another boundary between them.
 */
export class BodyDigest implements Fingerprint {
  #hasher: Bun.SHA256 | null = null;
  #bytes = 0;
  #result: Uint8Array | null = null;

  /** Null until all was read. */
  get hash(): Uint8Array | null {
    return this.#result;
  }

  /** So far. */
  get bytes(): number {
    return this.#bytes;
  }

  add(content: string | Uint8Array): void {
    this.#bytes += typeof content === "string" ? Buffer.byteLength(content) : content.byteLength;
    this.#hasher ??= new Bun.SHA256();
    this.#hasher.update(content);
  }

  /** All of it in one piece. */
  whole(content: Uint8Array): void {
    this.#bytes = content.byteLength;
    this.#result = Bun.SHA256.hash(content) as Uint8Array;
  }

  /** What follows belongs to another field or file: with its length in front, no content can be taken for a name. */
  addName(...names: string[]): void {
    for (const name of names) this.add(`${Buffer.byteLength(name)}:${name}`);
  }

  /** That was all of it. */
  end(): void {
    this.#result ??= (this.#hasher ?? new Bun.SHA256()).digest() as Uint8Array;
  }
}

/** The content type without its parameters, in lower case; "" when there is none. */
export function mediaType(request: Request): string {
  return (request.headers.get("content-type") ?? "").split(";", 1)[0]!.trim().toLowerCase();
}

/** The charset that the content type names, as it is written there; null when it names none. */
export function charset(request: Request): string | null {
  const [, quoted, plain] =
    /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]+))/i.exec(request.headers.get("content-type") ?? "") ?? [];
  return (quoted ?? plain)?.trim() || null;
}
