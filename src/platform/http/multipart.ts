import type { Busboy, BusboyFileStream } from "@fastify/busboy";
import { ApiError, invalid } from "../base/errors.ts";
import type { FormPart } from "./body-digest.ts";
import { isLikeDryRun, noDryRun } from "./input-errors.ts";
import { mediaType, paced, type BodySource } from "./input.ts";

/** For text; larger content is sent as a file. */
const maxFieldBytes = 64 * 1024;
const maxParts = 100;
const maxHeaderBytes = 16 * 1024;
/** Turns of the event loop. Each stream that the parser ends takes one, and streams are nested two deep. */
const turnsToTheEnd = 5;

/**
 * The parts of a multipart/form-data body (RFC 7578) as they arrive, in constant memory: the body is read only as fast as
 * the parts are. Throws 415 for another content type, 400 for a malformed or incomplete form, and whatever reading the
 * request throws. Leaving the loop early discards the rest of the body.
 */
export async function* formParts({ request, recheck, keyed }: BodySource): AsyncGenerator<FormPart, void, void> {
  if (mediaType(request) !== "multipart/form-data")
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", { message: "Send the form as multipart/form-data." });
  const form = new IncomingForm(await openParser(request));
  const pumping = form.pump(request.body && paced(request.body as ReadableStream<Uint8Array>, recheck));
  try {
    yield* keyed === null ? form.parts() : keyed.digest.ofForm(form.parts());
  } finally {
    form.close();
    await pumping;
  }
}

async function openParser(request: Request): Promise<Busboy> {
  // Loaded on first use: most servers never receive a form.
  const { Busboy } = await import("@fastify/busboy");
  const headers = { "content-type": request.headers.get("content-type") ?? "" };
  try {
    return new Busboy({
      headers,
      limits: { fieldSize: maxFieldBytes, parts: maxParts, headerSize: maxHeaderBytes, headerPairs: 50 },
      isPartAFile: (_name, _type, fileName) => fileName !== undefined,
    });
  } catch (error) {
    throw invalid([{ path: "", message: `The form cannot be read: ${(error as Error).message}.` }]);
  }
}

/** Turns the parser's events into an async sequence with one end and one error. */
class IncomingForm {
  readonly #parser: Busboy;
  #waiting: FormPart[] = [];
  #files: BusboyFileStream[] = [];
  #isFed = false;
  #isDone = false;
  #failure: Error | null = null;
  #wake = (): void => {};
  #resume = (): void => {};

  constructor(parser: Busboy) {
    this.#parser = parser;
    parser.on("field", (name, value, _nameTruncated, isTruncated) =>
      this.#add({ kind: "field", name: name ?? "", value, isTruncated }),
    );
    parser.on("file", (name, body, fileName) => {
      // It can fail after its reader has left.
      body.on("error", () => {});
      this.#files = [...this.#files.filter((file) => !file.destroyed), body];
      this.#add({ kind: "file", name: name ?? "", fileName: fileName ?? "", body: this.#contentOf(body) });
    });
    parser.on("partsLimit", () => this.#fail(formError(`it has more than ${maxParts} parts`)));
    parser.on("error", (error) => this.#fail(formError(reasonOf(error))));
    parser.on("drain", () => this.#resume());
    parser.on("finish", () => {
      this.#isDone = true;
      this.#resume();
      this.#wake();
    });
  }

  async *parts(): AsyncGenerator<FormPart, void, void> {
    for (;;) {
      const part = this.#waiting.shift();
      if (part !== undefined) yield rejectDryRun(part);
      else if (this.#failure !== null) throw this.#failure;
      else if (this.#isDone) return;
      else if (this.#isFed) await this.#end();
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Feeds the parser until the body ends or the form is closed. Never rejects: errors are thrown by `parts`. */
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
   * Waits for the parser's end event after the whole body was fed. The event arrives within a few turns, and never for a
   * form with an incomplete part.
   */
  async #end(): Promise<void> {
    for (let turn = 0; turn < turnsToTheEnd; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#isDone || this.#failure !== null || this.#waiting.length > 0) return;
    }
    this.#fail(formError("it is incomplete"));
  }

  /** Ends the pump and releases the parser. */
  close(): void {
    this.#fail(new Error("The form was closed"));
    this.#parser.destroy();
  }

  async *#contentOf(file: BusboyFileStream): AsyncGenerator<Uint8Array, void, void> {
    try {
      yield* file as AsyncIterable<Uint8Array>;
    } catch (error) {
      throw this.#failure ?? formError(reasonOf(error));
    }
  }

  /** Resolves when the parser accepts more, or never will. */
  #drained(): Promise<void> {
    if (this.#failure !== null) return Promise.resolve();
    return new Promise((resolve) => (this.#resume = resolve));
  }

  #add(part: FormPart): void {
    this.#waiting.push(part);
    this.#wake();
  }

  /** Keeps the first failure. A file that is being read fails with it. */
  #fail(failure: unknown): void {
    this.#failure ??= failure instanceof Error ? failure : new Error(String(failure));
    for (const file of this.#files.splice(0)) file.destroy(this.#failure);
    this.#resume();
    this.#wake();
  }
}

/** Rejects `dryRun`: no route that accepts a form has a dry run. */
function rejectDryRun(part: FormPart): FormPart {
  if (part.kind === "field" && isLikeDryRun(part.name) && !["false", "0"].includes(part.value))
    throw invalid([{ path: part.name.slice(0, 100), message: noDryRun }]);
  return part;
}

function formError(reason: string): ApiError {
  return invalid([{ path: "", message: `The form cannot be read: ${reason}.` }]);
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return /unexpected end/i.test(message) ? "it is incomplete" : message;
}
