import { open } from "node:fs/promises";
import type { BlobStore } from "../../platform/blobs/blob-store.ts";
import { singleLine } from "../../platform/base/clean-text.ts";
import { ApiError, invalid } from "../../platform/base/errors.ts";
import { audioFormats, type AudioFormat } from "../../lib/audio/pcm.ts";
import type { StoredFile } from "./model.ts";

/** A part of a form as it arrives; the body of a file must be read before the next part comes. */
export type UploadPart =
  | { kind: "field"; name: string; value: string; isTruncated: boolean }
  | { kind: "file"; name: string; fileName: string; body: AsyncIterable<Uint8Array> };

export type Upload = {
  parts: AsyncIterable<UploadPart>;
  /** The length that the client announced for all of it; null when it did not. */
  announcedBytes: number | null;
};

export type ReceivedFile = StoredFile & { fileName: string; blob: string };

export type ReceivedForm = {
  fields: ReadonlyMap<string, string>;
  files: ReceivedFile[];
  /** The speaker, who agrees. */
  consentRecording: ReceivedFile | null;
};

export type ReceiveRules = {
  maxFiles: number;
  maxFileBytes: number;
  /** The name in the blob store for the next sample, or for the recording of consent. */
  blobNameFor: (kind: "sample" | "consent") => string;
  /** Throws for fields that can't be right, before the files behind them are taken in. */
  checkEarly: (fields: ReadonlyMap<string, string>) => void;
};

/** What the form is around its files. */
const formBytes = 1024 * 1024;
const megabyte = 2 ** 20;
const maxFileNameLength = 200;

type Offence = { fileName: string; kind: "format"; reason: string } | { fileName: string; kind: "size"; bytes: number };

/**
 * Takes the files of a form in: to disk, while they are hashed and told apart by their content. Once a file is found
 * wrong nothing of it is kept, but the form is read to its end, so that one refusal names every wrong file. Throws
 * INVALID_FILE_FORMAT, FILE_TOO_LARGE or VALIDATION_ERROR, and what the parts and the disk throw; then, too, the files
 * that were taken in are still there, and `taken` has their names.
 */
export async function receiveForm(
  { parts, announcedBytes }: Upload,
  blobs: BlobStore,
  rules: ReceiveRules,
  taken: string[],
): Promise<ReceivedForm> {
  const fields = new Map<string, string>();
  const files: ReceivedFile[] = [];
  const offences: Offence[] = [];
  let consentRecording: ReceivedFile | null = null;
  let fileCount = 0;
  const budget = new Budget((rules.maxFiles + 1) * rules.maxFileBytes + formBytes);

  for await (const part of parts) {
    if (part.kind === "field") {
      if (part.isTruncated) throw invalid([{ path: part.name, message: "This field is too long." }]);
      fields.set(part.name, part.value);
      continue;
    }
    rules.checkEarly(fields);
    const kind = /^files(\[\d*\])?$/.test(part.name) ? "sample" : "consent";
    if (kind === "consent" && part.name !== "consentRecording")
      throw invalid([
        { path: part.name, message: "Send samples as files, and the speaker's agreement as consentRecording." },
      ]);
    if (kind === "sample" && ++fileCount > rules.maxFiles)
      throw invalid([{ path: "files", message: `Expected at most ${rules.maxFiles} files: leave some out.` }]);
    if (kind === "consent" && consentRecording !== null)
      throw invalid([{ path: "consentRecording", message: "Expected one recording, got several." }]);
    const fileName = cleanName(part.fileName, kind === "sample" ? `sample-${fileCount}` : "consent");
    const intake = new Intake(fileName, budget.count(part.body), rules.maxFileBytes);
    const received = await intake.into(blobs, rules.blobNameFor(kind), taken);
    if (received === null) offences.push(intake.offence!);
    else if (kind === "sample") files.push(received);
    else consentRecording = received;
    // Not all of it can be right, so there is no use in reading on to find out how much is wrong.
    if (budget.isSpent || (received === null && (announcedBytes ?? 0) > budget.bytes)) break;
  }
  refuseOffences(offences, rules.maxFileBytes);
  // Fields may also come behind the files.
  rules.checkEarly(fields);
  if (budget.isSpent)
    throw new ApiError("PAYLOAD_TOO_LARGE", { message: "The form is larger than all its files may be." });
  refuseTwins(files);
  return { fields, files, consentRecording };
}

/** Counts what a form brings; a stranger must not keep us reading for ever. */
class Budget {
  readonly bytes: number;
  #used = 0;

  constructor(bytes: number) {
    this.bytes = bytes;
  }

  get isSpent(): boolean {
    return this.#used > this.bytes;
  }

  /** Ends early when the budget is spent. */
  async *count(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    for await (const chunk of body) {
      this.#used += chunk.byteLength;
      yield chunk;
      if (this.isSpent) return;
    }
  }
}

class Offended extends Error {}

