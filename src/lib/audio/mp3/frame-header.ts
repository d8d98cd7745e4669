/** The four bytes that begin every frame of MPEG audio Layer III (ISO/IEC 11172-3 section 2.4.2.3, 13818-3). */
export type Mp3FrameHeader = {
  /** MPEG 2.5 halves the sample rates of MPEG 2 once more and is like it otherwise. */
  version: 1 | 2 | 2.5;
  sampleRate: number;
  channels: 1 | 2;
  /** Which joint codings of two channels the frame uses. */
  midSide: boolean;
  intensity: boolean;
  /** A CRC of two bytes follows the header. */
  hasCrc: boolean;
  bitrate: number;
  /** Bytes of the whole frame. */
  length: number;
  /** Samples a channel: one granule of 576 or two. */
  samples: 576 | 1152;
};

const bitrates1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const bitrates2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const sampleRates = [44_100, 48_000, 32_000];
const layer3 = 1;

/**
 * Returns the header at `at`; null if it is not Layer III. Frames of "free" bit rate, which no encoder writes, are not
 * supported.
 */
export function parseFrameHeader(bytes: Uint8Array, at: number): Mp3FrameHeader | null {
  if (at + 4 > bytes.length || bytes[at] !== 0xff || (bytes[at + 1]! & 0xe0) !== 0xe0) return null;
  const [, flags = 0, rates = 0, mode = 0] = bytes.subarray(at, at + 4);
  const version = ([2.5, null, 2, 1] as const)[(flags >> 3) & 3];
  const bitrate = (version === 1 ? bitrates1 : bitrates2)[rates >> 4] ?? 0;
  const fullRate = sampleRates[(rates >> 2) & 3];
  if (version === null || version === undefined || ((flags >> 1) & 3) !== layer3) return null;
  if (bitrate === 0 || fullRate === undefined) return null;
  const sampleRate = fullRate / (version === 1 ? 1 : version === 2 ? 2 : 4);
  const samples = version === 1 ? 1152 : 576;
  const isJoint = mode >> 6 === 1;
  return {
    version,
    sampleRate,
    channels: mode >> 6 === 3 ? 1 : 2,
    midSide: isJoint && (mode & 0x20) !== 0,
    intensity: isJoint && (mode & 0x10) !== 0,
    hasCrc: (flags & 1) === 0,
    bitrate: bitrate * 1000,
    length: Math.floor(((samples / 8) * bitrate * 1000) / sampleRate) + ((rates >> 1) & 1),
    samples,
  };
}

/** Whether both can be of one stream: version and sample rate never change within it. */
export function isSameStream(a: Mp3FrameHeader, b: Mp3FrameHeader | null): boolean {
  return b !== null && a.version === b.version && a.sampleRate === b.sampleRate;
}

/**
 * Whether a frame really starts at `at`: another must follow it, for the four bytes alone occur by chance in pictures
 * and other data. `endsAt`: where the file ends, after which nothing need follow.
 */
export function isFrameAt(bytes: Uint8Array, at: number, endsAt: number): boolean {
  const header = parseFrameHeader(bytes, at);
  if (header === null) return false;
  const next = at + header.length;
  return next === endsAt || isSameStream(header, parseFrameHeader(bytes, next));
}
