import { roomForBlobs, startBehind, type PackedBlobs } from "../concurrency/packed-blobs.ts";
import { isBits, type Container } from "./container.ts";

/** Packs containers in the form that `containerOf` reads. */
export function packedContainers(containers: readonly (readonly [place: number, Container])[]): PackedBlobs {
  const blobs = roomForBlobs(Uint32Array.from(containers, ([, { byteLength }]) => byteLength));
  const words = new Int32Array(blobs.bytes.buffer);
  const halves = new Uint16Array(blobs.bytes.buffer);
  let start = 0;
  for (let at = 0; at < containers.length; start = startBehind(start, blobs.lengths[at++]!)) {
    const [place, container] = containers[at]!;
    blobs.places[at] = place;
    // Not as bytes: views of small containers would each be allocated outside the garbage-collected memory.
    if (isBits(container)) words.set(container, start / 4);
    else halves.set(container, start / 2);
  }
  return blobs;
}
