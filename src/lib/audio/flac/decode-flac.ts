import { BitReader, padded } from "../bit-reader.ts";
import type { ByteSource } from "../byte-source.ts";
import { ByteWindow } from "../byte-window.ts";
import { type AudioClaims, AudioError, clamp, type PcmBlock } from "../pcm.ts";
import { crc16 } from "./crc.ts";
import { type FrameHeader, maxFrameHeaderLength, readFrameHeader } from "./frame-header.ts";
import { readStreamInfo, type StreamInfo } from "./stream-info.ts";
import { readSubframe } from "./subframe.ts";

/**
 * Decodes the frames of a FLAC file (RFC 9639), one block each, bit exact. Frames with a wrong CRC are skipped, and
 * decoding continues with the next valid one.
 */
export function* decodeFlac(source: ByteSource): Generator<PcmBlock> {
  const info = readStreamInfo(source);
  const window = new ByteWindow(source, info.framesStart);
  const workspace = new Workspace();
  let frames = 0;
  // In samples. A hostile file can hold headers everywhere, each of which costs the decoding of a long frame that fails.
  let wasteAllowed = source.size + 16_000_000;
  while (skipToSync(window)) {
    const frame = readFrame(window, info, workspace);
    if (frame.pcm === null) {
      wasteAllowed -= frame.wastedSamples;
      if (wasteAllowed < 0) throw new AudioError("corrupt", "FLAC file is damaged in too many places.");
      window.skip(1);
    } else {
      frames += 1;
      window.skip(frame.length);
      yield frame.pcm;
    }
  }
  if (frames > 0) return;
  if (source.size <= info.framesStart)
    throw new AudioError("truncated", "FLAC file ends before its first audio frame.");
  throw new AudioError("corrupt", "FLAC file holds no readable audio frame.");
}

/** What the header claims. Throws `AudioError` like decoding. */
export function probeFlac(source: ByteSource): AudioClaims {
  const { sampleRate, channels, totalSamples } = readStreamInfo(source);
  const claimedSeconds = totalSamples === null ? null : totalSamples / sampleRate;
  return { format: "flac", sampleRate, channels, claimedSeconds };
}

/** Goes to the next place where a frame may begin; false: there is none. */
function skipToSync(window: ByteWindow): boolean {
  while (window.remaining > 2) {
    const bytes = window.peek(4096);
    for (let i = 0; i + 1 < bytes.length; i++) {
      if (bytes[i] !== 0xff || (bytes[i + 1]! & 0xfe) !== 0xf8) continue;
      window.skip(i);
      return true;
    }
    window.skip(bytes.length - 1);
  }
  return false;
}

type Frame = { pcm: PcmBlock; length: number } | { pcm: null; isCutOff: boolean; wastedSamples: number };

const noFrame: Frame = { pcm: null, isCutOff: false, wastedSamples: 0 };

function readFrame(window: ByteWindow, info: StreamInfo, workspace: Workspace): Frame {
  const head = padded(window.peek(maxFrameHeaderLength));
  const header = readFrameHeader(new BitReader(head), head, info);
  if (header === null || header.channels !== info.channels || header.sampleRate !== info.sampleRate) return noFrame;
  // Frames are short against this bound as a rule, so it is tried with a part first.
  const bound = maxFrameLength(header);
  for (let length = Math.min(bound, 32_768); ; length = Math.min(bound, length * 8)) {
    const bytes = workspace.load(window.peek(length));
    const frame = decodeFrame(bytes, info, workspace);
    if (frame.pcm !== null || !frame.isCutOff || length >= bound || bytes.length < length) return frame;
  }
}

/** A frame is never longer than its samples written out, with some bytes around them. */
function maxFrameLength({ channels, blockSize, bitsPerSample }: FrameHeader): number {
  return maxFrameHeaderLength + channels * (Math.ceil((blockSize * (bitsPerSample + 1)) / 8) + 64) + 2;
}

function decodeFrame(bytes: PaddedBytes, info: StreamInfo, workspace: Workspace): Frame {
  const bits = new BitReader(bytes.buffer, bytes.length);
  const header = readFrameHeader(bits, bytes.buffer, info);
  if (header === null) return noFrame;
  const failed = (): Frame => {
    return { pcm: null, isCutOff: bits.isOverrun, wastedSamples: header.channels * header.blockSize };
  };
  const channels = Array.from({ length: header.channels }, (_, channel) =>
    workspace.channel(channel, header.blockSize),
  );
  for (const [channel, samples] of channels.entries()) {
    if (!readSubframe(bits, subframeDepth(header, channel), samples)) return failed();
  }
  bits.align();
  const end = bits.position / 8;
  const crc = bits.read(16);
  if (bits.isOverrun || crc !== crc16(bytes.buffer, 0, end)) return failed();
  separateStereo(header, channels);
  const scale = 2 ** (1 - header.bitsPerSample);
  const pcm = { channels: channels.map((samples) => toFloat(samples, scale)), sampleRate: header.sampleRate };
  return { pcm, length: end + 2 };
}

/** The difference of two channels needs one bit more than each of them. */
function subframeDepth({ stereo, bitsPerSample }: FrameHeader, channel: number): number {
  const sideChannel = stereo === "side-right" ? 0 : stereo === "independent" ? -1 : 1;
  return channel === sideChannel ? bitsPerSample + 1 : bitsPerSample;
}

function separateStereo({ stereo }: FrameHeader, channels: Float64Array[]): void {
  const [first, second] = channels;
  if (stereo === "independent" || first === undefined || second === undefined) return;
  for (let i = 0; i < first.length; i++) {
    const a = first[i]!;
    const b = second[i]!;
    if (stereo === "left-side") second[i] = a - b;
    else if (stereo === "side-right") first[i] = a + b;
    else {
      // The middle lost its lowest bit when it was halved; the side has the same one.
      const sum = a * 2 + (b & 1);
      first[i] = (sum + b) / 2;
      second[i] = (sum - b) / 2;
    }
  }
}

function toFloat(samples: Float64Array, scale: number): Float32Array {
  const floats = new Float32Array(samples.length);
  for (let i = 0; i < samples.length; i++) floats[i] = samples[i]! * scale;
  return clamp(floats);
}

type PaddedBytes = { buffer: Uint8Array; length: number };

/** Memory that is used again for every frame. */
class Workspace {
  #bytes = new Uint8Array(0);
  readonly #channels: Float64Array[] = [];

  load(bytes: Uint8Array): PaddedBytes {
    if (this.#bytes.length < bytes.length + 8) this.#bytes = new Uint8Array(bytes.length + 8);
    this.#bytes.set(bytes);
    this.#bytes.fill(0, bytes.length, bytes.length + 8);
    return { buffer: this.#bytes, length: bytes.length };
  }

  channel(index: number, length: number): Float64Array {
    let samples = this.#channels[index];
    if (samples === undefined || samples.length < length) samples = new Float64Array(length);
    this.#channels[index] = samples;
    return samples.subarray(0, length);
  }
}
