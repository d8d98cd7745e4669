import type { Busboy, BusboyFileStream } from "@fastify/busboy";
import { ApiError, invalid } from "../base/errors.ts";
import { mediaType, type BodyDigest, type Incoming } from "./body.ts";
import { paced } from "./body-pace.ts";
import { isLikeDryRun, noDryRun } from "./query-names.ts";

/** One part of a form, in the order in which it was sent. The body of a file must be read before the next part comes. */
export type FormPart =
  | { kind: "field"; name: string; value: string; isTruncated: boolean }
  /** `fileName` as the client wrote it, without folders: it may be anything. */
  | { kind: "file"; name: string; fileName: string; body: AsyncIterable<Uint8Array> };

/** Texts only: whoever needs more sends a file. */
const maxFieldBytes = 64 * 1024;
const maxParts = 100;
const maxHeaderBytes = 16 * 1024;
/** Of the event loop; one is enough for each stream that the parser ends, and these are two deep. */
const turnsToTheEnd = 5;

/**
 * The parts of a multipart/form-data body (RFC 7578) as they arrive, in constant memory: the client is read from only
 * as fast as the parts are. Throws 415 for another content type, 400 for a body that is none or breaks off, and what
 * reading the request throws. Leaving the loop early gives the rest of the body up.
 */
export async function* formParts({ request, digest }: Incoming): AsyncGenerator<FormPart, void, void> {
  if (mediaType(request) !== "multipart/form-data")
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", { message: "Send the form as multipart/form-data." });
  const form = new IncomingForm(await openParser(request));
  const pumping = form.pump(request.body && paced(request.body as ReadableStream<Uint8Array>));
  try {
    yield* digest === null ? form.parts() : digested(form.parts(), digest);
  } finally {
    form.close();
    await pumping;
  }
}

async function* digested(parts: AsyncIterable<FormPart>, digest: BodyDigest): AsyncGenerator<FormPart, void, void> {
  for await (const part of parts) {
    if (part.kind === "field") {
      digest.addName("field", part.name, part.value);
      yield part;
    } else {
      digest.addName("file", part.name, part.fileName);
      yield { ...part, body: digestedContent(part.body, digest) };
    }
  }
  digest.end();
}

async function* digestedContent(
  body: AsyncIterable<Uint8Array>,
  digest: BodyDigest,
): AsyncGenerator<Uint8Array, void, void> {
  const start = digest.bytes;
  for await (const chunk of body) {
    digest.add(chunk);
    yield chunk;
  }
  digest.addName("end", `${digest.bytes - start}`);
}

async function openParser(request: Request): Promise<Busboy> {
  // Loaded with the first form: most services never take one.
  const { Busboy } = await import("@fastify/busboy");
  const headers = { "content-type": request.headers.get("content-type") ?? "" };
  try {
    return new Busboy({
      headers,
      limits: { fieldSize: maxFieldBytes, parts: maxParts, headerSize: maxHeaderBytes, headerPairs: 50 },
      isPartAFile: (_name, _type, fileName) => fileName !== undefined,
    });
  } catch (error) {
    throw invalid([{ path: "", message: `The form can't be read: ${(error as Error).message}.` }]);
  }
}

/** Turns the parser's events into a sequence that is pulled, with one end and one error. */
class IncomingForm {
  readonly #parser: Busboy;
  #waiting: FormPart[] = [];
  #files: BusboyFileStream[] = [];
  #isFed = false;
  #isDone = false;
  #failure: Error | null = null;
  #wake = (): void => {};
  #goOn = (): void => {};

  constructor(parser: Busboy) {
    this.#parser = parser;
    parser.on("field", (name, value, _nameTruncated, isTruncated) =>
      this.#add({ kind: "field", name: name ?? "", value, isTruncated }),
    );
    parser.on("file", (name, body, fileName) => {
      // Somebody may be past reading it when it fails.
      body.on("error", () => {});
      this.#files = [...this.#files.filter((file) => !file.destroyed), body];
      this.#add({ kind: "file", name: name ?? "", fileName: fileName ?? "", body: this.#contentOf(body) });
    });
    parser.on("partsLimit", () => this.#fail(formError(`it has more than ${maxParts} parts`)));
    parser.on("error", (error) => this.#fail(formError(wordsOf(error))));
    parser.on("drain", () => this.#goOn());
    parser.on("finish", () => {
      this.#isDone = true;
      this.#goOn();
      this.#wake();
    });
  }

  async *parts(): AsyncGenerator<FormPart, void, void> {
    for (;;) {
      const part = this.#waiting.shift();
      if (part !== undefined) yield heeded(part);
      else if (this.#failure !== null) throw this.#failure;
      else if (this.#isDone) return;
      else if (this.#isFed) await this.#end();
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Feeds the parser until the body ends or nobody wants more. Never rejects: what fails comes out of `parts`. */
  async pump(body: AsyncIterable<Uint8Array> | null): Promise<void> {
    try {
      for await (const chunk of body ?? []) {
        if (!this.#parser.write(chunk)) await this.#drained();
        if (this.#isDone || this.#failure !== null) return;
      }
      this.#parser.end();
      this.#isFed = true;
      this.#wake();
    } catch (error) {
      this.#fail(error);
    }
  }

  /**
   * All of the body was given to the parser, and all that it found was taken. It tells the end in its next turns, but
   * not of a form in which a part is not complete: for that one it would be waited forever.
   */
  async #end(): Promise<void> {
    for (let turn = 0; turn < turnsToTheEnd; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#isDone || this.#failure !== null || this.#waiting.length > 0) return;
    }
    this.#fail(formError("it breaks off before its end"));
  }

  /** Ends the pump and frees what is held. */
  close(): void {
    this.#fail(new Error("The form was given up"));
    this.#parser.destroy();
  }

  async *#contentOf(file: BusboyFileStream): AsyncGenerator<Uint8Array, void, void> {
    try {
      yield* file as AsyncIterable<Uint8Array>;
    } catch (error) {
      throw this.#failure ?? formError(wordsOf(error));
    }
  }

  /** Resolves when the parser takes more, and when it never will. */
  #drained(): Promise<void> {
    if (this.#failure !== null) return Promise.resolve();
    return new Promise((resolve) => (this.#goOn = resolve));
  }

  #add(part: FormPart): void {
    this.#waiting.push(part);
    this.#wake();
  }

  /** The first failure counts. A file that is being read ends with it as well. */
  #fail(failure: unknown): void {
    this.#failure ??= failure instanceof Error ? failure : new Error(String(failure));
    for (const file of this.#files.splice(0)) file.destroy(this.#failure);
    this.#goOn();
    this.#wake();
  }
}

/** No route that takes a form has a dry run. */
function heeded(part: FormPart): FormPart {
  if (part.kind === "field" && isLikeDryRun(part.name) && !["false", "0"].includes(part.value))
    throw invalid([{ path: part.name.slice(0, 100), message: noDryRun }]);
  return part;
}

function formError(reason: string): ApiError {
  return invalid([{ path: "", message: `The form can't be read: ${reason}.` }]);
}

function wordsOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return /unexpected end/i.test(message) ? "it breaks off before its end" : message;
}
