import type { ByteSource } from "../byte-source.ts";
import { AudioError } from "../pcm.ts";

/** A piece of an MP4 file (ISO/IEC 14496-12): its type and where its content lies. */
export type Box = { type: string; start: number; end: number };

/** More boxes than anything but a whole file is made of; hostile files have millions. */
const maxInnerBoxes = 1_000;
/** Hours in fragments of a second stay far below. */
const maxOuterBoxes = 100_000;

/** The boxes that lie between `start` and `end`, cut off where the file or the outer box ends. */
export function* boxesIn(source: ByteSource, { start, end }: Pick<Box, "start" | "end">): Generator<Box> {
  let at = start;
  const max = start === 0 ? maxOuterBoxes : maxInnerBoxes;
  for (let count = 0; at + 8 <= end; count++) {
    if (count === max) throw new AudioError("corrupt", "M4A file is made of too many pieces.");
    const head = source.read(at, 16);
    if (head.length < 8) return;
    const view = viewOf(head);
    const short = view.getUint32(0);
    const isLong = short === 1;
    if (isLong && head.length < 16) return;
    const headerLength = isLong ? 16 : 8;
    // 0: up to the end of what it lies in.
    const length = isLong ? Number(view.getBigUint64(8)) : short === 0 ? end - at : short;
    if (length < headerLength) throw new AudioError("corrupt", "M4A file structure is damaged.");
    yield { type: fourCharacters(head, 4), start: at + headerLength, end: Math.min(at + length, end) };
    at += length;
  }
}

/** The first box along a path of types; null: there is none. */
export function findBox(source: ByteSource, outer: Pick<Box, "start" | "end">, ...path: string[]): Box | null {
  let found: Box | null = null;
  let place = outer;
  for (const type of path) {
    found = null;
    for (const box of boxesIn(source, place)) {
      if (box.type !== type) continue;
      found = box;
      break;
    }
    if (found === null) return null;
    place = found;
  }
  return found;
}

/** The first bytes of a box's content, `length` of them at most; zeros where it is shorter. */
export function readContent(source: ByteSource, { start, end }: Box, length: number): DataView {
  const content = new Uint8Array(length);
  content.set(source.read(start, Math.max(0, Math.min(length, end - start))));
  return viewOf(content);
}

export function fourCharacters(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
