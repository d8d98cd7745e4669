import type { ByteSource } from "../byte-source.ts";
import { type AudioClaims, AudioError, clamp, maxBlockSamples, type PcmBlock } from "../pcm.ts";
import { readWavHeader, type WavHeader } from "./wav-header.ts";

/** Decodes PCM of 8 to 32 bits, float of 32 and 64 bits, A-law and mu-law, block by block. */
export function* decodeWav(source: ByteSource): Generator<PcmBlock> {
  const header = readWavHeader(source);
  const frameBytes = header.bytesPerSample * header.channels;
  const frames = Math.floor(header.dataBytes / frameBytes);
  if (frames === 0) throw new AudioError("empty", "WAV file holds no audio.");
  const sampleAt = sampleReader(header);
  for (let first = 0; first < frames; first += maxBlockSamples) {
    const wanted = Math.min(maxBlockSamples, frames - first);
    const bytes = source.read(header.dataStart + first * frameBytes, wanted * frameBytes);
    const count = Math.floor(bytes.length / frameBytes);
    if (count === 0) return;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const channels = Array.from({ length: header.channels }, (_, channel) => {
      const samples = new Float32Array(count);
      let at = channel * header.bytesPerSample;
      for (let i = 0; i < count; i++, at += frameBytes) samples[i] = sampleAt(view, at);
      return clamp(samples);
    });
    yield { channels, sampleRate: header.sampleRate };
  }
}

/** What the header claims. Throws `AudioError` like decoding. */
export function probeWav(source: ByteSource): AudioClaims {
  const { channels, sampleRate, claimedBytes, dataBytes, bytesPerSample } = readWavHeader(source);
  const claimedSeconds = (claimedBytes ?? dataBytes) / (bytesPerSample * channels * sampleRate);
  return { format: "wav", sampleRate, channels, claimedSeconds };
}

type SampleReader = (view: DataView, at: number) => number;

function sampleReader({ encoding, bytesPerSample }: WavHeader): SampleReader {
  if (encoding === 6) return lawReader(aLaw);
  if (encoding === 7) return lawReader(muLaw);
  if (encoding === 3 && bytesPerSample === 4) return (view, at) => view.getFloat32(at, true);
  if (encoding === 3) return (view, at) => view.getFloat64(at, true);
  // 8 bits are unsigned in WAV, all others are signed.
  if (bytesPerSample === 1) return (view, at) => (view.getUint8(at) - 128) / 128;
  if (bytesPerSample === 2) return (view, at) => view.getInt16(at, true) / 32_768;
  if (bytesPerSample === 3) return (view, at) => (view.getInt8(at + 2) * 65_536 + view.getUint16(at, true)) / 8_388_608;
  return (view, at) => view.getInt32(at, true) / 2_147_483_648;
}

function lawReader(law: (code: number) => number): SampleReader {
  const samples = Float32Array.from({ length: 256 }, (_, code) => law(code) / 32_768);
  return (view, at) => samples[view.getUint8(at)]!;
}

/** ITU-T G.711: 13 bits in 8, every second bit inverted; 16-bit values come out. */
function aLaw(code: number): number {
  const bits = code ^ 0x55;
  const exponent = (bits >> 4) & 7;
  const mantissa = (bits & 15) << 4;
  const magnitude = exponent === 0 ? mantissa + 8 : (mantissa + 0x108) << (exponent - 1);
  return bits & 0x80 ? magnitude : -magnitude;
}

/** ITU-T G.711: 14 bits in 8, all inverted; 16-bit values come out. */
function muLaw(code: number): number {
  const bits = ~code & 0xff;
  const magnitude = ((((bits & 15) << 3) + 0x84) << ((bits >> 4) & 7)) - 0x84;
  return bits & 0x80 ? -magnitude : magnitude;
}
