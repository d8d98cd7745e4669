import { fstatSync, readSync } from "node:fs";

/** Random access to the bytes of a file. Synchronous, because decoding runs in a thread of its own. */
export type ByteSource = {
  readonly size: number;
  /** The bytes from `offset` on: `length` of them, or fewer where the file ends. Nobody changes them later. */
  read(offset: number, length: number): Uint8Array;
};

/** Bytes in memory as a source. */
export function bytesSource(bytes: Uint8Array): ByteSource {
  return { size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) };
}

/** What follows the first `start` bytes of a source, as a source of its own. */
export function tailOf(source: ByteSource, start: number): ByteSource {
  return { size: source.size - start, read: (offset, length) => source.read(start + offset, length) };
}

/**
 * An open file as a source. Whoever opened it closes it: a thread that is stopped while it reads runs no `finally`.
 * Throws what the system says when it can't be read.
 */
export function fileSource(descriptor: number): ByteSource {
  return {
    size: fstatSync(descriptor).size,
    read(offset, length) {
      const buffer = new Uint8Array(length);
      let filled = 0;
      while (filled < length) {
        const count = readSync(descriptor, buffer, filled, length - filled, offset + filled);
        if (count === 0) break;
        filled += count;
      }
      return buffer.subarray(0, filled);
    },
  };
}
