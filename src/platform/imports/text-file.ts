import { isAscii } from "node:buffer";
import { readSync } from "node:fs";
import { detectedEncoding, utf8In } from "../../lib/table-file/detect-encoding.ts";
import { decoderOf, type TextEncoding } from "../../lib/table-file/encodings.ts";
import { ImportFileError } from "./import-file-error.ts";
import type { TableText } from "./table-text.ts";

/** Bytes in which the delimiter and the header are detected. */
const sampleBytes = 65_536;
/** Larger blocks were no faster, and blocks of 256 KiB took 20 MB more per thread. */
const blockBytes = 65_536;
/** Bytes of lines beyond ASCII that are examined to detect the encoding. More bytes did not improve detection. */
const evidenceBytes = 16_384;
/** So many valid UTF-8 characters without an invalid one are no coincidence. */
const surelyUtf8 = 8;

/**
 * A text file, read block by block with blocking calls, because its worker thread has nothing else to do. `encoding` is
 * the one that the user named; a byte order mark takes precedence. Throws ImportFileError if the file is not text, or if
 * its encoding cannot be detected. The descriptor belongs to the caller and stays open.
 */
export class TextFile implements TableText {
  readonly encoding: TextEncoding;
  /** The beginning of the text, without a byte order mark or a character that is cut off at the end. */
  readonly sample: string;
  /** Whether the sample is the whole file. */
  readonly sampleIsAll: boolean;
  /** Whether the sample has bytes that are invalid in the encoding. They became U+FFFD. */
  readonly sampleHasBadBytes: boolean;
  /** Bytes of the file that `next` has read so far. */
  bytesRead: number;
  /** Whether a block so far had bytes that are invalid in the encoding. They became U+FFFD. */
  hasBadBytes = false;

  readonly #descriptor: number;
  readonly #block = new Uint8Array(blockBytes);
  #decoder: TextDecoder;
  /** The end of the previous block, longer than any character that may be split between two blocks. */
  #lastBytes = new Uint8Array();

  constructor(descriptor: number, encoding: TextEncoding | null) {
    this.#descriptor = descriptor;
    const head = this.#block.slice(0, readAt(descriptor, this.#block.subarray(0, sampleBytes), 0));
    if (head.every(isBlank)) throw new ImportFileError("empty", "The file is empty.");
    refuseKnownBinary(head);
    const mark = markOf(head);
    this.encoding = mark?.encoding ?? encodingTold(encoding, head) ?? this.#foundEncoding(head);
    this.bytesRead = mark?.bytes ?? 0;
    this.sampleIsAll = head.length < sampleBytes;
    const text = head.subarray(this.bytesRead);
    this.sample = decoderOf(this.encoding).decode(text, { stream: true });
    this.sampleHasBadBytes = this.sample.includes("\ufffd") && !isText(text, this.encoding);
    this.#decoder = decoderOf(this.encoding, this.#isStrict);
    refuseMarkup(this.sample);
  }

  /** The next part of the text; null at the end of the file. */
  next(): string | null {
    const bytes = this.#block.subarray(0, readAt(this.#descriptor, this.#block, this.bytesRead));
    this.bytesRead += bytes.length;
    const isEnd = bytes.length === 0;
    const text = this.#decode(bytes, !isEnd);
    this.#lastBytes = bytes.slice(-4);
    return isEnd && text === "" ? null : text;
  }

  /** In these encodings U+FFFD may be part of the text, and decoding can resume after an error. */
  get #isStrict(): boolean {
    return this.encoding.startsWith("utf-");
  }

  #decode(bytes: Uint8Array, stream: boolean): string {
    try {
      const text = this.#decoder.decode(bytes, { stream });
      if (!this.#isStrict && text.includes("\ufffd")) this.hasBadBytes = true;
      return text;
    } catch {
      this.hasBadBytes = true;
      this.#decoder = decoderOf(this.encoding);
      // The character that these bytes complete was returned before; one that they start belongs to this block.
      this.#decoder.decode(this.#lastBytes, { stream: true });
      return this.#decoder.decode(bytes, { stream });
    }
  }

  /** Detects the encoding by lines beyond ASCII, which may come late: a name with an accent behind thousands without. */
  #foundEncoding(head: Uint8Array): TextEncoding {
    const wide = wideEncodingOf(head);
    if (wide !== null) return wide;
    const asSingleBytes = decoderOf("windows-1252").decode(head);
    if (japaneseOfMail.some((escape) => asSingleBytes.includes(escape))) return "iso-2022-jp";
    const evidence = new Evidence();
    let block = head;
    for (let at = 0; block.length > 0 && !evidence.isEnough;) {
      at += evidence.add(block, block.length < blockBytes);
      block = this.#block.subarray(0, readAt(this.#descriptor, this.#block, at));
    }
    const { encoding, likely } = detectedEncoding(evidence.bytes);
    if (encoding !== null) return encoding;
    throw new ImportFileError("unknownEncoding", encodingHelp(likely), { likely });
  }
}

