import { isBits, type Container } from "../search-index/container.ts";

/**
 * Blobs with their places in a table, in flat memory that is moved from thread to thread: as arrays of their own some
 * thousand of each flush would be copied, and stay behind in both threads until their garbage is collected.
 */
export type PackedBlobs = {
  places: Float64Array;
  /** In bytes. */
  lengths: Uint32Array;
  /** Each blob begins at a multiple of eight, so that it can be filled with numbers of any kind. */
  bytes: Uint8Array;
};

/** Room for blobs of these lengths; places and bytes are to be filled in. */
export function roomForBlobs(lengths: Uint32Array): PackedBlobs {
  const size = lengths.reduce((start, length) => startBehind(start, length), 0);
  return { places: new Float64Array(lengths.length), lengths, bytes: new Uint8Array(size) };
}

/** Where the blob begins that follows one from `start` on. */
export function startBehind(start: number, length: number): number {
  return Math.ceil((start + length) / 8) * 8;
}

/** `blob` shares its memory with the others. */
export function eachBlob(
  { places, lengths, bytes }: PackedBlobs,
  take: (place: number, blob: Uint8Array) => void,
): void {
  for (let at = 0, start = 0; at < places.length; start = startBehind(start, lengths[at++]!))
    take(places[at]!, bytes.subarray(start, start + lengths[at]!));
}

/** In the form that `containerOf` reads. */
export function packedContainers(containers: readonly (readonly [place: number, Container])[]): PackedBlobs {
  const blobs = roomForBlobs(Uint32Array.from(containers, ([, { byteLength }]) => byteLength));
  const words = new Int32Array(blobs.bytes.buffer);
  const halves = new Uint16Array(blobs.bytes.buffer);
  let start = 0;
  for (let at = 0; at < containers.length; start = startBehind(start, blobs.lengths[at++]!)) {
    const [place, container] = containers[at]!;
    blobs.places[at] = place;
    // Not as bytes: a view of them would take the small ones out of the memory that is collected, one by one.
    if (isBits(container)) words.set(container, start / 4);
    else halves.set(container, start / 2);
  }
  return blobs;
}

/** All of their memory: whole buffers, of which nothing else is a part. */
export function arraysOfBlobs({ places, lengths, bytes }: PackedBlobs): ArrayBufferView<ArrayBuffer>[] {
  return [places, lengths, bytes] as ArrayBufferView<ArrayBuffer>[];
}
