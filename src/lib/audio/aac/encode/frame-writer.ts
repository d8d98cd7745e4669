import { BitWriter } from "../../bit-writer.ts";
import { PrefixCode } from "../../prefix-code.ts";
import { scaleFactorCode } from "../codebook-tables.ts";
import { writeLines } from "./codebooks.ts";
import type { ShapingFilter } from "./shaping.ts";

/** A quantised frame of one channel, long window. */
export type CodedFrame = {
  maxBand: number;
  bandStarts: Uint16Array;
  /** By band. Scale factors of bands with codebook 0 are not written. */
  codebooks: Uint8Array;
  scaleFactors: Int16Array;
  quantised: Int32Array;
  shaping: ShapingFilter | null;
};

const differences = new PrefixCode(scaleFactorCode).codewords();

/** Bits of the scale factors as differences from band to band. */
export function countScaleFactorBits(codebooks: Uint8Array, scaleFactors: Int16Array): number {
  let last: number | null = null;
  let total = 0;
  for (let band = 0; band < codebooks.length; band++) {
    if (codebooks[band] === 0) continue;
    const factor = scaleFactors[band]!;
    total += differences.get(60 + factor - (last ?? factor))!.length;
    last = factor;
  }
  return total;
}

/** Writes a raw data block with a single channel (ISO/IEC 14496-3 tables 4.4 to 4.51). */
export function writeFrame(frame: CodedFrame): Uint8Array {
  const { maxBand, bandStarts, codebooks, scaleFactors, quantised, shaping } = frame;
  const bits = new BitWriter();
  const gain = scaleFactors[codebooks.findIndex((codebook) => codebook !== 0)] ?? 0;
  bits.write(0, 3 + 4); // a single channel, the first
  bits.write(gain, 8);
  bits.write(0, 1 + 2 + 1); // reserved, long window, sine
  bits.write(maxBand, 6);
  bits.write(0, 1); // no prediction
  writeSections(codebooks, bits);
  let last = gain;
  for (const [band, codebook] of codebooks.entries()) {
    if (codebook === 0) continue;
    const word = differences.get(60 + scaleFactors[band]! - last)!;
    bits.write(word.bits, word.length);
    last = scaleFactors[band]!;
  }
  bits.write(0, 1); // no pulses
  writeShaping(shaping, bits);
  bits.write(0, 1); // no gain control
  for (const [band, codebook] of codebooks.entries()) {
    writeLines(codebook, quantised, bandStarts[band]!, bandStarts[band + 1]!, bits);
  }
  bits.write(7, 3); // the end
  return bits.finish();
}

function writeSections(codebooks: Uint8Array, bits: BitWriter): void {
  for (let band = 0; band < codebooks.length;) {
    const codebook = codebooks[band]!;
    let length = 1;
    while (band + length < codebooks.length && codebooks[band + length] === codebook) length += 1;
    bits.write(codebook, 4);
    band += length;
    for (; length >= 31; length -= 31) bits.write(31, 5);
    bits.write(length, 5);
  }
}

function writeShaping(shaping: ShapingFilter | null, bits: BitWriter): void {
  bits.write(shaping === null ? 0 : 1, 1);
  if (shaping === null) return;
  bits.write(1, 2); // one filter
  bits.write(1, 1); // of four bits a coefficient
  bits.write(shaping.bandCount, 6);
  bits.write(shaping.codes.length, 5);
  bits.write(0, 1 + 1); // upward, not compressed
  for (const code of shaping.codes) bits.write(code & 15, 4);
}
