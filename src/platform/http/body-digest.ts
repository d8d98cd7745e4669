import type { Fingerprint } from "./idempotency-store.ts";
import { paced } from "./body-pace.ts";
import { charset, mediaType } from "./media-type.ts";

/** The digest that somebody wants to know, on the request itself: with a WeakMap each request costs more. */
const wanted = Symbol("digest");
type Digested = Request & { [wanted]?: BodyDigest };

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

/** From here on, whoever reads the body of `request` by the functions of this folder tells the digest of it. */
export function digestWhileRead(request: Request, digest: BodyDigest): void {
  (request as Digested)[wanted] = digest;
}

export function digestOf(request: Request): BodyDigest | undefined {
  return (request as Digested)[wanted];
}

/**
 * The body as it arrives, for routes that take files; throws REQUEST_TIMEOUT when that is too slow. Nothing but this
 * folder reads `request.body` itself.
 */
export function bodyStream(request: Request): AsyncIterable<Uint8Array> | null {
  const digest = digestOf(request);
  const body = request.body === null ? null : paced(request.body as ReadableStream<Uint8Array>);
  if (digest === undefined) return body;
  // The same bytes say something else as CSV and as NDJSON, and in another charset. UTF-8 is what nobody has to say.
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
