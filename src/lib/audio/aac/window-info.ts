import type { BitReader } from "../bit-reader.ts";
import type { Bands } from "./bands.ts";

/** Thrown inside the decoder for a frame that can't be decoded; the next may be whole. */
export class DamagedFrame extends Error {}

export const frameLines = 1024;
export const windowLines = 128;

export const sequences = { long: 0, start: 1, short: 2, stop: 3 } as const;
export type Sequence = (typeof sequences)[keyof typeof sequences];

/** Codebooks with a special meaning instead of coded lines. */
export const codebooks = { zero: 0, escape: 11, noise: 13, intensityOut: 14, intensityIn: 15 } as const;

/** Which windows a frame has, and how they are grouped (ICS info, ISO/IEC 14496-3 section 4.5.2.3). */
export type WindowInfo = {
  sequence: Sequence;
  /** Kaiser-Bessel derived instead of sine. */
  isKaiser: boolean;
  /** Bands that are coded. */
  maxBand: number;
  /** Windows in each group; groups share scale factors. */
  groups: number[];
  /** Starts of the bands of one window. */
  bandStarts: Uint16Array;
};

export function readWindowInfo(bits: BitReader, bands: Bands): WindowInfo {
  bits.read(1);
  const sequence = bits.read(2) as Sequence;
  const isKaiser = bits.readBit();
  const isShort = sequence === sequences.short;
  const maxBand = bits.read(isShort ? 4 : 6);
  const bandStarts = isShort ? bands.short : bands.long;
  if (maxBand >= bandStarts.length) throw new DamagedFrame("more bands than there are");
  if (!isShort) {
    if (bits.readBit()) throw new DamagedFrame("prediction, which AAC-LC doesn't have");
    return { sequence, isKaiser, maxBand, groups: [1], bandStarts };
  }
  const groups = [1];
  for (let window = 1; window < 8; window++) {
    if (bits.readBit()) groups[groups.length - 1]! += 1;
    else groups.push(1);
  }
  return { sequence, isKaiser, maxBand, groups, bandStarts };
}
