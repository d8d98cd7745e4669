import { isAscii } from "node:buffer";
import { readSync } from "node:fs";
import { detectedEncoding, utf8In } from "../../lib/table-file/detect-encoding.ts";
import { decoderOf, type TextEncoding } from "../../lib/table-file/encodings.ts";
import { ImportFileError } from "./import-file-error.ts";

/** Bytes that delimiter and header are recognised by. */
const sampleBytes = 65_536;
/** Larger blocks were no faster, and a thread of 256 KiB blocks took 20 MB more. */
const blockBytes = 65_536;
/** Of lines that are not ASCII so much is looked at to tell the encoding; more made it no surer. */
const evidenceBytes = 16_384;
/** So many characters of UTF-8, and nothing that is none, are no accident. */
const surelyUtf8 = 8;

/**
 * A text file, read block by block with blocking calls: it lives in a worker thread that has nothing else to do.
 * Throws ImportFileError when the file is no text, or in an encoding that can't be told; `encoding` is what somebody says
 * that it is in. A byte order mark says so itself. The descriptor belongs to the caller and stays open.
 */
export class TextFile {
  readonly encoding: TextEncoding;
  /** The beginning as text, without a byte order mark. A character that is cut off at its end is left out. */
  readonly sample: string;
  /** Whether the sample is the whole file. */
  readonly sampleIsAll: boolean;
  /** Whether the sample has bytes that mean nothing in the encoding; they became U+FFFD. */
  readonly sampleHasBadBytes: boolean;
  /** Bytes of the file that `next` has taken so far. */
  bytesRead: number;
  /** Whether a block up to here had bytes that mean nothing in the file's encoding; they became U+FFFD. */
  hasBadBytes = false;

  readonly #descriptor: number;
  readonly #block = new Uint8Array(blockBytes);
  #decoder: TextDecoder;
  /** The end of the block before; longer than any character that it may have cut in two. */
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

  /** The text that follows, or null at the end of the file. */
  next(): string | null {
    const bytes = this.#block.subarray(0, readAt(this.#descriptor, this.#block, this.bytesRead));
    this.bytesRead += bytes.length;
    const isEnd = bytes.length === 0;
    const text = this.#decode(bytes, !isEnd);
    this.#lastBytes = bytes.slice(-4);
    return isEnd && text === "" ? null : text;
  }

  /** In these U+FFFD may be text, and a decoder that threw can be followed by another. */
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
      // What these bytes complete was told before; what they leave open belongs to this block.
      this.#decoder.decode(this.#lastBytes, { stream: true });
      return this.#decoder.decode(bytes, { stream });
    }
  }

  /** By lines that are not ASCII, and these may come late: a name with an accent behind thousands without. */
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
    `The file is not in UTF-8, and what it is in can't be told for sure${maybe}. Save the list as CSV UTF-8, ` +
    "or say with `encoding` what it is in (--encoding on the command line), such as windows-1252 or shift_jis."
  );
}

/** What somebody says, but for a file that is no text in any encoding of that kind. */
function encodingTold(encoding: TextEncoding | null, head: Uint8Array): TextEncoding | null {
  if (encoding !== null && !encoding.startsWith("utf-16")) wideEncodingOf(head);
  return encoding;
}

/** Lines of a file that are not ASCII, in the order in which they stand. */
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

  /** Takes the whole lines of a block, or all of it where there is none or it is the last; answers of how many bytes. */
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
/** ISO-2022-JP is ASCII, with an escape before and behind what is Japanese. */
const japaneseOfMail = ["\x1b$@", "\x1b$B"];

/** Fills `bytes` from `position` as far as the file goes; answers how many there were. */
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

/** What a file of another kind begins with, and what to do about it. */
const binaryKinds: { bytes: number[]; says: string }[] = [
  {
    bytes: [0x50, 0x4b, 0x03, 0x04],
    says: "an Excel workbook (.xlsx), another office document or a ZIP archive. Save the sheet as CSV",
  },
  { bytes: [0xd0, 0xcf, 0x11, 0xe0], says: "an old Excel workbook (.xls). Save the sheet as CSV" },
  { bytes: [0x1f, 0x8b], says: "a gzip archive. Unpack it first" },
  { bytes: [0x25, 0x50, 0x44, 0x46], says: "a PDF document. Export the list as CSV" },
  { bytes: [0xff, 0xfe, 0x00, 0x00], says: "UTF-32 text. Save it as UTF-8" },
];

function refuseKnownBinary(head: Uint8Array): void {
  const kind = binaryKinds.find(({ bytes }) => bytes.every((byte, index) => head[index] === byte));
  if (kind) throw new ImportFileError("notText", `The file looks like ${kind.says}, then send that.`);
}

/** Some services name a web page or an XML document `.xls` or even `.csv`. */
function refuseMarkup(sample: string): void {
  if (/^\s*<(!doctype|html|\?xml|table|meta)\b/i.test(sample))
    throw new ImportFileError(
      "notText",
      "The file looks like a web page or XML, not like CSV. Save the sheet as CSV, then send that.",
    );
}

function markOf(head: Uint8Array): { encoding: TextEncoding; bytes: number } | null {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: "utf-8", bytes: 3 };
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: "utf-16le", bytes: 2 };
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: "utf-16be", bytes: 2 };
  return null;
}

/** Null for a text that has no zeros, as only those of UTF-16 have. */
function wideEncodingOf(head: Uint8Array): TextEncoding | null {
  const zeros: [number, number] = [0, 0];
  for (let index = 0; index < head.length; index++) if (head[index] === 0) zeros[index & 1 ? 1 : 0]++;
  const [evenZeros, oddZeros] = zeros;
  if (evenZeros + oddZeros === 0) return null;
  // Western text in UTF-16 has a zero beside nearly every character; one half is enough for names from elsewhere.
  const half = head.length / 4;
  if (oddZeros > half && evenZeros < oddZeros / 10) return "utf-16le";
  if (evenZeros > half && oddZeros < evenZeros / 10) return "utf-16be";
  throw new ImportFileError(
    "notText",
    "The file is not text but binary. Save the list as CSV (UTF-8), then send that.",
  );
}

function isText(bytes: Uint8Array, encoding: TextEncoding): boolean {
  try {
    // As a stream, so that a character that the sample cuts in two is no mistake.
    decoderOf(encoding, true).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