function encodingHelp(likely: readonly TextEncoding[]): string {
  const maybe = likely.length === 0 ? "" : ` (it may be ${likely.join(" or ")})`;
  return (
    `The file is not UTF-8, and its encoding could not be detected${maybe}. Save the file as CSV UTF-8, ` +
    "or set `encoding` (--encoding on the command line) to its encoding, such as windows-1252 or shift_jis."
  );
}

/** The encoding that the user named. Throws for a file that cannot be text in it. */
function encodingTold(encoding: TextEncoding | null, head: Uint8Array): TextEncoding | null {
  if (encoding !== null && !encoding.startsWith("utf-16")) wideEncodingOf(head);
  return encoding;
}

/** Lines of a file that are not ASCII, in order. */
class Evidence {
  readonly #bytes = new Uint8Array(evidenceBytes);
  #length = 0;
  readonly #utf8 = { valid: 0, invalid: 0 };

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  get isEnough(): boolean {
    const { valid, invalid } = this.#utf8;
    return this.#length === evidenceBytes || (valid >= surelyUtf8 && invalid === 0);
  }

  /** Adds the complete lines of a block, or all of a block that is the last or has no complete line. Returns their bytes. */
  add(block: Uint8Array, isLast: boolean): number {
    const end = block.includes(newline) ? newline : carriageReturn;
    const length = isLast || !block.includes(end) ? block.length : block.lastIndexOf(end) + 1;
    const lines = block.subarray(0, length);
    if (isAscii(lines)) return length;
    for (let start = 0; start < length && !this.isEnough;) {
      const at = lines.indexOf(end, start);
      const next = at === -1 ? length : at + 1;
      this.#addLine(lines.subarray(start, next));
      start = next;
    }
    return length;
  }

  #addLine(line: Uint8Array): void {
    if (isAscii(line)) return;
    const { valid, invalid } = utf8In(line);
    this.#utf8.valid += valid;
    this.#utf8.invalid += invalid;
    const part = line.subarray(0, evidenceBytes - this.#length);
    this.#bytes.set(part, this.#length);
    this.#length += part.length;
  }
}

const newline = 0x0a;
const carriageReturn = 0x0d;
/** ISO-2022-JP is ASCII with escapes around Japanese text. */
const japaneseOfMail = ["\x1b$@", "\x1b$B"];

/** Fills `bytes` from `position` to the end of the file at most. Returns the number of bytes read. */
function readAt(descriptor: number, bytes: Uint8Array, position: number): number {
  let length = 0;
  while (length < bytes.length) {
    const count = readSync(descriptor, bytes, length, bytes.length - length, position + length);
    if (count === 0) break;
    length += count;
  }
  return length;
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** First bytes of other kinds of files, and what the user can do. */
const binaryKinds: { bytes: number[]; says: string }[] = [
  { bytes: [0x1f, 0x8b], says: "a gzip archive. Unpack it first" },
  { bytes: [0x25, 0x50, 0x44, 0x46], says: "a PDF document. Export the list as CSV" },
  { bytes: [0xff, 0xfe, 0x00, 0x00], says: "UTF-32 text. Save it as UTF-8" },
];

function refuseKnownBinary(head: Uint8Array): void {
  const kind = binaryKinds.find(({ bytes }) => bytes.every((byte, index) => head[index] === byte));
  if (kind) throw new ImportFileError("notText", `The file looks like ${kind.says}, then send that.`);
}

/** Some services send a web page or an XML document as `.xls` or even `.csv`. */
function refuseMarkup(sample: string): void {
  if (/^\s*<(!doctype|html|\?xml|table|meta)\b/i.test(sample))
    throw new ImportFileError(
      "notText",
      "The file looks like a web page or XML, not CSV. Save the sheet as Excel workbook (.xlsx) or CSV, then send that.",
    );
}

function markOf(head: Uint8Array): { encoding: TextEncoding; bytes: number } | null {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: "utf-8", bytes: 3 };
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: "utf-16le", bytes: 2 };
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: "utf-16be", bytes: 2 };
  return null;
}

/** UTF-16, recognized by its zero bytes; null for text without any. */
function wideEncodingOf(head: Uint8Array): TextEncoding | null {
  const zeros: [number, number] = [0, 0];
  for (let index = 0; index < head.length; index++) if (head[index] === 0) zeros[index & 1 ? 1 : 0]++;
  const [evenZeros, oddZeros] = zeros;
  if (evenZeros + oddZeros === 0) return null;
  // Western text in UTF-16 has a zero byte next to nearly every character. Half of them allows for names in other scripts.
  const half = head.length / 4;
  if (oddZeros > half && evenZeros < oddZeros / 10) return "utf-16le";
  if (evenZeros > half && oddZeros < evenZeros / 10) return "utf-16be";
  throw new ImportFileError("notText", "The file is binary, not text. Save the list as CSV (UTF-8), then send that.");
}

function isText(bytes: Uint8Array, encoding: TextEncoding): boolean {
  try {
    // As a stream, so that a character at the end of the sample may be incomplete.
    decoderOf(encoding, true).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
