export const encodings = ["br", "zstd", "gzip"] as const;
export type Encoding = (typeof encodings)[number];

/** A file that the browser loads, compressed once, when the program is built. */
export type Asset = {
  /** Below /app/assets/; "index.html" is the page itself. */
  name: string;
  type: string;
  /** Hash of the uncompressed bytes. Also part of the name, except for index.html. */
  hash: string;
  /** Compressed bodies as base64. */
  bodies: Record<Encoding, string>;
};
