import type { TextEncoding } from "../../lib/table-file/encodings.ts";

/** The text of a file of rows, read block by block. */
export type TableText = {
  readonly encoding: TextEncoding;
  /** The beginning of the text. */
  readonly sample: string;
  /** Whether the sample is all of it. */
  readonly sampleIsAll: boolean;
  /** Whether the sample, or a block so far, had bytes that are invalid in the encoding. They became U+FFFD. */
  readonly sampleHasBadBytes: boolean;
  readonly hasBadBytes: boolean;
  /** Bytes of the file read so far, for the progress. */
  readonly bytesRead: number;
  /** The next part of the text, from its beginning; null at the end. */
  next(): string | null | Promise<string | null>;
};
