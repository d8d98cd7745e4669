import type { BitReader } from "../bit-reader.ts";
import type { Mp3FrameHeader } from "./frame-header.ts";
import { type Granule, shortBlocks } from "./side-info.ts";

/**
 * The scale factors of one channel in one granule. Long bands come first, then the short ones, three windows each;
 * how many there are of either, `countBands` tells.
 */
export type ScaleFactors = {
  values: Uint8Array;
  /** The largest value that each can have; as an intensity position it means "no intensity" in MPEG 2. */
  limits: Uint8Array;
};

/** Bands that have a scale factor: the uppermost, long or short, has none. */
export function countBands({ blockType, isMixed }: Granule, isVersion1: boolean): { long: number; short: number } {
  if (blockType !== shortBlocks) return { long: 21, short: 0 };
  // The two long subbands of a mixed block are 36 lines: 8 bands, or 6 in MPEG 2; 3 short bands lie below that.
  return isMixed ? { long: isVersion1 ? 8 : 6, short: 9 } : { long: 0, short: 12 };
}

/** Room for the most there can be: 12 short bands of three windows, and one more each. */
export function emptyScaleFactors(): ScaleFactors {
  return { values: new Uint8Array(39), limits: new Uint8Array(39) };
}

/** Bits of each scale factor in the lower and in the upper bands, by `scaleFactorCompress`. */
const lowerWidths1 = [0, 0, 0, 0, 3, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4];
const upperWidths1 = [0, 1, 2, 3, 0, 1, 2, 3, 1, 2, 3, 1, 2, 3, 2, 3];
/** Bands of long blocks that may share the scale factors of the granule before: 6, 5, 5 and 5 of them. */
const groups1 = [6, 5, 5, 5];

/** MPEG 1 (ISO/IEC 11172-3 section 2.4.2.7). `into` holds those of the granule before, which `shared` groups keep. */
export function readScaleFactors1(bits: BitReader, granule: Granule, shared: boolean[], into: ScaleFactors): void {
  const low = lowerWidths1[granule.scaleFactorCompress]!;
  const high = upperWidths1[granule.scaleFactorCompress]!;
  const { long, short } = countBands(granule, true);
  if (short === 0) {
    let band = 0;
    for (const [group, count] of groups1.entries()) {
      if (shared[group] !== true) readRun(bits, into, band, count, group < 2 ? low : high);
      band += count;
    }
    into.values.fill(0, band);
    return;
  }
  // The lower half has 8 long and 3 short bands, or 6 short ones.
  const lower = long > 0 ? 8 + 3 * 3 : 6 * 3;
  readRun(bits, into, 0, lower, low);
  readRun(bits, into, lower, 6 * 3, high);
  into.values.fill(0, lower + 6 * 3);
}

/** How many scale factors each of four runs has, by kind of block (ISO/IEC 13818-3 section 2.4.3.2). */
const runs2 = [
  { compressBelow: 400, long: [6, 5, 5, 5], short: [9, 9, 9, 9], mixed: [6, 9, 9, 9] },
  { compressBelow: 500, long: [6, 5, 7, 3], short: [9, 9, 12, 6], mixed: [6, 9, 12, 6] },
  { compressBelow: 512, long: [11, 10, 0, 0], short: [18, 18, 0, 0], mixed: [15, 18, 0, 0] },
];
/** The same for a right channel that is coded as intensity of the left. */
const intensityRuns2 = [
  { compressBelow: 180, long: [7, 7, 7, 0], short: [12, 12, 12, 0], mixed: [6, 15, 12, 0] },
  { compressBelow: 244, long: [6, 6, 6, 3], short: [12, 9, 9, 6], mixed: [6, 12, 9, 6] },
  { compressBelow: 256, long: [8, 8, 5, 0], short: [15, 12, 9, 0], mixed: [6, 18, 9, 0] },
];

/** MPEG 2 and 2.5, where nothing is shared between granules. */
export function readScaleFactors2(
  bits: BitReader,
  header: Mp3FrameHeader,
  granule: Granule,
  channel: number,
  into: ScaleFactors,
): void {
  const isIntensity = header.intensity && channel === 1;
  const compress = isIntensity ? granule.scaleFactorCompress >> 1 : granule.scaleFactorCompress;
  const choices = isIntensity ? intensityRuns2 : runs2;
  const choice = choices.findIndex(({ compressBelow }) => compress < compressBelow);
  const widths = isIntensity ? intensityWidths2(compress, choice) : widths2(compress, choice);
  const kind = granule.blockType !== shortBlocks ? "long" : granule.isMixed ? "mixed" : "short";
  const counts = choices[choice]![kind];
  let at = 0;
  for (const [run, count] of counts.entries()) {
    readRun(bits, into, at, count, widths[run]!);
    at += count;
  }
  into.values.fill(0, at);
}

function widths2(compress: number, choice: number): number[] {
  if (choice === 0) return [Math.floor((compress >> 4) / 5), (compress >> 4) % 5, (compress >> 2) & 3, compress & 3];
  if (choice === 1) {
    const rest = compress - 400;
    return [Math.floor((rest >> 2) / 5), (rest >> 2) % 5, rest & 3, 0];
  }
  const rest = compress - 500;
  return [Math.floor(rest / 3), rest % 3, 0, 0];
}

function intensityWidths2(compress: number, choice: number): number[] {
  if (choice === 0) return [Math.floor(compress / 36), Math.floor((compress % 36) / 6), compress % 6, 0];
  if (choice === 1) {
    const rest = compress - 180;
    return [(rest >> 4) & 3, (rest >> 2) & 3, rest & 3, 0];
  }
  const rest = compress - 244;
  return [Math.floor(rest / 3), rest % 3, 0, 0];
}

function readRun(bits: BitReader, into: ScaleFactors, start: number, count: number, width: number): void {
  for (let i = start; i < start + count; i++) {
    into.values[i] = bits.read(width);
    into.limits[i] = (1 << width) - 1;
  }
}
