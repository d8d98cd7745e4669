import type { BitReader } from "../bit-reader.ts";
import { crc8 } from "./crc.ts";
import type { StreamInfo } from "./stream-info.ts";

/** The header of a frame (RFC 9639, section 9.1). */
export type FrameHeader = {
  blockSize: number;
  sampleRate: number;
  channels: number;
  /** How the two channels of a stereo frame were combined, if they were. */
  stereo: "independent" | "left-side" | "side-right" | "mid-side";
  bitsPerSample: number;
};

/** The longest header: sync and flags 4, number 7, block size 2, sample rate 2, CRC 1. */
export const maxFrameHeaderLength = 16;

const sampleRates = [0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000];
const bitDepths = [0, 8, 12, 0, 16, 20, 24, 32];
const stereoModes = ["left-side", "side-right", "mid-side"] as const;

/** Reads and consumes the header at the start of `bytes`; null if there is none or its CRC is wrong. */
export function readFrameHeader(bits: BitReader, bytes: Uint8Array, info: StreamInfo): FrameHeader | null {
  if (bits.read(15) !== 0x7ffc) return null;
  bits.read(1); // whether blocks vary in size: each frame tells its own
  const sizeCode = bits.read(4);
  const rateCode = bits.read(4);
  const channelCode = bits.read(4);
  const depthCode = bits.read(3);
  if (bits.read(1) !== 0 || !skipNumber(bits)) return null;
  const blockSize = readBlockSize(bits, sizeCode);
  const sampleRate = readSampleRate(bits, rateCode) ?? info.sampleRate;
  const headerLength = bits.position / 8;
  if (bits.read(8) !== crc8(bytes, 0, headerLength)) return null;
  const bitsPerSample = depthCode === 0 ? info.bitsPerSample : bitDepths[depthCode]!;
  if (blockSize === 0 || sampleRate === 0 || bitsPerSample === 0 || channelCode > 10) return null;
  const stereo = stereoModes[channelCode - 8] ?? "independent";
  return { blockSize, sampleRate, channels: channelCode < 8 ? channelCode + 1 : 2, stereo, bitsPerSample };
}

/** The number of the frame or sample, coded as UTF-8 is, up to seven bytes; false: not coded so. */
function skipNumber(bits: BitReader): boolean {
  const leadingOnes = Math.clz32(~(bits.read(8) << 24));
  if (leadingOnes === 1 || leadingOnes === 8) return false;
  for (let byte = 1; byte < leadingOnes; byte++) if (bits.read(8) >> 6 !== 2) return false;
  return true;
}

function readBlockSize(bits: BitReader, code: number): number {
  if (code === 0) return 0;
  if (code === 1) return 192;
  if (code <= 5) return 576 << (code - 2);
  if (code === 6) return bits.read(8) + 1;
  if (code === 7) return bits.read(16) + 1;
  return 256 << (code - 8);
}

/** null: as the stream says; 0: forbidden. */
function readSampleRate(bits: BitReader, code: number): number | null {
  if (code === 0) return null;
  if (code === 12) return bits.read(8) * 1000;
  if (code === 13) return bits.read(16);
  if (code === 14) return bits.read(16) * 10;
  return sampleRates[code] ?? 0;
}
