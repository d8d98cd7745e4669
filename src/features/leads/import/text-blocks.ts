import { decoderOf, type TextEncoding } from "../../../lib/table-file/encodings.ts";

/**
 * As when a file is imported: in the first of these blocks the format, the delimiter, and the header are found. Small
 * enough to be parsed without delaying other requests; the network may deliver much more at once.
 */
const blockBytes = 65_536;

export type Block = { text: string; isWholeFile: boolean };

/** The text of a file; the first block is the sample. */
export async function* textBlocks(file: AsyncIterable<Uint8Array>, encoding: TextEncoding): AsyncGenerator<Block> {
  const decoder = decoderOf(encoding);
  let head: Uint8Array[] = [];
  let length = 0;
  let isSampled = false;
  function* decoded(bytes: Uint8Array): Generator<Block> {
    for (let at = 0; at < bytes.length; at += blockBytes)
      yield { text: decoder.decode(bytes.subarray(at, at + blockBytes), { stream: true }), isWholeFile: false };
  }
  for await (const bytes of file) {
    if (isSampled) {
      yield* decoded(bytes);
      continue;
    }
    head.push(bytes);
    length += bytes.length;
    if (length < blockBytes) continue;
    const all = Buffer.concat(head);
    head = [];
    isSampled = true;
    yield* decoded(all);
  }
  if (!isSampled && length > 0) yield { text: decoder.decode(Buffer.concat(head)), isWholeFile: true };
}
