import { BitReader, padded } from "../bit-reader.ts";
import type { AlacConfig } from "./config.ts";
import { firstOrder, integrate, predict } from "./predictor.ts";
import { readResidual } from "./rice.ts";

const elements = { single: 0, pair: 1, lowFrequency: 3, bytes: 4, fill: 6, end: 7 } as const;

/** Decodes frames of Apple Lossless independently, bit exact. */
export class AlacDecoder {
  readonly #config: AlacConfig;
  readonly #samples: Int32Array[];
  readonly #lowBits: Int32Array[];
  readonly #pcm: Float32Array[];

  constructor(config: AlacConfig) {
    this.#config = config;
    const arrays = () => Array.from({ length: config.channels }, () => new Int32Array(config.frameSamples));
    this.#samples = arrays();
    this.#lowBits = arrays();
    this.#pcm = this.#samples.map(({ length }) => new Float32Array(length));
  }

  /** The samples of each channel, used again by the next call; null: the frame is damaged. */
  decode(frame: Uint8Array): { pcm: Float32Array[]; length: number } | null {
    const bits = new BitReader(padded(frame), frame.length);
    let channel = 0;
    let length = 0;
    while (!bits.isOverrun) {
      const element = bits.read(3);
      if (element === elements.end) break;
      if (element === elements.bytes || element === elements.fill) skip(bits, element);
      else {
        const width =
          element === elements.pair ? 2 : element === elements.single || element === elements.lowFrequency ? 1 : 0;
        if (width === 0 || channel + width > this.#samples.length) return null;
        const count = this.#readChannels(bits, channel, width);
        if (count === null) return null;
        length = count;
        channel += width;
      }
    }
    if (bits.isOverrun || channel < this.#samples.length) return null;
    const scale = 2 ** (1 - this.#config.bitDepth);
    for (const [i, samples] of this.#samples.entries()) {
      for (let at = 0; at < length; at++) this.#pcm[i]![at] = samples[at]! * scale;
    }
    return { pcm: this.#pcm, length };
  }

  /** Reads one channel or a pair from `first` on. Answers how many samples; null: damaged. */
  #readChannels(bits: BitReader, first: number, width: 1 | 2): number | null {
    bits.read(4);
    if (bits.read(12) !== 0) return null;
    const isPartial = bits.readBit();
    const lowBytes = bits.read(2);
    const isPlain = bits.readBit();
    const count = isPartial ? bits.readLong(32) : this.#config.frameSamples;
    if (count === 0 || count > this.#config.frameSamples || lowBytes === 3) return null;
    const channels = this.#samples.slice(first, first + width);
    if (isPlain) {
      for (let i = 0; i < count; i++)
        for (const samples of channels) samples[i] = bits.readSigned(this.#config.bitDepth);
      return count;
    }
    // The sum and difference of a pair need one bit more than each.
    const depth = this.#config.bitDepth - lowBytes * 8 + width - 1;
    if (depth < 1 || depth > 32) return null;
    const mixBits = bits.read(8);
    const mixWeight = bits.readSigned(8);
    const predictors = channels.map(() => readPredictor(bits));
    for (let i = 0; i < count && lowBytes > 0; i++) {
      for (let c = 0; c < width; c++) this.#lowBits[first + c]![i] = bits.read(lowBytes * 8);
    }
    for (const [i, samples] of channels.entries()) this.#readSamples(bits, predictors[i]!, depth, samples, count);
    if (width === 2 && mixWeight !== 0) unmix(channels[0]!, channels[1]!, count, mixBits, mixWeight);
    for (let c = 0; c < width && lowBytes > 0; c++)
      appendBits(channels[c]!, this.#lowBits[first + c]!, lowBytes * 8, count);
    return count;
  }

  #readSamples(bits: BitReader, predictor: Predictor, depth: number, samples: Int32Array, count: number): void {
    const { historyMultiplier } = this.#config;
    const multiplier = Math.floor((historyMultiplier * predictor.historyFactor) / 4);
    readResidual(bits, this.#config, multiplier, depth, samples, count);
    if (predictor.mode !== 0) integrate(samples, count, depth);
    if (predictor.coefficients.length === firstOrder) integrate(samples, count, depth);
    else predict(samples, count, predictor.coefficients, predictor.shift, depth);
  }
}

type Predictor = { mode: number; shift: number; historyFactor: number; coefficients: Int16Array };

function readPredictor(bits: BitReader): Predictor {
  const mode = bits.read(4);
  const shift = bits.read(4);
  const historyFactor = bits.read(3);
  const coefficients = Int16Array.from({ length: bits.read(5) }, () => bits.read(16));
  return { mode, shift, historyFactor, coefficients };
}

/** A pair is coded as a weighted sum and the difference. */
function unmix(first: Int32Array, second: Int32Array, count: number, mixBits: number, mixWeight: number): void {
  for (let i = 0; i < count; i++) {
    const difference = second[i]!;
    const left = first[i]! + difference - (Math.imul(mixWeight, difference) >> mixBits);
    first[i] = left;
    second[i] = left - difference;
  }
}

/** The lowest bits are no better than noise, so they are kept as they are. */
function appendBits(samples: Int32Array, lowBits: Int32Array, width: number, count: number): void {
  for (let i = 0; i < count; i++) samples[i] = (samples[i]! << width) | lowBits[i]!;
}

function skip(bits: BitReader, element: number): void {
  if (element === elements.bytes) bits.read(4);
  const isAligned = element === elements.bytes && bits.readBit();
  const first = element === elements.bytes ? bits.read(8) : bits.read(4);
  const isLong = first === (element === elements.bytes ? 255 : 15);
  const count = isLong ? first + bits.read(8) - (element === elements.bytes ? 0 : 1) : first;
  if (isAligned) bits.align();
  bits.position += count * 8;
}
