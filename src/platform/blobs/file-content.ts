import type { BlobContent } from "./model.ts";

/** The content of a local file. A whole file is sent by the operating system. */
export function fileContent(path: string, bytes: number): BlobContent {
  const file = Bun.file(path);
  return { bytes, body: (start, end) => (start === 0 && end === bytes ? file : file.slice(start, end)) };
}
