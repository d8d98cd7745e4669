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

const dct6 = dct4Matrix(6);
const transformed = new Float64Array(18);

/** Cosines of the two halves of a DCT-III of 18: of even places at 9i + m, of odd ones the same, 81 further on. */
const halves = Float64Array.from({ length: 2 * 81 }, (_, at) => {
  const place = at < 81 ? 2 * (at % 9) : 2 * (at % 9) + 1;
  return Math.cos((Math.PI / 36) * (2 * Math.floor((at % 81) / 9) + 1) * place);
});
/** 1 / 2cos(...): with sums of neighbouring lines, it makes a DCT-IV out of that DCT-III. */
const secants = Float64Array.from({ length: 18 }, (_, i) => 0.5 / Math.cos((Math.PI / 72) * (2 * i + 1)));

const evenSums = new Float64Array(9);
const oddSums = new Float64Array(9);

/** The DCT-IV of 18 lines, into `transformed`. Places i and 17 - i differ in the sign of the odd half. */
function transform18(lines: Float64Array, start: number): void {
  let before = 0;
  for (let m = 0; m < 9; m++) {
    const first = lines[start + 2 * m]!;
    const second = lines[start + 2 * m + 1]!;
    evenSums[m] = before + first;
    oddSums[m] = first + second;
    before = second;
  }
  for (let i = 0; i < 9; i++) {
    const row = i * 9;
    let even = 0;
    let odd = 0;
    for (let m = 0; m < 9; m++) {
      even += evenSums[m]! * halves[row + m]!;
      odd += oddSums[m]! * halves[81 + row + m]!;
    }
    transformed[i] = (even + odd) * secants[i]!;
    transformed[17 - i] = (even - odd) * secants[17 - i]!;
  }
}

function transformLong(
  lines: Float64Array,
  subband: number,
  blockType: BlockType,
  overlap: Float64Array,
  into: Float64Array,
): void {
  const start = subband * linesPerSubband;
  transform18(lines, start);
  const window = windows[blockType];
  for (let i = 0; i < 9; i++) {
    const early = transformed[i + 9]!;
    const late = -transformed[8 - i]!;
    into[i * subbands + subband] = early * window[i]! + overlap[start + i]!;
    into[(17 - i) * subbands + subband] = overlap[start + 17 - i]! - early * window[17 - i]!;
    overlap[start + i] = late * window[18 + i]!;
    overlap[start + 17 - i] = late * window[35 - i]!;
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
