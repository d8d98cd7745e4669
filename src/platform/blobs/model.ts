/** The content of a blob at the time when it was found. */
export type BlobContent = {
  bytes: number;
  /** The bytes from `start` up to `end`, as the body of a response. */
  body(start: number, end: number): Blob | ReadableStream<Uint8Array>;
};

export type StoredBlob = {
  name: string;
  bytes: number;
  /** When it was stored or touched. */
  changedAt: number;
};
