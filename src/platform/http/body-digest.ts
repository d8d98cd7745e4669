import type { Fingerprint } from "./idempotency-store.ts";

/** One part of a form, in the order sent. The body of a file must be read before the next part arrives. */
export type FormPart =
  | { kind: "field"; name: string; value: string; isTruncated: boolean }
  /** `fileName` is untrusted; folders are removed. */
  | { kind: "file"; name: string; fileName: string; body: AsyncIterable<Uint8Array> };

/**
 * Hash of the content of a body: the bytes of JSON; the content type and bytes of a file; the names and contents of the
 * fields and files of a form, because the boundary between them differs with every request.
 */
export class BodyDigest implements Fingerprint {
  #hasher: Bun.SHA256 | null = null;
  #bytes = 0;
  #result: Uint8Array | null = null;

  /** Null until the whole body is read. */
  get hash(): Uint8Array | null {
    return this.#result;
  }

  /** Bytes read so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Digests a body that is read in one piece. */
  whole(content: Uint8Array): void {
    this.#bytes = content.byteLength;
    this.#result = Bun.SHA256.hash(content) as Uint8Array;
  }

  /** Digests a file while it is read. The same bytes mean something else as CSV, as NDJSON, or in another charset. */
  ofFile(
    body: AsyncIterable<Uint8Array> | null,
    mediaType: string,
    charset: string | null,
  ): AsyncIterable<Uint8Array> | null {
    const encoding = charset?.toLowerCase() ?? "utf-8";
    // UTF-8 is the default, whether it is stated or not.
    this.#addName(mediaType, ...(encoding === "utf-8" ? [] : [encoding]));
    if (body === null) this.end();
    return body && this.#whileRead(body, () => this.end());
  }

  /** Digests a form while it is read. */
  async *ofForm(parts: AsyncIterable<FormPart>): AsyncGenerator<FormPart, void, void> {
    for await (const part of parts) {
      if (part.kind === "field") {
        this.#addName("field", part.name, part.value);
        yield part;
      } else {
        this.#addName("file", part.name, part.fileName);
        const start = this.#bytes;
        const onEnd = () => this.#addName("end", `${this.#bytes - start}`);
        yield { ...part, body: this.#whileRead(part.body, onEnd) };
      }
    }
    this.end();
  }

  /** The body is complete. */
  end(): void {
    this.#result ??= (this.#hasher ?? new Bun.SHA256()).digest() as Uint8Array;
  }

  async *#whileRead(body: AsyncIterable<Uint8Array>, onEnd: () => void): AsyncGenerator<Uint8Array, void, void> {
    for await (const chunk of body) {
      this.#add(chunk);
      yield chunk;
    }
    onEnd();
  }

  /** Starts the next field or file. With its length first, no content can be mistaken for a name. */
  #addName(...names: string[]): void {
    for (const name of names) this.#add(`${Buffer.byteLength(name)}:${name}`);
  }

  #add(content: string | Uint8Array): void {
    this.#bytes += typeof content === "string" ? Buffer.byteLength(content) : content.byteLength;
    this.#hasher ??= new Bun.SHA256();
    this.#hasher.update(content);
  }
}
