import { type ByteSource, tailOf } from "./byte-source.ts";
import { decodeFlac, probeFlac } from "./flac/decode-flac.ts";
import { id3TagsEnd } from "./id3.ts";
import { type AudioClaims, AudioError, type AudioFormat, type PcmBlock } from "./pcm.ts";
import { decodeMp3, probeMp3 } from "./mp3/decode-mp3.ts";
import { decodeM4a, probeM4a } from "./mp4/decode-m4a.ts";
import { knownOther, sniffAudio, sniffLength } from "./sniff.ts";
import { decodeWav, probeWav } from "./wav/decode-wav.ts";

// Entry point for worker threads: everything about decoding and encoding. Code that only detects formats imports
// sniff.ts, which does not load the tables of the codecs.
export type { ByteSource } from "./byte-source.ts";
export { bytesSource, fileSource } from "./byte-source.ts";
export { AudioError, type AudioClaims, type AudioErrorCode, type AudioFormat, type PcmBlock } from "./pcm.ts";
export { M4aEncoder } from "./mp4/encode-m4a.ts";
export { sniffAudio, sniffLength } from "./sniff.ts";
export type { AudioTags } from "./tags.ts";
export { wavBytes, wavHeader, wavSamples } from "./wav/encode-wav.ts";

/**
 * Decodes a WAV, MP3, M4A (AAC-LC, Apple Lossless) or FLAC file block by block, in memory that doesn't grow with the
 * file. All blocks have the same sample rate and number of channels. Damaged parts of a file are skipped; a file
 * without any readable audio throws `AudioError`. A small file can contain days of silence, so stop when you have
 * enough.
 */
export function* decodeAudio(source: ByteSource): Generator<PcmBlock> {
  const { format, audio } = recognise(source);
  yield* decoders[format].decode(audio);
}

/**
 * Returns what the file claims to contain, without decoding it. Throws `AudioError` for a file that cannot be decoded.
 */
export function probeAudio(source: ByteSource): AudioClaims {
  const { format, audio } = recognise(source);
  return decoders[format].probe(audio);
}

const decoders: Record<
  AudioFormat,
  { decode(source: ByteSource): Generator<PcmBlock>; probe(source: ByteSource): AudioClaims }
> = {
  m4a: { decode: decodeM4a, probe: probeM4a },
  mp3: { decode: decodeMp3, probe: probeMp3 },
  wav: { decode: decodeWav, probe: probeWav },
  flac: { decode: decodeFlac, probe: probeFlac },
};

/** Returns the format, and the file without the ID3 tags that programs add in front of any format. */
function recognise(source: ByteSource): { format: AudioFormat; audio: ByteSource } {
  if (source.size === 0) throw new AudioError("empty", "The file is empty.");
  const tagsEnd = id3TagsEnd(source);
  if (tagsEnd >= source.size) throw new AudioError("truncated", "The file ends within its ID3 tag, before any audio.");
  const audio = tagsEnd === 0 ? source : tailOf(source, tagsEnd);
  const head = audio.read(0, sniffLength);
  const format = sniffAudio(head, audio.size);
  if (format !== null) return { format, audio };
  const other = knownOther(head);
  const what =
    other === null ? "This is not a WAV, MP3, M4A or FLAC file." : `This is ${other}, which is not supported.`;
  throw new AudioError("unsupported", `${what} Save the recording as WAV, MP3, M4A or FLAC.`);
}
