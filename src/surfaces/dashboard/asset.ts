import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from "node:zlib";

export const encodings = ["br", "zstd", "gzip"] as const;
export type Encoding = (typeof encodings)[number];

/** A file that the browser loads, compressed once, when the program is built. */
export type Asset = {
  /** Below /app/assets/, except for documents. */
  name: string;
  type: string;
  /** Hash of the uncompressed bytes. Also part of the name, except for documents. */
  hash: string;
  /** Compressed bodies as base64. */
  bodies: Record<Encoding, string>;
};

/** Where the files are served, below the base path. */
export const assetsPath = "/app/assets/";

/** Compresses a file. */
export function asset(name: string, type: string, text: string): Asset {
  const bytes = Buffer.from(text);
  const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex").slice(0, 16);
  return {
    name,
    type: type.replace(/;\s*charset/, "; charset"),
    hash,
    bodies: {
      br: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }).toString(
        "base64",
      ),
      zstd: zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 19 } }).toString("base64"),
      gzip: gzipSync(bytes, { level: 9 }).toString("base64"),
    },
  };
}

/** A document for a server below a base path. Everything else that it loads finds its path by its own URL. */
export function documentBelow(document: Asset, basePath: string): Asset {
  const text = new TextDecoder().decode(Bun.gunzipSync(Buffer.from(document.bodies.gzip, "base64")));
  return asset(document.name, document.type, text.replaceAll('"/app/', `"${basePath}/app/`));
}
