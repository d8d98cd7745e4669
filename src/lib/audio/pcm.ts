export const audioFormats = ["wav", "mp3", "m4a", "flac"] as const;
/** A format that voice samples may come in. */
export type AudioFormat = (typeof audioFormats)[number];

/** A stretch of sound: one array of samples a channel, all of one length, within -1 to 1. */
export type PcmBlock = { channels: Float32Array[]; sampleRate: number };

/** What a file says of itself. `claimedSeconds` is its header's word, which damage or malice can make wrong. */
export type AudioClaims = {
  format: AudioFormat;
  sampleRate: number;
  channels: number;
  /** null: the file doesn't say. */
  claimedSeconds: number | null;
};

/**
 * - `unsupported`: whole, as far as it can be seen, but of a kind that isn't read here
 * - `corrupt`: damaged, or not what it pretends to be
 * - `truncated`: its end is missing and nothing can be read without it
 * - `empty`: well-formed, without any sound
 */
export type AudioErrorCode = "unsupported" | "corrupt" | "truncated" | "empty";

/** Why a file can't be decoded; the message is a sentence for the person whose file it is. */
export class AudioError extends Error {
  override readonly name = "AudioError";
  constructor(
    readonly code: AudioErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** Samples a channel that a block holds at most, so that no header can make one block large. */
export const maxBlockSamples = 65_536;

/** More channels than any recording of a voice has; a header that names more is damaged or hostile. */
export const maxChannels = 8;

const minSampleRate = 4_000;
const maxSampleRate = 384_000;

/** Throws `corrupt` for a sample rate or a number of channels that no recording has. */
export function checkShape(format: string, channels: number, sampleRate: number): void {
  const isPossible =
    channels >= 1 && channels <= maxChannels && sampleRate >= minSampleRate && sampleRate <= maxSampleRate;
  if (!isPossible) {
    throw new AudioError("corrupt", `${format} header is not usable: ${channels} channels at ${sampleRate} Hz.`);
  }
}

/** Brings damaged or overdriven samples into -1 to 1, in place; what is no number becomes silence. */
export function clamp(samples: Float32Array): Float32Array {
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i]!;
    if (!(sample >= -1 && sample <= 1)) samples[i] = sample > 1 ? 1 : sample < -1 ? -1 : 0;
  }
  return samples;
}
