import type { BitReader } from "../bit-reader.ts";
import type { AlacConfig } from "./config.ts";

/** A code of so many ones means that the number follows as it is. */
const maxOnes = 9;
const fixedPoint = 9;
const maxMean = 0xffff;

/**
 * Reads numbers whose size is predicted from the previous ones (adaptive Golomb code, with runs of zeros).
 * `bitsPerNumber` is how many bits a number takes that is written as it is.
 */
export function readResidual(
  bits: BitReader,
  config: AlacConfig,
  historyMultiplier: number,
  bitsPerNumber: number,
  into: Int32Array,
  count: number,
): void {
  let mean = config.initialHistory;
  let isAfterZeros = 0;
  for (let i = 0; i < count;) {
    const width = Math.min(31 - Math.clz32((mean >> fixedPoint) + 3), config.riceLimit);
    const folded = readNumber(bits, width, bitsPerNumber) + isAfterZeros;
    into[i++] = folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
    mean += historyMultiplier * folded - ((historyMultiplier * mean) >> fixedPoint);
    if (folded - isAfterZeros > maxMean) mean = maxMean;
    isAfterZeros = 0;
    if (mean >= 128 || i >= count) continue;
    const zerosWidth = Math.min(Math.clz32(mean) - 24 + ((mean + 16) >> 6), config.riceLimit);
    const zeros = readNumber(bits, zerosWidth, 16);
    into.fill(0, i, Math.min(i + zeros, count));
    i += zeros;
    isAfterZeros = zeros >= maxMean ? 0 : 1;
    mean = 0;
  }
}

/** Ones count multiples of 2^width - 1; the rest takes width bits, or one fewer where it is 0. */
function readNumber(bits: BitReader, width: number, plainBits: number): number {
  const ones = Math.min(Math.clz32(~(bits.peek(maxOnes) << (32 - maxOnes))), maxOnes);
  bits.position += Math.min(ones + 1, maxOnes);
  if (ones === maxOnes) return bits.readLong(plainBits);
  const multiple = ones * ((1 << width) - 1);
  if (width <= 1) return multiple;
  const rest = bits.peek(width);
  bits.position += rest >= 2 ? width : width - 1;
  return rest >= 2 ? multiple + rest - 1 : multiple;
}
