export const audioFormats = ["wav", "mp3", "m4a", "flac"] as const;
/** A format that voice samples may come in. */
export type AudioFormat = (typeof audioFormats)[number];

/** A block of audio: one array of samples per channel, all of the same length, from -1 to 1. */
export type PcmBlock = { channels: Float32Array[]; sampleRate: number };

/**
 * What a file claims about itself. `claimedSeconds` comes from its header, which can be wrong through damage or malice.
 */
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

/** Why a file cannot be decoded; the message is a sentence for its owner. */
export class AudioError extends Error {
  override readonly name = "AudioError";
  constructor(
    readonly code: AudioErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** Maximum samples per channel in a block, so that no header can make a block large. */
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

/** Clamps damaged or overdriven samples to -1 to 1, in place. NaN becomes silence. */
export function clamp(samples: Float32Array): Float32Array {
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i]!;
    if (!(sample >= -1 && sample <= 1)) samples[i] = sample > 1 ? 1 : sample < -1 ? -1 : 0;
  }
  return samples;
}
