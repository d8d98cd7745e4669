import type { BitWriter } from "../../bit-writer.ts";
import { codebookShapes, spectralCode } from "../spectrum.ts";

/** A codeword for each entry of a codebook. */
type Encoder = { lines: 2 | 4; base: number; isSigned: boolean; bits: Uint16Array; lengths: Uint8Array };

/** By number, from 1 on. */
const encoders: (Encoder | undefined)[] = [
  undefined,
  ...codebookShapes.map(([lines, base, isSigned], i) => {
    const bits = new Uint16Array(base ** lines);
    const lengths = new Uint8Array(base ** lines);
    for (const [entry, word] of spectralCode(i + 1).codewords()) {
      bits[entry] = word.bits;
      lengths[entry] = word.length;
    }
    return { lines, base, isSigned, bits, lengths };
  }),
];

export const codebookCount = encoders.length;
const escapeBook = 11;

/** Bits that the lines take with a codebook which can code them. */
export function countBits(codebook: number, quantised: Int32Array, start: number, end: number): number {
  const encoder = encoders[codebook];
  if (encoder === undefined) return 0;
  let total = 0;
  for (let line = start; line < end; line += encoder.lines) {
    total += encoder.lengths[entryAt(encoder, quantised, line)]!;
    if (encoder.isSigned) continue;
    for (let i = line; i < line + encoder.lines; i++) {
      const magnitude = Math.abs(quantised[i]!);
      if (magnitude > 0) total += 1;
      if (codebook === escapeBook && magnitude > 15) total += escapeLength(magnitude);
    }
  }
  return total;
}

export function writeLines(codebook: number, quantised: Int32Array, start: number, end: number, into: BitWriter): void {
  const encoder = encoders[codebook];
  if (encoder === undefined) return;
  for (let line = start; line < end; line += encoder.lines) {
    const entry = entryAt(encoder, quantised, line);
    into.write(encoder.bits[entry]!, encoder.lengths[entry]!);
    if (encoder.isSigned) continue;
    const values = quantised.subarray(line, line + encoder.lines);
    for (const value of values) if (value !== 0) into.write(value < 0 ? 1 : 0, 1);
    if (codebook !== escapeBook) continue;
    for (const value of values) if (Math.abs(value) > 15) writeEscape(Math.abs(value), into);
  }
}

/** The lines are digits to the base, the first one the most significant; 16 means any larger magnitude. */
function entryAt({ lines, base, isSigned }: Encoder, quantised: Int32Array, line: number): number {
  const offset = isSigned ? base >> 1 : 0;
  let entry = 0;
  for (let i = line; i < line + lines; i++) {
    const digit = isSigned ? quantised[i]! + offset : Math.min(Math.abs(quantised[i]!), 16);
    entry = entry * base + digit;
  }
  return entry;
}

function escapeLength(magnitude: number): number {
  return 2 * (31 - Math.clz32(magnitude)) - 3;
}

/** As many ones as there are bits beyond four, a zero, the bits behind the highest. */
function writeEscape(magnitude: number, into: BitWriter): void {
  const width = 31 - Math.clz32(magnitude);
  into.write((1 << (width - 3)) - 2, width - 3);
  into.write(magnitude - (1 << width), width);
}
