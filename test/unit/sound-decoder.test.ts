import { describe, expect, test } from "bun:test";
import { PcmDecoder, WavDecoder, type SoundDecoder } from "../../src/adapters/providers/voice/sound-decoder.ts";
import { cutWav, NoSound } from "../../src/adapters/providers/voice/wav-head.ts";
import { wavBytes } from "../../src/lib/audio/wav/encode-wav.ts";
import { openWavHead } from "../support/vendors/speech.ts";

/** A WAV file of one-channel or interleaved frames, with whatever the test wants in its header. */
function wav(
  frames: Uint8Array,
  { tag = 1, channels = 1, rate = 24_000, bits = 16, size = frames.length, before = Buffer.alloc(0), extra = 0 } = {},
): Buffer {
  const format = Buffer.alloc(8 + 16 + extra);
  format.write("fmt ", "latin1");
  format.writeUInt32LE(16 + extra, 4);
  format.writeUInt16LE(extra > 0 ? 0xfffe : tag, 8);
  format.writeUInt16LE(channels, 10);
  format.writeUInt32LE(rate, 12);
  format.writeUInt16LE(bits, 22);
  if (extra > 0) format.writeUInt16LE(tag, 32);
  const data = Buffer.alloc(8);
  data.write("data", "latin1");
  data.writeUInt32LE(size, 4);
  return Buffer.concat([Buffer.from("RIFF\xff\xff\xff\xffWAVE", "latin1"), before, format, data, frames]);
}

function decoded(decoder: SoundDecoder, bytes: Uint8Array, pieceBytes: number): number[] {
  const samples: number[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes)
    samples.push(...decoder.decode(bytes.subarray(at, at + pieceBytes)));
  return samples;
}

const int16 = (...values: number[]) => new Uint8Array(Int16Array.from(values).buffer);

describe("WAV", () => {
  test.each<[string, Buffer, number[]]>([
    ["16 bits", wav(int16(0, 16_384, -32_768)), [0, 0.5, -1]],
    ["24 bits", wav(new Uint8Array([0, 0, 64, 0, 0, 128]), { bits: 24 }), [0.5, -1]],
    ["32 bits", wav(new Uint8Array(Int32Array.from([2 ** 30, -(2 ** 31)]).buffer), { bits: 32 }), [0.5, -1]],
    ["float", wav(new Uint8Array(Float32Array.from([0.25, 7, NaN]).buffer), { tag: 3, bits: 32 }), [0.25, 1, 0]],
    ["two channels", wav(int16(16_384, 0, -32_768, -32_768), { channels: 2 }), [0.25, -1]],
    ["an extensible description", wav(int16(16_384), { extra: 24 }), [0.5]],
    ["another chunk first", wav(int16(16_384), { before: Buffer.from("LIST\x03\0\0\0abc\0", "latin1") }), [0.5]],
    ["a length of zero", wav(int16(16_384, 0), { size: 0 }), [0.5, 0]],
    ["the largest length", wav(int16(16_384, 0), { size: 0xffff_ffff }), [0.5, 0]],
    ["a length beyond its end", wav(int16(16_384, 0), { size: 100 }), [0.5, 0]],
    ["something after the samples", wav(int16(16_384, 999, 999), { size: 2 }), [0.5]],
    ["half a sample at the end", wav(new Uint8Array([0, 64, 1])), [0.5]],
  ])("with %s is read, whatever pieces it comes in", (_what, bytes, expected) => {
    for (const pieceBytes of [1, 3, 7, 1000]) {
      const decoder = new WavDecoder();
      expect(decoded(decoder, bytes, pieceBytes)).toEqual(expected);
      expect(decoder.sampleRate).toBe(24_000);
    }
  });

  test.each<[string, Uint8Array]>([
    ["a page", Buffer.from("<html>")],
    ["JSON", Buffer.from('{"detail": "RIFF"}')],
    ["MP3", Buffer.from("ID3\x04")],
    ["other RIFF", Buffer.from("RIFF\0\0\0\0AVI LIST")],
    ["ADPCM", wav(int16(1), { tag: 2, bits: 4 })],
    ["A-law", wav(int16(1), { tag: 6, bits: 8 })],
    ["65,535 channels", wav(int16(1), { channels: 65_535 })],
    ["0 Hz", wav(int16(1), { rate: 0 })],
    ["samples without a description", Buffer.from("RIFF\0\0\0\0WAVEdata\x02\0\0\0ab")],
    ["samples that never begin", Buffer.concat([openWavHead().subarray(0, 36), Buffer.alloc(2 ** 17, "junk")])],
  ])("is not made of %s", (_what, bytes) => {
    for (const pieceBytes of [5, 100_000]) expect(() => decoded(new WavDecoder(), bytes, pieceBytes)).toThrow(NoSound);
  });

  test("is cut to its first seconds, and is a file again", () => {
    const file = wavBytes(new Float32Array(48_000).fill(0.5), 24_000, { title: "a chunk before the samples" });
    const cut = Buffer.from(cutWav(file, 0.5));
    expect(decoded(new WavDecoder(), cut, 10_000)).toHaveLength(12_000);
    expect(cut.readUInt32LE(4)).toBe(cut.length - 8);
    expect(cut.readUInt32LE(cut.indexOf("data") + 4)).toBe(24_000);
    expect(decoded(new WavDecoder(), cutWav(file, 99), 100_000)).toHaveLength(48_000);
    expect(() => cutWav(Buffer.from("RIFF\0\0\0\0WAVE"), 1)).toThrow(NoSound);
  });
});

test("PCM without a header is read, whatever pieces it comes in", () => {
  for (const pieceBytes of [1, 3, 1000])
    expect(decoded(new PcmDecoder(24_000), int16(0, 16_384, -32_768), pieceBytes)).toEqual([0, 0.5, -1]);
});
