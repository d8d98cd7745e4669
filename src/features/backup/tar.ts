import { ArchiveError } from "./archive-error.ts";
import { ByteQueue } from "./byte-queue.ts";

/**
 * The POSIX tar format (ustar), as far as backups need it: plain files, each preceded by a header of 512 bytes and
 * padded to a multiple of that. Sizes from 8 GiB are encoded in base 256, as in GNU and BSD tar.
 */

const block = 512;
const octalLimit = 8 ** 11;

export type TarEntry = { name: string; size: number };

export function tarHeader({ name, size }: TarEntry, modifiedAt: number, mode = 0o600): Uint8Array {
  const header = new Uint8Array(block);
  const put = (at: number, text: string) => void header.set(new TextEncoder().encode(text), at);
  if (new TextEncoder().encode(name).length > 100) throw new RangeError(`The name ${name} is too long for an archive`);
  put(0, name);
  put(100, `${octal(mode, 7)}\0`);
  put(108, "0000000\0");
  put(116, "0000000\0");
  if (size < octalLimit) put(124, `${octal(size, 11)}\0`);
  else header.set(base256(size), 124);
  put(136, `${octal(Math.floor(modifiedAt / 1000), 11)}\0`);
  put(148, "        ");
  put(156, "0");
  put(257, "ustar\x0000");
  put(148, `${octal(sumOf(header), 6)}\0 `);
  return header;
}

/** Padding after a file of this size. */
export function tarPadding(size: number): Uint8Array {
  return new Uint8Array((block - (size % block)) % block);
}

/** End marker after the last file. */
export const tarEnd = new Uint8Array(2 * block);

type Reading = TarEntry & { body: AsyncIterable<Uint8Array> };

/**
 * Yields the files of an archive in order. Each body must be read to its end before the next file is requested. Throws
 * `ArchiveError` if the archive is damaged or truncated, for entries other than plain files, and for trailing data
 * other than zeros, with which tar pads its records.
 */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Reading, void, undefined> {
  const bytes = new ByteQueue(chunks[Symbol.asyncIterator]());
  for (;;) {
    const header = await bytes.take(block);
    if (header.every((byte) => byte === 0)) {
      await bytes.take(block);
      if (!(await bytes.areZerosLeft())) throw new ArchiveError("it has trailing data");
      return;
    }
    const entry = parseHeader(header);
    let left = entry.size;
    async function* body() {
      for await (const piece of bytes.pieces(entry.size)) {
        left -= piece.length;
        yield piece;
      }
    }
    yield { ...entry, body: body() };
    if (left > 0) throw new Error(`The body of ${entry.name} was not read to its end`);
    await bytes.take(tarPadding(entry.size).length);
  }
}

function parseHeader(header: Uint8Array): TarEntry {
  const text = (at: number, length: number) => {
    const field = header.subarray(at, at + length);
    const end = field.indexOf(0);
    return new TextDecoder().decode(end === -1 ? field : field.subarray(0, end));
  };
  const summed = Uint8Array.from(header).fill(32, 148, 156);
  if (Number.parseInt(text(148, 8).trim(), 8) !== sumOf(summed)) throw new ArchiveError("it is damaged");
  const name = text(0, 100);
  if (text(345, 155) !== "" || !["0", ""].includes(text(156, 1)))
    throw new ArchiveError(`it contains ${JSON.stringify(name)}, which is not a plain file`);
  const size =
    header[124] === 0x80
      ? header.subarray(125, 136).reduce((sum, byte) => sum * 256 + byte, 0)
      : Number.parseInt(text(124, 12).trim(), 8);
  if (!Number.isSafeInteger(size)) throw new ArchiveError("it is damaged");
  return { name, size };
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}

function base256(value: number): Uint8Array {
  const field = new Uint8Array(12);
  for (let i = 11, left = value; i > 0; i--, left = Math.floor(left / 256)) field[i] = left % 256;
  field[0] = 0x80;
  return field;
}

function sumOf(header: Uint8Array): number {
  return header.reduce((sum, byte) => sum + byte, 0);
}