/** One file on its way in. */
class Intake {
  readonly #fileName: string;
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #maxBytes: number;
  readonly #hash = new Bun.CryptoHasher("sha256");
  #bytes = 0;
  #head = new Uint8Array(0);
  #format: AudioFormat | null = null;
  /** Why it was refused; null while it is well. */
  offence: Offence | null = null;

  constructor(fileName: string, body: AsyncIterable<Uint8Array>, maxBytes: number) {
    this.#fileName = fileName;
    this.#chunks = body[Symbol.asyncIterator]();
    this.#maxBytes = maxBytes;
  }

  /** Null when the file is refused; it was read to its end, and nothing of it is stored. */
  async into(blobs: BlobStore, blob: string, taken: string[]): Promise<ReceivedFile | null> {
    try {
      await blobs.receive(blob, this.#accepted(), this.#maxBytes);
      taken.push(blob);
    } catch (error) {
      if (!(error instanceof Offended)) throw error;
      await this.#readOn();
      return null;
    }
    const problem = await this.#problemBehindTags(await blobs.localPath(blob));
    if (problem !== null) {
      this.offence = { fileName: this.#fileName, kind: "format", reason: problem };
      return null;
    }
    const sha256 = this.#hash.digest("hex");
    return { fileName: this.#fileName, blob, format: this.#format!, bytes: this.#bytes, sha256 };
  }

  /** What may be stored: nothing before the beginning has shown what it is. */
  async *#accepted(): AsyncGenerator<Uint8Array, void, void> {
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
      throw new Offended();
    }
    this.#hash.update(value);
    return value;
  }

  #refuseFormat(reason: string): never {
    this.offence = { fileName: this.#fileName, kind: "format", reason };
    throw new Offended();
  }

  /** To the end, to know its size and what comes after it. */
  async #readOn(): Promise<void> {
    for (;;) {
      const { done, value } = await this.#chunks.next();
      if (done === true) break;
      this.#bytes += value.byteLength;
    }
    if (this.offence?.kind === "size" || this.#bytes >= this.#maxBytes)
      this.offence = { fileName: this.#fileName, kind: "size", bytes: this.#bytes };
  }

  /** Tags of several MB, such as a cover picture, may hide what follows them. Null when that is sound. */
  async #problemBehindTags(path: string): Promise<string | null> {
    const [{ id3v2Length }, { sniffAudio, sniffLength }] = await Promise.all([
      import("../../lib/audio/id3.ts"),
      import("../../lib/audio/sniff.ts"),
    ]);
    const tagLength = id3v2Length(this.#head);
    if (tagLength < this.#head.length) return null;
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(new Uint8Array(sniffLength), 0, sniffLength, tagLength);
      const head = buffer.subarray(0, bytesRead);
      this.#format = sniffAudio(head, Math.max(0, this.#bytes - tagLength));
      return this.#format === null ? await reasonFor(head) : null;
    } finally {
      await file.close();
    }
  }
}

async function reasonFor(head: Uint8Array): Promise<string> {
  if (head.length === 0) return "it holds no sound";
  const { knownOther } = await import("../../lib/audio/sniff.ts");
  const other = knownOther(head);
  return other === null ? "its content is not WAV, MP3, M4A or FLAC" : `it is ${other}`;
}

/** The last part of a path, without characters that could do harm in a header or on a screen. */
function cleanName(sent: string, otherwise: string): string {
  const name = singleLine(sent.split(/[\\/]/).at(-1) ?? "")
    .slice(0, maxFileNameLength)
    .toWellFormed();
  return name === "" || /^\.+$/.test(name) ? otherwise : name;
}

function refuseOffences(offences: readonly Offence[], maxFileBytes: number): void {
  const tooLarge = offences.filter((offence) => offence.kind === "size");
  const unsupported = offences.filter((offence) => offence.kind === "format");
  const reasons = unsupported.map(({ fileName, reason }) => ({ filename: fileName, reason }));
  const maxMegabytes = maxFileBytes / megabyte;
  if (tooLarge.length > 0)
    throw new ApiError("FILE_TOO_LARGE", {
      message: `${listed(tooLarge)}: each file must be under ${maxMegabytes} MB. A minute of speech is enough.`,
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
      message: `${listed(unsupported)} can't be used: ${unsupported[0]!.reason}. Send WAV, MP3, M4A or FLAC.`,
      details: {
        supported_formats: [...audioFormats],
        rejected_files: unsupported.map(({ fileName }) => fileName),
        reasons,
      },
    });
}

function listed(offences: readonly Offence[]): string {
  const [first] = offences;
  return offences.length === 1 ? first!.fileName : `${first!.fileName} and ${offences.length - 1} more`;
}

function refuseTwins(files: readonly ReceivedFile[]): void {
  const twins = files.flatMap((file, index) => {
    const first = files.findIndex(({ sha256 }) => sha256 === file.sha256);
    if (first === index) return [];
    const message = `${file.fileName} is the same recording as ${files[first]!.fileName}: send each once.`;
    return [{ path: `files.${index}`, message, index }];
  });
  if (twins.length > 0) throw invalid(twins);
}
