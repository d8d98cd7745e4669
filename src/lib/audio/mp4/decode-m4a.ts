import { AacDecoder, aacFrameSamples } from "../aac/decoder.ts";
import { readAacConfig } from "../aac/config.ts";
import { AlacDecoder } from "../alac/decoder.ts";
import { readAlacConfig } from "../alac/config.ts";
import type { ByteSource } from "../byte-source.ts";
import { type AudioClaims, AudioError, type PcmBlock } from "../pcm.ts";
import { PcmBuilder } from "../pcm-builder.ts";
import { samplesOf } from "./samples.ts";
import { type AudioTrack, readAudioTrack } from "./track.ts";

/** A codec inside M4A. `decode` answers how many samples a channel came out into `pcm`; null: a damaged frame. */
type FrameDecoder = {
  sampleRate: number;
  channels: number;
  /** Samples a channel in every frame but the last. */
  frameSamples: number;
  decode(frame: Uint8Array): DecodedFrame | null;
};
type DecodedFrame = { pcm: Float32Array[]; length: number };

/** Damaged frames that are borne before the file is given up, beyond as many as could be decoded. */
const maxDamagedFrames = 2_000;
/** The longest frame of AAC is 6,144 bits a channel; Apple Lossless has some tens of kilobytes. */
const maxFrameLength = 1_000_000;

/**
 * Decodes AAC-LC or Apple Lossless in an MP4 file, whole or in fragments; only what its edit list means to be heard.
 * Frames that are damaged are left out.
 */
export function* decodeM4a(source: ByteSource): Generator<PcmBlock> {
  const track = readAudioTrack(source);
  const codec = frameDecoder(track);
  const inSamples = (seconds: number) => Math.round(seconds * codec.sampleRate);
  const start = inSamples(track.editStartSeconds);
  // A frame is made of itself and the one before; all frames before that needn't be decoded.
  let passed = Math.max(0, Math.floor(start / codec.frameSamples) - 1);
  const pcm = new PcmBuilder(codec.channels, codec.sampleRate, {
    skip: start - passed * codec.frameSamples,
    ...(track.editSeconds !== null && { limit: inSamples(track.editSeconds) }),
  });
  let decoded = 0;
  let damaged = 0;
  for (const { offset, size } of samplesOf(source, track)) {
    if (passed > 0) {
      passed -= 1;
      continue;
    }
    const frame = size > maxFrameLength ? null : codec.decode(source.read(offset, size));
    if (frame === null) damaged += 1;
    else decoded += 1;
    if (damaged > decoded + maxDamagedFrames) break;
    const block = frame === null ? null : pcm.add(frame.pcm, frame.length);
    if (block !== null) yield block;
    if (pcm.isFull) break;
  }
  if (decoded === 0) throw nothingDecoded(track, damaged);
  const last = pcm.finish();
  if (last !== null) yield last;
}

/** What the header claims. Throws `AudioError` like decoding. */
export function probeM4a(source: ByteSource): AudioClaims {
  const track = readAudioTrack(source);
  const { sampleRate, channels } = frameDecoder(track);
  return { format: "m4a", sampleRate, channels, claimedSeconds: track.editSeconds ?? track.claimedSeconds };
}

function nothingDecoded({ claimedSeconds }: AudioTrack, damaged: number): AudioError {
  if (damaged > 0) return new AudioError("corrupt", "M4A file holds no readable audio frame.");
  if (claimedSeconds !== null) return new AudioError("truncated", "The audio data of the M4A file is cut off.");
  return new AudioError("empty", "M4A file holds no audio.");
}

function frameDecoder({ entry }: AudioTrack): FrameDecoder {
  if (entry.codec === "alac") {
    const config = readAlacConfig(entry.config);
    const decoder = new AlacDecoder(config);
    return { ...config, decode: (frame) => decoder.decode(frame) };
  }
  const config = readAacConfig(entry.config);
  const decoder = new AacDecoder(config);
  return {
    ...config,
    frameSamples: aacFrameSamples,
    decode(frame) {
      const pcm = decoder.decode(frame);
      return pcm === null ? null : { pcm, length: aacFrameSamples };
    },
  };
}
