/** A stream of bytes; null is empty. */
export type ByteStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | null;

/** Stores files that are too large for the database, by name, such as `imports/0198…`. */
export type BlobStore = {
  /**
   * Stores a stream in constant memory and resolves with its size once it is durable. If the stream is interrupted or
   * exceeds `maxBytes` (which throws `BlobTooLarge`), nothing is stored.
   */
  receive(name: string, stream: ByteStream, maxBytes: number): Promise<number>;
  /** A local path to read the file from. */
  localPath(name: string): Promise<string>;
  /** Names of the files in a folder. */
  list(folder: string): Promise<string[]>;
  /** Does nothing if the file does not exist. */
  remove(name: string): Promise<void>;
};

export class BlobTooLarge extends Error {}
