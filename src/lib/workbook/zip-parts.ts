import { pipeline, type Readable } from "node:stream";
import { createInflateRaw } from "node:zlib";
import { fromFdPromise, type Entry, type ZipFile } from "yauzl";
import { damaged, tooLarge, WorkbookError } from "./workbook-error.ts";

/** Bounds of what is read. An archive of a few KB can unpack to terabytes. */
export type ZipLimits = {
  /** Files in the archive, including pictures. */
  entries: number;
  /** Unpacked bytes of all parts that are read. A full sheet of 1,048,576 rows with 15 columns has 700 MB. */
  unpackedBytes: number;
  /** Unpacked bytes for one packed byte. Sheets have 5 to 30, and equal rows up to 100. */
  ratio: number;
};
export const zipLimits: ZipLimits = { entries: 10_000, unpackedBytes: 2 * 2 ** 30, ratio: 200 };
/** Small parts may be packed better: they cannot do harm. */
const ratioFreeBytes = 16 * 2 ** 20;
/** So few bytes can refer to few texts. */
const pieceBytes = 32_768;
/** Names of parts are far shorter. */
const longestName = 255;
const [stored, deflated] = [0, 8];

/** The files inside a ZIP archive, which are unpacked piece by piece. The descriptor belongs to the caller. */
export class ZipParts {
  /** Packed bytes read so far. */
  bytesRead = 0;
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #limits: ZipLimits;
  #unpackedBytes = 0;

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>, limits: ZipLimits) {
    this.#zip = zip;
    this.#entries = entries;
    this.#limits = limits;
  }

  /** Reads the directory of the archive. Throws WorkbookError. */
  static async open(descriptor: number, limits: ZipLimits = zipLimits): Promise<ZipParts> {
    try {
      const zip = await fromFdPromise(descriptor, { autoClose: false, lazyEntries: true });
      if (zip.entryCount > limits.entries)
        throw tooLarge(`The workbook consists of ${zip.entryCount} files; the limit is ${limits.entries}.`);
      const entries = new Map<string, Entry>();
      for await (const entry of zip.eachEntry()) {
        const name = nameOf(entry.fileName);
        if (name.length <= longestName && !entries.has(name)) entries.set(name, entry);
      }
      return new ZipParts(zip, entries, limits);
    } catch (error) {
      if (error instanceof WorkbookError) throw error;
      throw damaged("it is incomplete, or not a ZIP archive.", error);
    }
  }

  has(name: string): boolean {
    return this.#entries.has(nameOf(name));
  }

  get names(): string[] {
    return [...this.#entries.keys()];
  }

  /** Unpacks a part. Throws WorkbookError, also once a limit is exceeded. */
  async *read(name: string): AsyncGenerator<Uint8Array, void, void> {
    const entry = this.#entries.get(nameOf(name));
    if (entry === undefined) throw damaged(`it lacks the part ${name}.`);
    if (entry.isEncrypted()) throw protectedWorkbook();
    if (entry.compressionMethod !== stored && entry.compressionMethod !== deflated)
      throw damaged(`the part ${name} is packed by a method that workbooks do not use.`);
    const before = this.bytesRead;
    const unpacked = { bytes: 0 };
    for await (const [piece, packedBytes] of this.#pieces(entry, name)) {
      unpacked.bytes += piece.length;
      this.#unpackedBytes += piece.length;
      this.bytesRead = before + packedBytes;
      this.#checkLimits(unpacked.bytes, packedBytes);
      yield piece;
    }
  }

  #checkLimits(unpacked: number, packed: number): void {
    const { unpackedBytes, ratio } = this.#limits;
    if (this.#unpackedBytes > unpackedBytes)
      throw tooLarge(
        `The workbook unpacks to more than ${Math.floor(unpackedBytes / 2 ** 20)} MB, which is the limit.`,
      );
    if (unpacked > ratioFreeBytes && unpacked > packed * ratio)
      throw tooLarge(`The workbook unpacks to more than ${ratio} times its size, which is the limit.`);
  }

  /** Unpacked pieces, each with the number of packed bytes up to it. */
  async *#pieces(entry: Entry, name: string): AsyncGenerator<[Uint8Array, number], void, void> {
    let raw: Readable | null = null;
    try {
      raw = await this.#zip.openReadStreamPromise(entry, { decodeFileData: false });
      if (entry.compressionMethod === stored) {
        let bytes = 0;
        for await (const piece of raw) yield [piece as Buffer, (bytes += (piece as Buffer).length)];
        return;
      }
      const inflate = createInflateRaw({ chunkSize: pieceBytes });
      pipeline(raw, inflate, () => {}); // an error also ends the iteration below
      for await (const piece of inflate) yield [piece as Buffer, inflate.bytesWritten];
    } catch (error) {
      throw damaged(`the part ${name} cannot be unpacked.`, error);
    } finally {
      raw?.destroy();
    }
  }
}

/** Some programs write names with capitals, or with a slash in front. */
function nameOf(path: string): string {
  return path.replace(/^\//, "").toLowerCase();
}

export function protectedWorkbook(): WorkbookError {
  return new WorkbookError(
    "notWorkbook",
    "The workbook is protected with a password. Remove the password in Excel (File, Info, Protect Workbook, Encrypt with Password), save it, then send that.",
  );
}
