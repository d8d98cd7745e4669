import type { LocalFile } from "./blob-store.ts";

/** Local files for the time of a request. Those of a process that died are removed by the next start. */
export type ScratchStore = {
  /** The file stays until it is disposed of. If the stream throws, nothing is left. Throws `BlobFault` on a full disk. */
  receive(stream: AsyncIterable<Uint8Array>): Promise<LocalFile>;
};
