import { BitReader, padded } from "../bit-reader.ts";
import { AudioError } from "../pcm.ts";
import { sampleRates } from "./bands.ts";

/** What an AAC stream says of itself before its first frame (AudioSpecificConfig, ISO/IEC 14496-3 section 1.6.2.1). */
export type AacConfig = {
  sampleRate: number;
  /** Place in `sampleRates`. */
  rateIndex: number;
  channels: number;
};

const lowComplexity = 2;
const spectralBandReplication = 5;
const parametricStereo = 29;
/** Channels by channel configuration; 0 is a custom plan, which no voice recording has. */
const channelCounts = [null, 1, 2, 3, 4, 5, 6, 8];

/**
 * HE-AAC is AAC-LC at half the sample rate with hints how to guess the upper half of the spectrum; the answer describes
 * the AAC-LC inside, for the hints are not followed. Throws `AudioError` for other kinds of AAC.
 */
export function readAacConfig(bytes: Uint8Array): AacConfig {
  if (bytes.length < 2) throw new AudioError("corrupt", "M4A file doesn't describe its AAC audio.");
  const bits = new BitReader(padded(bytes), bytes.length);
  let objectType = readObjectType(bits);
  const sampleRate = readSampleRate(bits);
  const channelConfiguration = bits.read(4);
  if (objectType === spectralBandReplication || objectType === parametricStereo) {
    readSampleRate(bits);
    objectType = readObjectType(bits);
  }
  if (objectType !== lowComplexity) throw new AudioError("unsupported", unsupportedType(objectType));
  if (bits.readBit()) throw new AudioError("unsupported", "AAC with frames of 960 samples can't be read.");
  const channels = channelCounts[channelConfiguration] ?? null;
  const rateIndex = sampleRates.indexOf(sampleRate);
  if (channels === null || rateIndex < 0) {
    throw new AudioError(
      "unsupported",
      `AAC at ${sampleRate} Hz with channel plan ${channelConfiguration} can't be read.`,
    );
  }
  return { sampleRate, rateIndex, channels };
}

function unsupportedType(objectType: number): string {
  const names: Record<number, string> = { 1: "Main", 3: "SSR", 4: "LTP", 23: "LD", 39: "ELD", 42: "USAC (xHE-AAC)" };
  return `AAC of the kind ${names[objectType] ?? objectType} can't be read. Save the recording as AAC-LC, MP3, WAV or FLAC.`;
}

function readObjectType(bits: BitReader): number {
  const short = bits.read(5);
  return short === 31 ? 32 + bits.read(6) : short;
}

function readSampleRate(bits: BitReader): number {
  const index = bits.read(4);
  return index === 15 ? bits.read(24) : (sampleRates[index] ?? 0);
}
