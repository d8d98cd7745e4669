import { fstatSync, readSync } from "node:fs";

/** Random access to the bytes of a file. Synchronous, because decoding runs in a separate thread. */
export type ByteSource = {
  readonly size: number;
  /** Returns `length` bytes from `offset`, fewer at the end of the file. They are not modified later. */
  read(offset: number, length: number): Uint8Array;
};

/** Bytes in memory as a source. */
export function bytesSource(bytes: Uint8Array): ByteSource {
  return { size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) };
}

/** Returns the part of a source after the first `start` bytes as a separate source. */
export function tailOf(source: ByteSource, start: number): ByteSource {
  return { size: source.size - start, read: (offset, length) => source.read(start + offset, length) };
}

/**
 * Returns an open file as a source. The caller closes it, because a thread that is stopped while reading runs no
 * `finally`. Reads throw the system's error.
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
