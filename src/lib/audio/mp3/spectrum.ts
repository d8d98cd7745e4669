import type { BitReader } from "../bit-reader.ts";
import { PrefixCode } from "../prefix-code.ts";
import type { Bands } from "./bands.ts";
import { pairCodes, quadCodeA } from "./codebook-tables.ts";
import { countBands, type ScaleFactors } from "./scale-factors.ts";
import { type Granule, shortBlocks } from "./side-info.ts";

/** Lines of the spectrum in one granule. */
export const granuleLines = 576;

/**
 * Reads the quantised lines of a granule up to bit `end`, and answers how many there are before only zeros follow.
 * A damaged granule ends where its bits end.
 */
export function readLines(bits: BitReader, granule: Granule, bands: Bands, end: number, into: Int16Array): number {
  const pairsEnd = granule.bigValues * 2;
  const bounds = [...regionBounds(granule, bands).map((bound) => Math.min(bound, pairsEnd)), pairsEnd];
  let line = 0;
  for (const [region, bound] of bounds.entries()) {
    line = readPairs(bits, granule.tableSelect[region]!, end, into, line, bound);
  }
  if (bits.position > end) line = Math.max(0, line - 2);
  line = readQuads(bits, granule.usesQuadCodeB, end, into, line);
  into.fill(0, line);
  while (line > 0 && into[line - 1] === 0) line -= 1;
  return line;
}

/** Where the second and the third region of pairs begin. */
function regionBounds({ regions, blockType }: Granule, { long, short }: Bands): [number, number] {
  if (regions !== null) {
    const [first, second] = regions;
    return [long[first]!, long[Math.min(first + second, 22)]!];
  }
  return [blockType === shortBlocks ? short[3]! * 3 : long[8]!, granuleLines];
}

const linbits = [1, 2, 3, 4, 6, 8, 10, 13, 4, 5, 6, 7, 8, 9, 11, 13];
const pairTables = new Map(Object.entries(pairCodes).map(([table, text]) => [Number(table), new PrefixCode(text, 16)]));
const quadTableA = new PrefixCode(quadCodeA, 16);

function readPairs(
  bits: BitReader,
  table: number,
  end: number,
  into: Int16Array,
  start: number,
  bound: number,
): number {
  const code = pairTables.get(table < 16 ? table : table < 24 ? 16 : 24);
  if (code === undefined) {
    into.fill(0, start, bound);
    return Math.max(start, bound);
  }
  const escapeBits = table < 16 ? 0 : linbits[table - 16]!;
  let line = start;
  for (; line < bound && bits.position < end; line += 2) {
    const symbol = code.read(bits);
    let x = symbol >> 4;
    let y = symbol & 15;
    if (x !== 0) {
      if (x === 15 && escapeBits > 0) x += bits.read(escapeBits);
      if (bits.read(1) === 1) x = -x;
    }
    if (y !== 0) {
      if (y === 15 && escapeBits > 0) y += bits.read(escapeBits);
      if (bits.read(1) === 1) y = -y;
    }
    into[line] = x;
    into[line + 1] = y;
  }
  return line;
}

/** Four lines of -1, 0 or 1 at a time, as long as there are bits. */
function readQuads(bits: BitReader, isB: boolean, end: number, into: Int16Array, start: number): number {
  let line = start;
  while (line + 4 <= granuleLines && bits.position < end) {
    const magnitudes = isB ? 15 - bits.read(4) : quadTableA.read(bits);
    for (let i = 0; i < 4; i++) into[line + i] = (magnitudes >> (3 - i)) & 1 ? (bits.read(1) === 1 ? -1 : 1) : 0;
    // Padding at the end can look like a codeword.
    if (bits.position > end) break;
    line += 4;
  }
  return line;
}

/** Magnitudes to the power of 4/3: 15 and thirteen more bits at most. */
const powers = Float64Array.from({ length: 15 + 8192 }, (_, value) => value ** (4 / 3));
/** The preemphasis of the upper long bands (ISO/IEC 11172-3 table B.6). */
const preemphasis = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 3, 2, 0];

/**
 * Turns quantised lines into the spectrum (section 2.4.3.4.7). The lines of three short blocks, which are coded window
 * by window in each band, come out mixed: line k of window w at 3k + w.
 */
export function requantise(
  quantised: Int16Array,
  count: number,
  granule: Granule,
  { values: scaleFactors }: ScaleFactors,
  bands: Bands,
  isVersion1: boolean,
  into: Float64Array,
): void {
  into.fill(0);
  const gain = granule.globalGain - 210;
  const step = granule.scaleFactorScale ? 4 : 2;
  const { long: longBands, short: shortBands } = countBands(granule, isVersion1);
  const isLong = granule.blockType !== shortBlocks;
  for (let band = 0; band < (isLong ? 22 : longBands); band++) {
    const factor = scaleFactors[band]! + (granule.hasPreemphasis && isLong ? preemphasis[band]! : 0);
    const scale = 2 ** ((gain - step * factor) / 4);
    const end = Math.min(bands.long[band + 1]!, count);
    for (let line = bands.long[band]!; line < end; line++) into[line] = power(quantised[line]!) * scale;
  }
  if (isLong) return;
  for (let band = 12 - shortBands, factor = longBands; band < 13; band++) {
    const start = bands.short[band]!;
    const width = bands.short[band + 1]! - start;
    for (let window = 0; window < 3; window++, factor++) {
      const exponent = gain - 8 * granule.subblockGain[window]! - step * scaleFactors[factor]!;
      const scale = 2 ** (exponent / 4);
      const from = start * 3 + window * width;
      const length = Math.min(width, count - from);
      for (let i = 0; i < length; i++) into[(start + i) * 3 + window] = power(quantised[from + i]!) * scale;
    }
  }
}

function power(value: number): number {
  return value < 0 ? -powers[-value]! : powers[value]!;
}
