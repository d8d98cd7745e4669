import type { BlobStore } from "../../platform/blobs/blob-store.ts";
import type { BlobContent } from "../../platform/blobs/model.ts";
import { singleLine } from "../../platform/base/text.ts";
import { ApiError, invalid } from "../../platform/base/errors.ts";
import { audioFormats, type AudioFormat } from "../../lib/audio/pcm.ts";
import type { StoredFile } from "./model.ts";

/** A part of a form as it arrives. The body of a file must be read before the next part. */
export type UploadPart =
  | { kind: "field"; name: string; value: string; isTruncated: boolean }
  | { kind: "file"; name: string; fileName: string; body: AsyncIterable<Uint8Array> };

export type Upload = {
  parts: AsyncIterable<UploadPart>;
  /** Content length announced by the client; null if unknown. */
  announcedBytes: number | null;
};

export type ReceivedFile = StoredFile & { fileName: string; blob: string };

export type ReceivedForm = {
  fields: ReadonlyMap<string, string>;
  files: ReceivedFile[];
  /** Recording of the speaker's consent. */
  consentRecording: ReceivedFile | null;
};

export type ReceiveRules = {
  maxFiles: number;
  maxFileBytes: number;
  /** Returns the blob name for the next sample or for the consent recording. */
  blobNameFor: (kind: "sample" | "consent") => string;
  /** Throws for invalid fields, before the files that follow are received. */
  validateFields: (fields: ReadonlyMap<string, string>) => void;
};

/** Allowance for everything in the form other than files. */
const maxFieldBytes = 1024 * 1024;
const megabyte = 2 ** 20;
const maxFileNameLength = 200;

type Rejection =
  | { fileName: string; kind: "format"; reason: string }
  | { fileName: string; kind: "size"; bytes: number };

/**
 * Receives the files of a form: writes them to disk while hashing them and detecting their format from the content. An
 * invalid file is discarded, but the form is read to its end so that one error lists all invalid files. Throws
 * INVALID_FILE_FORMAT, FILE_TOO_LARGE, or VALIDATION_ERROR, as well as errors of the parts and the disk. Even then,
 * files already received remain on disk, and `storedBlobs` contains their names.
 */
export async function receiveForm(
  { parts, announcedBytes }: Upload,
  blobs: BlobStore,
  rules: ReceiveRules,
  storedBlobs: string[],
): Promise<ReceivedForm> {
  const fields = new Map<string, string>();
  const files: ReceivedFile[] = [];
  const rejections: Rejection[] = [];
  let consentRecording: ReceivedFile | null = null;
  let fileCount = 0;
  const budget = new Budget((rules.maxFiles + 1) * rules.maxFileBytes + maxFieldBytes);

  for await (const part of parts) {
    if (part.kind === "field") {
      if (part.isTruncated) throw invalid([{ path: part.name, message: "This field is too long. Shorten it." }]);
      fields.set(part.name, part.value);
      continue;
    }
    rules.validateFields(fields);
    const kind = /^files(\[\d*\])?$/.test(part.name) ? "sample" : "consent";
    if (kind === "consent" && part.name !== "consentRecording")
      throw invalid([
        {
          path: part.name,
          message: "Unknown file field. Send recordings as files and the consent recording as consentRecording.",
        },
      ]);
    if (kind === "sample" && ++fileCount > rules.maxFiles)
      throw invalid([{ path: "files", message: `Expected at most ${rules.maxFiles} files. Send fewer.` }]);
    if (kind === "consent" && consentRecording !== null)
      throw invalid([{ path: "consentRecording", message: "Expected one recording, got several." }]);
    const fileName = cleanName(part.fileName, kind === "sample" ? `sample-${fileCount}` : "consent");
    const intake = new FileReceiver(fileName, budget.count(part.body), rules.maxFileBytes);
    const received = await intake.into(blobs, rules.blobNameFor(kind), storedBlobs);
    if (received === null) rejections.push(intake.offence!);
    else if (kind === "sample") files.push(received);
    else consentRecording = received;
    // The form is invalid in any case, so reading on to find further errors is pointless.
    if (budget.isSpent || (received === null && (announcedBytes ?? 0) > budget.bytes)) break;
  }
  throwRejections(rejections, rules.maxFileBytes);
  // Fields may also follow the files.
  rules.validateFields(fields);
  if (budget.isSpent)
    throw new ApiError("PAYLOAD_TOO_LARGE", {
      message: "The form exceeds the maximum total size. Send fewer or smaller recordings.",
    });
  rejectDuplicates(files);
  return { fields, files, consentRecording };
}

