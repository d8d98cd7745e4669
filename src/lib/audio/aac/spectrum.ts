import type { BitReader } from "../bit-reader.ts";
import { PrefixCode } from "../prefix-code.ts";
import { type WindowInfo, windowLines } from "./window-info.ts";
import { spectralCodes } from "./codebook-tables.ts";

/** How the entries of a codebook tell their lines: digits to a base, the first line's digit the highest. */
type Codebook = { code: PrefixCode; lines: 2 | 4; base: number; isSigned: boolean };

/** The shape of codebook 1 and the following. */
export const codebookShapes: [lines: 2 | 4, base: number, isSigned: boolean][] = [
  [4, 3, true],
  [4, 3, true],
  [4, 3, false],
  [4, 3, false],
  [2, 9, true],
  [2, 9, true],
  [2, 8, false],
  [2, 8, false],
  [2, 13, false],
  [2, 13, false],
  [2, 17, false],
];

/** By number, from 1 on (ISO/IEC 14496-3 table 4.108). */
const spectral: (Codebook | undefined)[] = [
  undefined,
  ...codebookShapes.map(([lines, base, isSigned], i) => ({
    code: new PrefixCode(spectralCodes[i + 1]!),
    lines,
    base,
    isSigned,
  })),
];

/** The code of a codebook, 1 to 11. */
export function spectralCode(codebook: number): PrefixCode {
  return spectral[codebook]!.code;
}

/** Reads the quantised lines (section 4.6.3.3): by group, then band, then window. */
export function readSpectrum(bits: BitReader, info: WindowInfo, sections: Uint8Array, into: Int32Array): void {
  const { groups, maxBand, bandStarts } = info;
  let firstWindow = 0;
  for (const [group, windows] of groups.entries()) {
    for (let band = 0; band < maxBand; band++) {
      const codebook = spectral[sections[group * maxBand + band]!];
      if (codebook === undefined) continue;
      for (let window = firstWindow; window < firstWindow + windows; window++) {
        const start = window * windowLines;
        readBand(bits, codebook, into, start + bandStarts[band]!, start + bandStarts[band + 1]!);
      }
    }
    firstWindow += windows;
  }
}

function readBand(bits: BitReader, codebook: Codebook, into: Int32Array, start: number, end: number): void {
  if (codebook.lines === 4) readFours(bits, codebook, into, start, end);
  else readPairs(bits, codebook, into, start, end);
}

/** Bases are 3: lines are -1 to 1, or 0 to 2 with signs behind. */
function readFours(bits: BitReader, { code, isSigned }: Codebook, into: Int32Array, start: number, end: number): void {
  for (let line = start; line < end; line += 4) {
    const entry = code.read(bits);
    const first = Math.trunc(entry / 27);
    const second = Math.trunc(entry / 9) % 3;
    const third = Math.trunc(entry / 3) % 3;
    const fourth = entry % 3;
    into[line] = isSigned ? first - 1 : withSign(bits, first);
    into[line + 1] = isSigned ? second - 1 : withSign(bits, second);
    into[line + 2] = isSigned ? third - 1 : withSign(bits, third);
    into[line + 3] = isSigned ? fourth - 1 : withSign(bits, fourth);
  }
}

function readPairs(bits: BitReader, codebook: Codebook, into: Int32Array, start: number, end: number): void {
  const { code, base, isSigned } = codebook;
  const offset = isSigned ? base >> 1 : 0;
  const hasEscapes = base === 17;
  for (let line = start; line < end; line += 2) {
    const entry = code.read(bits);
    const first = Math.trunc(entry / base);
    const second = entry % base;
    if (isSigned) {
      into[line] = first - offset;
      into[line + 1] = second - offset;
      continue;
    }
    // Both signs come before both escapes.
    const isFirstNegative = first !== 0 && bits.readBit();
    const isSecondNegative = second !== 0 && bits.readBit();
    const firstValue = hasEscapes && first === 16 ? readEscape(bits) : first;
    const secondValue = hasEscapes && second === 16 ? readEscape(bits) : second;
    into[line] = isFirstNegative ? -firstValue : firstValue;
    into[line + 1] = isSecondNegative ? -secondValue : secondValue;
  }
}

function withSign(bits: BitReader, magnitude: number): number {
  return magnitude !== 0 && bits.readBit() ? -magnitude : magnitude;
}

/** As many ones as there are bits beyond four, a zero, the bits (section 4.6.3.3). Never above 8,191. */
function readEscape(bits: BitReader): number {
  let width = 4;
  while (width < 13 && bits.readBit()) width += 1;
  return Math.min((1 << width) + bits.read(width), 8191);
}
