/** Bytes as they come; null holds none. */
export type ByteStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | null;

/** Files that are too large for the database, by a name such as `imports/0198…`. */
export type BlobStore = {
  /**
   * Takes a stream in, in constant memory, and resolves with its size once it is safe on disk. When the stream breaks
   * off or passes `maxBytes` nothing is left behind; the latter throws `BlobTooLarge`.
   */
  receive(name: string, stream: ByteStream, maxBytes: number): Promise<number>;
  /** Where a file of that name can be read from on this machine. */
  localPath(name: string): Promise<string>;
  /** Names below a folder. */
  list(folder: string): Promise<string[]>;
  /** Safe to call for a name that is gone. */
  remove(name: string): Promise<void>;
};

export class BlobTooLarge extends Error {}