/** Limits the total size of a form, so that a client cannot keep the server reading forever. */
class Budget {
  readonly bytes: number;
  #used = 0;

  constructor(bytes: number) {
    this.bytes = bytes;
  }

  get isSpent(): boolean {
    return this.#used > this.bytes;
  }

  /** Ends early once the budget is exceeded. */
  async *count(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    for await (const chunk of body) {
      this.#used += chunk.byteLength;
      yield chunk;
      if (this.isSpent) return;
    }
  }
}

class FileRejected extends Error {}

/** Receives a single file. */
class FileReceiver {
  readonly #fileName: string;
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #maxBytes: number;
  readonly #hash = new Bun.CryptoHasher("sha256");
  #bytes = 0;
  #head = new Uint8Array(0);
  #format: AudioFormat | null = null;
  /** Why the file was rejected; null if it was not. */
  offence: Rejection | null = null;

  constructor(fileName: string, body: AsyncIterable<Uint8Array>, maxBytes: number) {
    this.#fileName = fileName;
    this.#chunks = body[Symbol.asyncIterator]();
    this.#maxBytes = maxBytes;
  }

  /** Null if the file is rejected; it was then read to its end, and nothing is stored. */
  async into(blobs: BlobStore, blob: string, taken: string[]): Promise<ReceivedFile | null> {
    try {
      await blobs.receive(blob, this.#validatedChunks(), this.#maxBytes);
      taken.push(blob);
    } catch (error) {
      if (!(error instanceof FileRejected)) throw error;
      await this.#drain();
      return null;
    }
    const problem = await this.#problemBehindTags(() => blobs.find(blob));
    if (problem !== null) {
      this.offence = { fileName: this.#fileName, kind: "format", reason: problem };
      return null;
    }
    const sha256 = this.#hash.digest("hex");
    return { fileName: this.#fileName, blob, format: this.#format!, bytes: this.#bytes, sha256 };
  }

  /** Yields the content to store, but nothing before the format has been detected from the beginning. */
  async *#validatedChunks(): AsyncGenerator<Uint8Array, void, void> {
    const { sniffAudio, sniffLength } = await import("../../lib/audio/sniff.ts");
    const held: Uint8Array[] = [];
    let heldBytes = 0;
    for (let next = await this.#next(); ; next = await this.#next()) {
      if (next !== null && this.#format !== null) {
        yield next;
        continue;
      }
      if (next !== null) heldBytes += held.push(next) && next.byteLength;
      if (this.#format === null && (next === null || heldBytes >= sniffLength)) {
        this.#head = Buffer.concat(held);
        const size = next === null ? heldBytes : Number.POSITIVE_INFINITY;
        this.#format = sniffAudio(this.#head.subarray(0, sniffLength), size);
        if (this.#format === null) this.#refuseFormat(await reasonFor(this.#head));
        yield this.#head;
        held.length = 0;
      }
      if (next === null) return;
    }
  }

  async #next(): Promise<Uint8Array | null> {
    const { done, value } = await this.#chunks.next();
    if (done === true) return null;
    this.#bytes += value.byteLength;
    // Specification, "Limits": under 50 MB each.
    if (this.#bytes >= this.#maxBytes) {
      this.offence = { fileName: this.#fileName, kind: "size", bytes: this.#bytes };
      throw new FileRejected();
    }
    this.#hash.update(value);
    return value;
  }

  #refuseFormat(reason: string): never {
    this.offence = { fileName: this.#fileName, kind: "format", reason };
    throw new FileRejected();
  }

  /** Reads to the end, to learn the size and reach the next part. */
  async #drain(): Promise<void> {
    for (;;) {
      const { done, value } = await this.#chunks.next();
      if (done === true) break;
      this.#bytes += value.byteLength;
    }
    if (this.offence?.kind === "size" || this.#bytes >= this.#maxBytes)
      this.offence = { fileName: this.#fileName, kind: "size", bytes: this.#bytes };
  }

  /**
   * Checks the content after large tags, such as a cover picture, which the first check could not see. Null if it is
   * audio.
   */
  async #problemBehindTags(find: () => Promise<BlobContent | null>): Promise<string | null> {
    const [{ id3v2Length }, { sniffAudio, sniffLength }] = await Promise.all([
      import("../../lib/audio/id3.ts"),
      import("../../lib/audio/sniff.ts"),
    ]);
    const tagLength = id3v2Length(this.#head);
    if (tagLength < this.#head.length) return null;
    const stored = await find();
    if (stored === null) throw new Error("Expected the file that was just stored, got none");
    const start = Math.min(tagLength, stored.bytes);
    const body = stored.body(start, Math.min(start + sniffLength, stored.bytes));
    const head = new Uint8Array(await new Response(body).arrayBuffer());
    this.#format = sniffAudio(head, stored.bytes - start);
    return this.#format === null ? await reasonFor(head) : null;
  }
}

async function reasonFor(head: Uint8Array): Promise<string> {
  if (head.length === 0) return "it is empty";
  const { knownOther } = await import("../../lib/audio/sniff.ts");
  const other = knownOther(head);
  return other === null ? "its content is not WAV, MP3, M4A, or FLAC" : `it is ${other}`;
}

/** The last segment of a path, without characters that could be harmful in a header or on a screen. */
function cleanName(sent: string, otherwise: string): string {
  const name = singleLine(sent.split(/[\\/]/).at(-1) ?? "")
    .slice(0, maxFileNameLength)
    .toWellFormed();
  return name === "" || /^\.+$/.test(name) ? otherwise : name;
}

function throwRejections(offences: readonly Rejection[], maxFileBytes: number): void {
  const tooLarge = offences.filter((rejection) => rejection.kind === "size");
  const unsupported = offences.filter((offence) => offence.kind === "format");
  const reasons = unsupported.map(({ fileName, reason }) => ({ filename: fileName, reason }));
  const maxMegabytes = maxFileBytes / megabyte;
  if (tooLarge.length > 0)
    throw new ApiError("FILE_TOO_LARGE", {
      message: `File too large: ${summarize(tooLarge)}. Each file must be under ${maxMegabytes} MB; a minute of speech is enough.`,
      details: {
        max_size_mb: maxMegabytes,
        rejected_files: tooLarge.map(({ fileName, bytes }) => ({
          filename: fileName,
          size_mb: Math.round((bytes / megabyte) * 100) / 100,
        })),
        ...(reasons.length > 0 && { unsupported_files: reasons }),
      },
    });
  if (unsupported.length > 0)
    throw new ApiError("INVALID_FILE_FORMAT", {
      message: `Unsupported file: ${summarize(unsupported)}: ${unsupported[0]!.reason}. Send WAV, MP3, M4A, or FLAC.`,
      details: {
        supported_formats: [...audioFormats],
        rejected_files: unsupported.map(({ fileName }) => fileName),
        reasons,
      },
    });
}

function summarize(offences: readonly Rejection[]): string {
  const [first] = offences;
  return offences.length === 1 ? first!.fileName : `${first!.fileName} and ${offences.length - 1} more`;
}

function rejectDuplicates(files: readonly ReceivedFile[]): void {
  const duplicates = files.flatMap((file, index) => {
    const first = files.findIndex(({ sha256 }) => sha256 === file.sha256);
    if (first === index) return [];
    const message = `${file.fileName} is the same recording as ${files[first]!.fileName}. Send each recording once.`;
    return [{ path: `files.${index}`, message, index }];
  });
  if (duplicates.length > 0) throw invalid(duplicates);
}
