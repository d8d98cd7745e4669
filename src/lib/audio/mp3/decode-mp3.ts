import type { ByteSource } from "../byte-source.ts";
import { type AudioClaims, AudioError, type PcmBlock } from "../pcm.ts";
import { PcmBuilder } from "../pcm-builder.ts";
import { Mp3Decoder } from "./decoder.ts";
import { type Mp3Frame, mp3Frames } from "./frames.ts";
import { decoderDelay, type InfoTag, readInfoTag } from "./info-tag.ts";

/**
 * Decodes MPEG 1, 2 and 2.5 Layer III. What encoders put before and after the sound is left out where the file says how
 * much that is.
 */
export function* decodeMp3(source: ByteSource): Generator<PcmBlock> {
  const frames = mp3Frames(source);
  const first = firstFrame(frames);
  const tag = readInfoTag(first);
  const { channels, sampleRate } = first.header;
  const after = Math.max(0, (tag?.gaps?.after ?? 0) - decoderDelay);
  const skip = tag?.gaps ? tag.gaps.before + decoderDelay : 0;
  const pcm = new PcmBuilder(channels, sampleRate, { skip, holdBack: after });
  const decoder = new Mp3Decoder(first.header);
  let count = 0;
  for (const frame of tag === null ? prepend(first, frames) : frames) {
    count += 1;
    const block = pcm.add(decoder.decode(frame), frame.header.samples);
    if (block !== null) yield block;
  }
  if (count === 0) throw new AudioError("empty", "MP3 file holds no audio.");
  if (!decoder.hasDecoded) throw new AudioError("corrupt", "MP3 file holds no readable audio frame.");
  // A file that was cut, or joined from two, doesn't end where its first frame says.
  const last = pcm.finish(tag?.frames === count ? after : 0);
  if (last !== null) yield last;
}

/** What the header claims. Throws `AudioError` like decoding. */
export function probeMp3(source: ByteSource): AudioClaims {
  const first = firstFrame(mp3Frames(source));
  const { channels, sampleRate, samples, bitrate } = first.header;
  const claimedSeconds = secondsOf(readInfoTag(first), samples, sampleRate) ?? (source.size * 8) / bitrate;
  return { format: "mp3", sampleRate, channels, claimedSeconds };
}

function secondsOf(tag: InfoTag | null, samplesPerFrame: number, sampleRate: number): number | null {
  if (tag === null || tag.frames === null) return null;
  const gaps = tag.gaps === null ? 0 : tag.gaps.before + tag.gaps.after;
  return Math.max(0, tag.frames * samplesPerFrame - gaps) / sampleRate;
}

function firstFrame(frames: Generator<Mp3Frame>): Mp3Frame {
  const first = frames.next();
  if (first.done === true) throw new AudioError("corrupt", "MP3 file holds no audio frame that is whole.");
  return first.value;
}

function* prepend(first: Mp3Frame, rest: Generator<Mp3Frame>): Generator<Mp3Frame> {
  yield first;
  yield* rest;
}
