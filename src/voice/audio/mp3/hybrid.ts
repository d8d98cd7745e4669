import type { BlockType, Granule } from "./side-info.ts";
import { shortBlocks } from "./side-info.ts";

const subbands = 32;
const linesPerSubband = 18;

/**
 * Turns the spectrum of a granule into 18 samples of each of 32 subbands (ISO/IEC 11172-3 section 2.4.3.4.10).
 * One for each channel: half of each transform is added to the next granule.
 */
export class HybridFilterbank {
  readonly #overlap = new Float64Array(subbands * linesPerSubband);

  /** `lines` is changed. Sample t of subband s comes out at 32t + s. `count`: lines from there on are zero. */
  run(lines: Float64Array, count: number, granule: Pick<Granule, "blockType" | "isMixed">, into: Float64Array): void {
    const { blockType, isMixed } = granule;
    const longSubbands = blockType !== shortBlocks ? subbands : isMixed ? 2 : 0;
    reduceAlias(lines, longSubbands);
    // Alias reduction reaches 8 lines into the next subband.
    const active = Math.min(subbands, Math.ceil((count + 8) / linesPerSubband));
    for (let subband = 0; subband < subbands; subband++) {
      if (subband >= active) transformSilence(this.#overlap, subband, into);
      else if (subband < longSubbands) transformLong(lines, subband, isMixed ? 0 : blockType, this.#overlap, into);
      else transformShort(lines, subband, this.#overlap, into);
    }
    invertFrequencies(into);
  }
}

/** Table B.9: by these angles neighbouring lines around the border of two subbands are turned. */
const aliasCoefficients = [-0.6, -0.535, -0.33, -0.185, -0.095, -0.041, -0.0142, -0.0037];
const aliasCosines = Float64Array.from(aliasCoefficients, (c) => 1 / Math.sqrt(1 + c * c));
const aliasSines = Float64Array.from(aliasCoefficients, (c) => c / Math.sqrt(1 + c * c));

function reduceAlias(lines: Float64Array, longSubbands: number): void {
  for (let border = linesPerSubband; border < longSubbands * linesPerSubband; border += linesPerSubband) {
    for (let i = 0; i < 8; i++) {
      const below = lines[border - 1 - i]!;
      const above = lines[border + i]!;
      lines[border - 1 - i] = below * aliasCosines[i]! - above * aliasSines[i]!;
      lines[border + i] = above * aliasCosines[i]! + below * aliasSines[i]!;
    }
  }
}

/** Windows of 36 by block type (section 2.4.3.4.10.3); that of short blocks is 12 long. */
const windows: Record<BlockType, Float64Array> = {
  0: Float64Array.from({ length: 36 }, (_, i) => sineWindow(i, 36)),
  1: Float64Array.from({ length: 36 }, (_, i) => {
    return i < 18 ? sineWindow(i, 36) : i < 24 ? 1 : i < 30 ? sineWindow(i - 18, 12) : 0;
  }),
  2: Float64Array.from({ length: 12 }, (_, i) => sineWindow(i, 12)),
  3: Float64Array.from({ length: 36 }, (_, i) => {
    return i < 6 ? 0 : i < 12 ? sineWindow(i - 6, 12) : i < 18 ? 1 : sineWindow(i, 36);
  }),
};

function sineWindow(i: number, length: number): number {
  return Math.sin((Math.PI / length) * (i + 0.5));
}

/** cos(pi / 4n * (2i + 1)(2k + 1)) at n * i + k: the DCT-IV that a modified DCT consists of. */
function dct4Matrix(n: number): Float64Array {
  return Float64Array.from({ length: n * n }, (_, at) => {
    const i = Math.floor(at / n);
    return Math.cos((Math.PI / (4 * n)) * (2 * i + 1) * (2 * (at % n) + 1));
  });
}

const dct18 = dct4Matrix(18);
const dct6 = dct4Matrix(6);
const transformed = new Float64Array(18);

function transformLong(
  lines: Float64Array,
  subband: number,
  blockType: BlockType,
  overlap: Float64Array,
  into: Float64Array,
): void {
  const start = subband * linesPerSubband;
  // Three sums at a time: one alone would wait for each addition to end.
  for (let i = 0, row = 0; i < 18; i += 3, row += 54) {
    let first = 0;
    let second = 0;
    let third = 0;
    for (let k = 0; k < 18; k++) {
      const line = lines[start + k]!;
      first += line * dct18[row + k]!;
      second += line * dct18[row + 18 + k]!;
      third += line * dct18[row + 36 + k]!;
    }
    transformed[i] = first;
    transformed[i + 1] = second;
    transformed[i + 2] = third;
  }
  const window = windows[blockType];
  for (let i = 0; i < 18; i++) {
    const early = i < 9 ? transformed[i + 9]! : -transformed[26 - i]!;
    const late = i < 9 ? -transformed[8 - i]! : -transformed[i - 9]!;
    into[i * subbands + subband] = early * window[i]! + overlap[start + i]!;
    overlap[start + i] = late * window[18 + i]!;
  }
}

const shortSum = new Float64Array(36);

/** Three overlapping transforms of 12, in the middle of the 36 samples. */
function transformShort(lines: Float64Array, subband: number, overlap: Float64Array, into: Float64Array): void {
  const start = subband * linesPerSubband;
  const window = windows[shortBlocks];
  shortSum.fill(0);
  for (let block = 0; block < 3; block++) {
    for (let i = 0; i < 6; i++) {
      let sum = 0;
      for (let k = 0; k < 6; k++) sum += lines[start + 3 * k + block]! * dct6[i * 6 + k]!;
      transformed[i] = sum;
    }
    const at = 6 + 6 * block;
    for (let i = 0; i < 6; i++) {
      const early = i < 3 ? transformed[i + 3]! : -transformed[8 - i]!;
      const late = i < 3 ? -transformed[2 - i]! : -transformed[i - 3]!;
      shortSum[at + i]! += early * window[i]!;
      shortSum[at + 6 + i]! += late * window[6 + i]!;
    }
  }
  for (let i = 0; i < 18; i++) {
    into[i * subbands + subband] = shortSum[i]! + overlap[start + i]!;
    overlap[start + i] = shortSum[18 + i]!;
  }
}

function transformSilence(overlap: Float64Array, subband: number, into: Float64Array): void {
  const start = subband * linesPerSubband;
  for (let i = 0; i < 18; i++) {
    into[i * subbands + subband] = overlap[start + i]!;
    overlap[start + i] = 0;
  }
}

/** Odd samples of odd subbands: the polyphase filterbank mirrors every second subband. */
function invertFrequencies(samples: Float64Array): void {
  for (let time = 1; time < linesPerSubband; time += 2) {
    for (let subband = 1; subband < subbands; subband += 2) samples[time * subbands + subband]! *= -1;
  }
}
