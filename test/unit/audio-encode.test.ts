import { describe, expect, test } from "bun:test";
import { bytesSource, M4aEncoder, probeAudio } from "../../src/lib/audio/audio.ts";
import { decoded } from "../support/audio-files.ts";
import { seeded } from "../support/random.ts";
import { signalToNoise, sound } from "../support/sound.ts";

function encoded(samples: Float32Array, sampleRate: number, bitrate?: number): Uint8Array {
  const encoder = new M4aEncoder(sampleRate, bitrate);
  encoder.add(samples);
  return encoder.finish();
}

test.each([
  [8_000, 24_000, 18],
  [16_000, 32_000, 15],
  [22_050, 48_000, 18],
  [24_000, 64_000, 20],
  [44_100, 64_000, 15],
])("sound at %d Hz and %d bit/s comes back as long as it was, and alike", (sampleRate, bitrate, decibels) => {
  const samples = sound(sampleRate, 3);
  const bytes = encoded(samples, sampleRate, bitrate);
  const read = decoded(bytes);
  expect(read.sampleRate).toBe(sampleRate);
  expect(read.channels.length).toBe(1);
  expect(read.channels[0]!.length).toBe(samples.length);
  expect(signalToNoise(samples, read.channels[0]!)).toBeGreaterThan(decibels);
  // The index, and bits that are saved up, may add a little.
  expect(bytes.length).toBeLessThan((bitrate / 8) * 3 * 1.15 + 1500);
});

test.each([1, 1023, 1024, 1025, 5000])("%d samples stay %d samples", (length) => {
  expect(decoded(encoded(sound(16_000, length / 16_000), 16_000)).channels[0]!.length).toBe(length);
});

test("samples may come in pieces of any length", () => {
  const samples = sound(16_000, 1);
  const encoder = new M4aEncoder(16_000);
  for (let at = 0, length = 1; at < samples.length; at += length, length = (length * 7 + 3) % 2000) {
    encoder.add(samples.subarray(at, at + length));
  }
  expect(encoder.finish()).toEqual(encoded(samples, 16_000));
});

test("silence takes next to nothing and stays silent", () => {
  const bytes = encoded(new Float32Array(160_000), 16_000);
  expect(bytes.length).toBeLessThan(4000);
  expect(decoded(bytes).channels[0]!.every((sample) => sample === 0)).toBeTrue();
});

describe("sounds that are hard to code stay within the bounds of the format", () => {
  const random = seeded(1);
  const noise = Float32Array.from({ length: 20_000 }, () => random() * 2 - 1);
  test.each([
    ["noise at full scale", noise],
    ["a square wave", noise.map((_, i) => (i % 40 < 20 ? 1 : -1))],
    ["single pulses", noise.map((_, i) => (i % 1700 === 0 ? 1 : 0))],
    ["the smallest step", noise.map((_, i) => (i % 7 < 3 ? 1 : 0) / 32_768)],
    ["samples far beyond full scale", noise.map((sample) => sample * 100)],
  ])("%s", (_, samples) => {
    for (const [sampleRate, bitrate] of [
      [8_000, 8_000],
      [16_000, 200_000],
      [48_000, 64_000],
    ] as const) {
      // A frame that went wrong would be missing, and the sound shorter.
      expect(decoded(encoded(samples, sampleRate, bitrate)).channels[0]!.length).toBe(samples.length);
    }
  });
});

test("the file tells its length and carries its texts, and its index comes before the sound", () => {
  const encoder = new M4aEncoder(24_000);
  encoder.add(sound(24_000, 2));
  const bytes = encoder.finish({ title: "Grüße", comment: "AI-generated voice" });
  expect(probeAudio(bytesSource(bytes))).toEqual({ format: "m4a", sampleRate: 24_000, channels: 1, claimedSeconds: 2 });
  const text = Buffer.from(bytes).toString("latin1");
  expect(text.indexOf("moov")).toBeLessThan(text.indexOf("mdat"));
  expect(Buffer.from(bytes).includes("Grüße")).toBeTrue();
  expect(text).toContain("\xa9cmt\0\0\0\x22data\0\0\0\x01\0\0\0\0AI-generated voice");
});

test("a sample rate that AAC doesn't have is refused", () => {
  expect(() => new M4aEncoder(23_000)).toThrow(RangeError);
});
