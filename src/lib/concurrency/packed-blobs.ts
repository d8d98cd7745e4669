/**
 * Blobs and their places in a table, in flat memory that is transferred between threads. As separate arrays, thousands
 * of them would be copied, and would remain in both threads until they are garbage collected.
 */
export type PackedBlobs = {
  places: Float64Array;
  /** In bytes. */
  lengths: Uint32Array;
  /** Each blob begins at a multiple of eight, so that it can be filled with numbers of any kind. */
  bytes: Uint8Array;
};

/** Allocates room for blobs of these lengths. The caller fills in places and bytes. */
export function roomForBlobs(lengths: Uint32Array): PackedBlobs {
  const size = lengths.reduce((start, length) => startBehind(start, length), 0);
  return { places: new Float64Array(lengths.length), lengths, bytes: new Uint8Array(size) };
}

/** Start of the blob that follows one at `start`. */
export function startBehind(start: number, length: number): number {
  return Math.ceil((start + length) / 8) * 8;
}

/** `blob` is a view of the shared memory. */
export function eachBlob(
  { places, lengths, bytes }: PackedBlobs,
  take: (place: number, blob: Uint8Array) => void,
): void {
  for (let at = 0, start = 0; at < places.length; start = startBehind(start, lengths[at++]!))
    take(places[at]!, bytes.subarray(start, start + lengths[at]!));
}

/** All of their memory, for transfer. */
export function arraysOfBlobs({ places, lengths, bytes }: PackedBlobs): ArrayBufferView<ArrayBuffer>[] {
  return [places, lengths, bytes] as ArrayBufferView<ArrayBuffer>[];
}
