import type { BlobContent, StoredBlob } from "./model.ts";

/** A stream of bytes; null is empty. */
export type ByteStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | null;

/** Stores files that are too large for the database, by name, such as `imports/0198…`. */
export type BlobStore = {
  /**
   * Whether other processes store files in it too. They may be storing files that this process knows nothing about:
   * see `mayBeOrphan`.
   */
  readonly isShared: boolean;
  /**
   * Stores a stream in constant memory and resolves with its size once it is durable. If the stream is interrupted or
   * exceeds `maxBytes` (which throws `BlobTooLarge`), nothing is stored.
   */
  receive(name: string, stream: ByteStream, maxBytes: number): Promise<number>;
  /**
   * A local file with the content, which stays until it is disposed of. If the blob does not exist, neither does the
   * file at the path.
   */
  localFile(name: string): Promise<LocalFile>;
  /** Null if the blob does not exist. */
  find(name: string): Promise<BlobContent | null>;
  /** The blobs whose names start with `prefix`, which contains at least the folder: `imports/` or `voice/0198…`. */
  list(prefix: string): Promise<StoredBlob[]>;
  /** Sets `changedAt`, for blobs that are removed if they have not been used for long. False if it does not exist. */
  touch(name: string, at: number): Promise<boolean>;
  /** Does nothing if the blob does not exist. */
  remove(name: string): Promise<void>;
  /** Throws the reason if blobs cannot be read or stored. */
  check(): Promise<void>;
};

export type LocalFile = Disposable & { readonly path: string };

export class BlobTooLarge extends Error {}

/** Reasons why no blob can be read or stored; `diskFaultOf` has the texts. */
export type BlobFaultCode =
  | "BLOBS_NO_BUCKET"
  | "BLOBS_WRONG_REGION"
  | "BLOBS_REFUSED"
  | "BLOBS_UNREACHABLE"
  /** There is no room for a local file. */
  | "BLOBS_NO_SCRATCH";

export class BlobFault extends Error {
  readonly code: BlobFaultCode;

  constructor(code: BlobFaultCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "BlobFault";
    this.code = code;
  }
}
