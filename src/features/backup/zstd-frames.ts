import { ArchiveError } from "./archive-error.ts";
import { ByteQueue } from "./byte-queue.ts";

const magic = 0xfd2fb528;
/** Field sizes, by the two bits of the descriptor. */
const dictionaryIdBytes = [0, 1, 2, 4] as const;
const contentSizeBytes = [0, 2, 4, 8] as const;
const runLength = 1;

/**
 * Passes on a sequence of complete zstd frames (RFC 8878, section 3.1.1) unchanged, in different pieces. Throws
 * `ArchiveError` for a truncated frame or other data, because decompressors ignore unreadable data after a frame.
 */
export async function* wholeFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const bytes = new ByteQueue(chunks[Symbol.asyncIterator]());
  let isFirst = true;
  // An empty file is truncated.
  while (isFirst || (await bytes.hasMore())) {
    yield* frameOf(bytes, isFirst ? "it is damaged or not a backup" : "it is damaged or has trailing data");
    isFirst = false;
  }
}

async function* frameOf(bytes: ByteQueue, otherwise: string): AsyncGenerator<Uint8Array, void, void> {
  const start = await bytes.take(5);
  if (view(start).getUint32(0, true) !== magic) throw new ArchiveError(otherwise);
  const { headerBytes, hasChecksum } = parseDescriptor(start[4]!);
  yield start;
  yield await bytes.take(headerBytes);
  for (let isLast = false; !isLast;) {
    const header = await bytes.take(3);
    const [low = 0, middle = 0, high = 0] = header;
    isLast = (low & 1) === 1;
    yield header;
    const size = (low | (middle << 8) | (high << 16)) >> 3;
    yield* bytes.pieces(((low >> 1) & 3) === runLength ? 1 : size);
  }
  if (hasChecksum) yield await bytes.take(4);
}

/**
 * Decodes the frame header descriptor: the length of the remaining header, and whether the frame ends with a checksum.
 */
function parseDescriptor(descriptor: number): { headerBytes: number; hasChecksum: boolean } {
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeBytes = contentSizeBytes[(descriptor >> 6) as 0 | 1 | 2 | 3] || Number(isSingleSegment);
  const windowBytes = Number(!isSingleSegment);
  const idBytes = dictionaryIdBytes[(descriptor & 3) as 0 | 1 | 2 | 3];
  return { headerBytes: windowBytes + idBytes + sizeBytes, hasChecksum: (descriptor & 4) !== 0 };
}

function view({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
