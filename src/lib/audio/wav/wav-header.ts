import type { ByteSource } from "../byte-source.ts";
import { ByteWindow } from "../byte-window.ts";
import { AudioError, checkShape } from "../pcm.ts";

/** How the samples of a WAV file are written, and where they lie. */
export type WavHeader = {
  /** The format tag: 1 PCM, 3 float, 6 A-law, 7 mu-law, others are not read. */
  encoding: number;
  channels: number;
  sampleRate: number;
  bytesPerSample: number;
  dataStart: number;
  /** Bytes of samples that are there, whatever the header claims. */
  dataBytes: number;
  /** Bytes of samples by the header; null where a program that wrote to a pipe left the field open. */
  claimedBytes: number | null;
};

/** Far more than any program puts before the samples. */
const maxChunks = 10_000;
const extensible = 0xfffe;
/** Programs that stream write zero or nearly the largest number there is, for they don't know the length. */
const openLength = 0xffff_fff0;

/** Reads the chunks of a RIFF or RF64 file up to its samples. Throws `AudioError` for what can't be used. */
export function readWavHeader(source: ByteSource): WavHeader {
  const window = new ByteWindow(source, 12);
  let format: Omit<WavHeader, "dataStart" | "dataBytes" | "claimedBytes"> | null = null;
  let longDataBytes: number | null = null;
  for (let chunks = 0; window.remaining >= 8; chunks++) {
    if (chunks === maxChunks) throw new AudioError("corrupt", "WAV file is made of too many pieces.");
    const head = window.peek(8);
    const id = String.fromCharCode(...head.subarray(0, 4));
    const size = uint32(head, 4);
    window.skip(8);
    if (id === "fmt ") format = readFormat(window.peek(Math.min(size, 40)));
    if (id === "ds64" && size >= 16) longDataBytes = readDataSize64(window.peek(16));
    if (id === "data") {
      if (format === null) throw new AudioError("corrupt", "WAV data comes before its description (fmt).");
      const written = size === 0xffff_ffff && longDataBytes !== null ? longDataBytes : size;
      const claimedBytes = written === 0 || (written >= openLength && longDataBytes === null) ? null : written;
      const dataBytes = Math.min(claimedBytes ?? Infinity, window.remaining);
      return { ...format, dataStart: window.position, dataBytes, claimedBytes };
    }
    window.skip(size + (size % 2));
  }
  if (format === null) throw new AudioError("corrupt", "WAV file has no description of its audio (fmt).");
  throw new AudioError("empty", "WAV file holds no audio.");
}

function readFormat(chunk: Uint8Array): Omit<WavHeader, "dataStart" | "dataBytes" | "claimedBytes"> {
  if (chunk.length < 16) throw new AudioError("corrupt", "WAV description (fmt) is cut off.");
  const tag = uint16(chunk, 0);
  const channels = uint16(chunk, 2);
  const sampleRate = uint32(chunk, 4);
  checkShape("WAV", channels, sampleRate);
  const encoding = tag === extensible && chunk.length >= 26 ? uint16(chunk, 24) : tag;
  const bits = uint16(chunk, 14);
  const readable: Record<number, number[]> = { 1: [8, 16, 24, 32], 3: [32, 64], 6: [8], 7: [8] };
  // A depth such as 20 bits lies in the upper bits of the next larger whole number of bytes.
  const container = Math.ceil(bits / 8) * 8;
  if (readable[encoding]?.includes(container) !== true) throw unsupported(encoding, bits);
  return { encoding, channels, sampleRate, bytesPerSample: container / 8 };
}

function unsupported(encoding: number, bits: number): AudioError {
  const names: Record<number, string> = {
    2: "Microsoft ADPCM",
    0x11: "IMA ADPCM",
    0x31: "GSM",
    0x50: "MPEG",
    0x55: "MP3",
  };
  const name = names[encoding] ?? `encoding 0x${encoding.toString(16)}`;
  return new AudioError(
    "unsupported",
    `WAV with ${name} (${bits} bits) can't be read. Save it as PCM, float, A-law or mu-law, or as MP3, M4A or FLAC.`,
  );
}

/** RF64 (EBU Tech 3306): after the 64-bit size of the file comes that of the data. */
function readDataSize64(chunk: Uint8Array): number {
  return uint32(chunk, 8) + uint32(chunk, 12) * 2 ** 32;
}

function uint16(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
}

function uint32(bytes: Uint8Array, at: number): number {
  return uint16(bytes, at) + uint16(bytes, at + 2) * 65_536;
}
