import type { Mp3Frame } from "./frames.ts";
import { sideInfoLength } from "./side-info.ts";

/** What encoders write into a first frame without sound. */
export type InfoTag = {
  /** Frames that follow; null: not said. */
  frames: number | null;
  /** Samples that the encoder put before and after the sound; null: not said. */
  gaps: { before: number; after: number } | null;
};

/** Samples that every decoder's filters add before the encoder's own delay (LAME, "gapless" documentation). */
export const decoderDelay = 529;

/** Reads the tag named Xing, Info or VBRI; null: this frame has sound. */
export function readInfoTag({ header, bytes }: Mp3Frame): InfoTag | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = 4 + sideInfoLength(header);
  const name = ascii(bytes, at);
  if ((name === "Xing" || name === "Info") && at + 8 <= bytes.length) return readXing(view, at);
  const vbriAt = 36;
  if (ascii(bytes, vbriAt) === "VBRI" && vbriAt + 18 <= bytes.length) {
    return { frames: view.getUint32(vbriAt + 14) || null, gaps: null };
  }
  return null;
}

/** Fields are there when their flag is: frames, bytes, a table of contents, a quality; then comes LAME's part. */
function readXing(view: DataView, start: number): InfoTag {
  const flags = view.getUint32(start + 4);
  let at = start + 8;
  let frames: number | null = null;
  if (flags & 1) {
    frames = at + 4 <= view.byteLength ? view.getUint32(at) || null : null;
    at += 4;
  }
  at += (flags & 2 ? 4 : 0) + (flags & 4 ? 100 : 0) + (flags & 8 ? 4 : 0);
  // The name of the encoder, then settings; at 21 two numbers of 12 bits. Other bytes than a name: no such part.
  if (at + 24 > view.byteLength || !/^[A-Z]/.test(String.fromCharCode(view.getUint8(at))))
    return { frames, gaps: null };
  const packed = (view.getUint8(at + 21) << 16) | view.getUint16(at + 22);
  return { frames, gaps: { before: packed >> 12, after: packed & 0xfff } };
}

function ascii(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}
