import { BitReader, padded } from "../bit-reader.ts";
import type { ByteSource } from "../byte-source.ts";
import { AudioError, checkShape } from "../pcm.ts";

/** The first metadata block of every FLAC file (RFC 9639, section 8.2). */
export type StreamInfo = {
  sampleRate: number;
  channels: number;
  bitsPerSample: number;
  /** null: unknown when the file was written. */
  totalSamples: number | null;
  /** Where the first frame is. */
  framesStart: number;
};

const streamInfoLength = 34;

/** Reads the metadata up to the first frame. Throws `AudioError` for what can't be used. */
export function readStreamInfo(source: ByteSource): StreamInfo {
  let at = "fLaC".length;
  let found: Omit<StreamInfo, "framesStart"> | null = null;
  for (let isLast = false; !isLast;) {
    const head = source.read(at, 4);
    if (head.length < 4) throw new AudioError("truncated", "FLAC metadata is cut off.");
    isLast = (head[0]! & 0x80) !== 0;
    const length = (head[1]! << 16) | (head[2]! << 8) | head[3]!;
    if ((head[0]! & 0x7f) === 0) found = parse(source.read(at + 4, streamInfoLength));
    at += 4 + length;
  }
  if (found === null) throw new AudioError("corrupt", "FLAC file has no description of its audio (STREAMINFO).");
  return { ...found, framesStart: at };
}

function parse(block: Uint8Array): Omit<StreamInfo, "framesStart"> {
  if (block.length < streamInfoLength) throw new AudioError("truncated", "FLAC metadata is cut off.");
  const bits = new BitReader(padded(block), streamInfoLength, 10);
  const sampleRate = bits.read(20);
  const channels = bits.read(3) + 1;
  const bitsPerSample = bits.read(5) + 1;
  checkShape("FLAC", channels, sampleRate);
  return { sampleRate, channels, bitsPerSample, totalSamples: bits.readLong(36) || null };
}
