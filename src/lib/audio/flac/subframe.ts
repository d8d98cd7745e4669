import type { BitReader } from "../bit-reader.ts";

/**
 * Reads one channel of a frame into `samples` (RFC 9639, section 9.2); false: it isn't well-formed. Numbers stay exact:
 * 33 bits of a side channel times 15 bits of a coefficient, 32 times added up, are 53 bits.
 */
export function readSubframe(bits: BitReader, bitsPerSample: number, samples: Float64Array): boolean {
  if (bits.readBit()) return false;
  const type = bits.read(6);
  const wastedBits = bits.readBit() ? bits.readUnary() + 1 : 0;
  const depth = bitsPerSample - wastedBits;
  if (depth < 1 || !readSamples(bits, type, depth, samples)) return false;
  if (wastedBits > 0) for (let i = 0; i < samples.length; i++) samples[i]! *= 2 ** wastedBits;
  return true;
}

function readSamples(bits: BitReader, type: number, depth: number, samples: Float64Array): boolean {
  if (type === 0) samples.fill(bits.readSigned(depth));
  else if (type === 1) readVerbatim(bits, depth, samples, samples.length);
  else if (type >= 8 && type <= 12) return readFixed(bits, type - 8, depth, samples);
  else if (type >= 32) return readLinear(bits, type - 31, depth, samples);
  else return false;
  return true;
}

function readVerbatim(bits: BitReader, depth: number, samples: Float64Array, count: number): void {
  for (let i = 0; i < count; i++) samples[i] = bits.readSigned(depth);
}

const fixedPredictors = [[], [1], [2, -1], [3, -3, 1], [4, -6, 4, -1]];

function readFixed(bits: BitReader, order: number, depth: number, samples: Float64Array): boolean {
  if (order > samples.length) return false;
  readVerbatim(bits, depth, samples, order);
  return readResidual(bits, order, samples) && predict(samples, fixedPredictors[order]!, 0);
}

function readLinear(bits: BitReader, order: number, depth: number, samples: Float64Array): boolean {
  if (order > samples.length) return false;
  readVerbatim(bits, depth, samples, order);
  const precision = bits.read(4) + 1;
  const shift = bits.readSigned(5);
  if (precision === 16 || shift < 0) return false;
  const coefficients = Array.from({ length: order }, () => bits.readSigned(precision));
  return readResidual(bits, order, samples) && predict(samples, coefficients, shift);
}

/** Adds to each residual what the samples before it foretell. One sum alone would wait for each addition to end. */
function predict(samples: Float64Array, coefficients: number[], shift: number): true {
  const order = coefficients.length;
  const weights = Float64Array.from(coefficients);
  const scale = 2 ** -shift;
  const isOdd = order % 2 === 1;
  for (let i = order; i < samples.length; i++) {
    let even = 0;
    let odd = 0;
    for (let j = 0; j + 1 < order; j += 2) {
      even += weights[j]! * samples[i - 1 - j]!;
      odd += weights[j + 1]! * samples[i - 2 - j]!;
    }
    if (isOdd) even += weights[order - 1]! * samples[i - order]!;
    samples[i]! += Math.floor((even + odd) * scale);
  }
  return true;
}

/** Rice-coded residuals behind the first `order` samples (RFC 9639, section 9.2.7). */
function readResidual(bits: BitReader, order: number, samples: Float64Array): boolean {
  const method = bits.read(2);
  if (method > 1) return false;
  const parameterBits = method === 0 ? 4 : 5;
  const escape = method === 0 ? 15 : 31;
  const partitionOrder = bits.read(4);
  const partitionLength = samples.length >> partitionOrder;
  if (partitionLength << partitionOrder !== samples.length || partitionLength < order) return false;
  for (let start = 0, i = order; start < samples.length; start += partitionLength) {
    const end = start + partitionLength;
    const parameter = bits.read(parameterBits);
    if (parameter === escape) i = readPlain(bits, bits.read(5), samples, i, end);
    else i = readRice(bits, parameter, samples, i, end);
    if (bits.isOverrun) return false;
  }
  return true;
}

function readPlain(bits: BitReader, width: number, samples: Float64Array, start: number, end: number): number {
  for (let i = start; i < end; i++) samples[i] = width === 0 ? 0 : bits.readSigned(width);
  return end;
}

function readRice(bits: BitReader, parameter: number, samples: Float64Array, start: number, end: number): number {
  const factor = 2 ** parameter;
  const mask = (1 << parameter) - 1;
  for (let i = start; i < end; i++) {
    const ahead = bits.peek(24);
    const zeros = Math.clz32(ahead) - 8;
    const length = zeros + 1 + parameter;
    if (length <= 24) {
      // Nearly always one look is enough for both parts.
      const folded = (zeros << parameter) | ((ahead >>> (24 - length)) & mask);
      samples[i] = (folded >>> 1) ^ -(folded & 1);
      bits.position += length;
    } else {
      const folded = bits.readUnary() * factor + bits.readLong(parameter);
      samples[i] = folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
    }
  }
  return end;
}
