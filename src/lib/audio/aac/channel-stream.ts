import type { BitReader } from "../bit-reader.ts";
import { PrefixCode } from "../prefix-code.ts";
import type { Bands } from "./bands.ts";
import { scaleFactorCode } from "./codebook-tables.ts";
import { readSpectrum } from "./spectrum.ts";
import { readShaping, type Shaping } from "./temporal-shaping.ts";
import { codebooks, DamagedFrame, frameLines, readWindowInfo, sequences, type WindowInfo } from "./window-info.ts";

/** One channel of one frame. */
export type ChannelStream = {
  info: WindowInfo;
  /** By group and band, at group * maxBand + band. */
  codebooks: Uint8Array;
  /** Scale factors, noise energies or intensity positions, as the codebook says; at the same places. */
  scaleFactors: Int16Array;
  shaping: Shaping | null;
  /** Quantised lines; those of eight windows one after the other. */
  quantised: Int32Array;
};

/** Reads an individual channel stream; `shared` is the window info that both channels of a pair have. */
export function readChannelStream(bits: BitReader, bands: Bands, shared: WindowInfo | null): ChannelStream {
  const globalGain = bits.read(8);
  const info = shared ?? readWindowInfo(bits, bands);
  const isShort = info.sequence === sequences.short;
  const sections = readSections(bits, info);
  const scaleFactors = readScaleFactors(bits, sections, globalGain);
  const pulses = bits.readBit() ? readPulses(bits, info) : [];
  const shaping = bits.readBit() ? readShaping(bits, isShort) : null;
  if (bits.readBit()) throw new DamagedFrame("gain control, which AAC-LC doesn't have");
  const quantised = new Int32Array(frameLines);
  readSpectrum(bits, info, sections, quantised);
  for (const { line, amplitude } of pulses) quantised[line]! += quantised[line]! < 0 ? -amplitude : amplitude;
  if (bits.isOverrun) throw new DamagedFrame("it ends too early");
  return { info, codebooks: sections, scaleFactors, shaping, quantised };
}

/** The codebook of each band of each group (section 4.6.3). */
function readSections(bits: BitReader, { sequence, maxBand, groups }: WindowInfo): Uint8Array {
  const lengthBits = sequence === sequences.short ? 3 : 5;
  const escape = (1 << lengthBits) - 1;
  const result = new Uint8Array(groups.length * maxBand);
  for (let group = 0; group < groups.length; group++) {
    for (let band = 0; band < maxBand;) {
      const codebook = bits.read(4);
      let length = 0;
      let part = escape;
      while (part === escape && !bits.isOverrun) {
        part = bits.read(lengthBits);
        length += part;
      }
      if (codebook === 12 || length === 0 || band + length > maxBand) throw new DamagedFrame("bands that don't fit");
      result.fill(codebook, group * maxBand + band, group * maxBand + band + length);
      band += length;
    }
  }
  return result;
}

const differences = new PrefixCode(scaleFactorCode);

/** Each is coded as the difference from the previous one of its kind (sections 4.6.2, 4.6.8.2.3 and 4.6.13.3). */
function readScaleFactors(bits: BitReader, sections: Uint8Array, globalGain: number): Int16Array {
  const result = new Int16Array(sections.length);
  let gain = globalGain;
  let noise = globalGain - 90;
  let position = 0;
  let isFirstNoise = true;
  for (const [i, codebook] of sections.entries()) {
    if (codebook === codebooks.zero) continue;
    if (codebook === codebooks.noise) {
      noise += isFirstNoise ? bits.read(9) - 256 : differences.read(bits) - 60;
      isFirstNoise = false;
      result[i] = noise;
    } else if (codebook > codebooks.noise) {
      position += differences.read(bits) - 60;
      result[i] = position;
    } else {
      gain += differences.read(bits) - 60;
      if (gain < 0 || gain > 255) throw new DamagedFrame("a scale factor out of range");
      result[i] = gain;
    }
  }
  return result;
}

type Pulse = { line: number; amplitude: number };

/** Single lines that were made smaller before coding (section 4.6.3.3). */
function readPulses(bits: BitReader, { sequence, bandStarts }: WindowInfo): Pulse[] {
  if (sequence === sequences.short) throw new DamagedFrame("pulses in short windows");
  const count = bits.read(2) + 1;
  let line = bandStarts[bits.read(6)] ?? frameLines;
  return Array.from({ length: count }, () => {
    line += bits.read(5);
    const amplitude = bits.read(4);
    if (line >= frameLines) throw new DamagedFrame("a pulse beyond the spectrum");
    return { line, amplitude };
  });
}
