import { readSync } from "node:fs";
import { LeadFileError } from "./lead-file.ts";

export const textEncodings = ["utf-8", "utf-16le", "utf-16be", "windows-1252"] as const;
export type TextEncoding = (typeof textEncodings)[number];

/** Bytes that encoding, delimiter and header are recognised by. */
const sampleBytes = 65_536;
/** Larger blocks were no faster, and a thread of 256 KiB blocks took 20 MB more. */
const blockBytes = 65_536;

/**
 * A text file, read block by block with blocking calls: it lives in a worker thread that has nothing else to do.
 * Throws LeadFileError when the file is no text. The descriptor belongs to the caller and stays open.
 */
export class TextFile {
  readonly encoding: TextEncoding;
  /** The beginning as text, without a byte order mark. A character that is cut off at its end is left out. */
  readonly sample: string;
  /** Whether the sample is the whole file. */
  readonly sampleIsAll: boolean;
  /** Bytes of the file that `next` has taken so far. */
  bytesRead: number;
  /** Whether a block up to here had bytes that mean nothing in the file's encoding; they became U+FFFD. */
  hasBadBytes = false;

  readonly #descriptor: number;
  readonly #block = new Uint8Array(blockBytes);
  #decoder: TextDecoder;
  /** The end of the block before; longer than any character that it may have cut in two. */
  #lastBytes = new Uint8Array();

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
    const head = this.#block.slice(0, readAt(descriptor, this.#block.subarray(0, sampleBytes), 0));
    if (head.every(isBlank)) throw new LeadFileError("empty", "The file is empty.");
    refuseKnownBinary(head);
    const { encoding, markBytes } = encodingOf(head);
    this.encoding = encoding;
    this.bytesRead = markBytes;
    this.sampleIsAll = head.length < sampleBytes;
    this.sample = new TextDecoder(encoding).decode(head.subarray(markBytes), { stream: true });
    this.#decoder = new TextDecoder(encoding, { fatal: true });
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

  #decode(bytes: Uint8Array, stream: boolean): string {
    try {
      return this.#decoder.decode(bytes, { stream });
    } catch {
      this.hasBadBytes = true;
      this.#decoder = new TextDecoder(this.encoding);
      // What these bytes complete was told before; what they leave open belongs to this block.
      this.#decoder.decode(this.#lastBytes, { stream: true });
      return this.#decoder.decode(bytes, { stream });
    }
  }
}

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
  if (kind) throw new LeadFileError("notText", `The file looks like ${kind.says}, then send that.`);
}

/** Some services name a web page or an XML document `.xls` or even `.csv`. */
function refuseMarkup(sample: string): void {
  if (/^\s*<(!doctype|html|\?xml|table|meta)\b/i.test(sample))
    throw new LeadFileError(
      "notText",
      "The file looks like a web page or XML, not like CSV. Save the sheet as CSV, then send that.",
    );
}

function encodingOf(head: Uint8Array): { encoding: TextEncoding; markBytes: number } {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: "utf-8", markBytes: 3 };
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: "utf-16le", markBytes: 2 };
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: "utf-16be", markBytes: 2 };
  return { encoding: unmarkedEncodingOf(head), markBytes: 0 };
}

function unmarkedEncodingOf(head: Uint8Array): TextEncoding {
  const zeros: [number, number] = [0, 0];
  for (let index = 0; index < head.length; index++) if (head[index] === 0) zeros[index & 1 ? 1 : 0]++;
  const [evenZeros, oddZeros] = zeros;
  if (evenZeros + oddZeros === 0) return isUtf8(head) ? "utf-8" : "windows-1252";
  // Western text in UTF-16 has a zero beside nearly every character; one half is enough for names from elsewhere.
  const half = head.length / 4;
  if (oddZeros > half && evenZeros < oddZeros / 10) return "utf-16le";
  if (evenZeros > half && oddZeros < evenZeros / 10) return "utf-16be";
  throw new LeadFileError("notText", "The file is not text but binary. Save the list as CSV (UTF-8), then send that.");
}

function isUtf8(head: Uint8Array): boolean {
  try {
    // As a stream, so that a character that the sample cuts in two is no mistake.
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}
