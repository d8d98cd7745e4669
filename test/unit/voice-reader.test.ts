import { expect, setDefaultTimeout, test } from "bun:test";
import { ClipMeter } from "../../src/lib/voice-engine/clip-meter.ts";
import { HighPass } from "../../src/lib/voice-engine/high-pass.ts";
import { keptRate, maxReadSeconds, SampleReader } from "../../src/lib/voice-engine/sample-reader.ts";
import { levelDb, noise, tone } from "../support/voice-signals.ts";

// Minutes of sound are read: slow on a busy machine.
setDefaultTimeout(60_000);

function readAll(...blocks: { channels: Float32Array[]; sampleRate: number }[]) {
  const reader = new SampleReader();
  for (const block of blocks) reader.push(block);
  return reader.finish();
}

test("rumble goes, a voice stays", () => {
  const level = (hz: number) => {
    const signal = tone(hz, 1);
    new HighPass(40, 16_000).run(signal);
    return levelDb(signal.subarray(8000)) - levelDb(tone(hz, 1));
  };
  expect(level(10)).toBeLessThan(-20);
  expect(level(40)).toBeCloseTo(-3, 1);
  expect(Math.abs(level(120))).toBeLessThan(0.1);
});

test("channels are mixed to one", () => {
  const { signal, channels, sampleRate } = readAll({
    channels: [tone(440, 0.5), tone(440, 0.5).map((v) => -v)],
    sampleRate: 16_000,
  });
  expect({ channels, sampleRate }).toEqual({ channels: 2, sampleRate: 16_000 });
  expect(levelDb(signal)).toBeLessThan(-100);
});

test("what a caller passed in stays as it was", () => {
  const block = tone(440, 0.1, keptRate);
  readAll({ channels: [block], sampleRate: keptRate });
  expect(block).toEqual(tone(440, 0.1, keptRate));
});

test("values beyond full scale and values that are no numbers do no harm", () => {
  const wild = tone(440, 0.2).map((value, i) => (i % 50 === 0 ? NaN : i % 70 === 0 ? 300 : value));
  const { signal } = readAll({ channels: [wild], sampleRate: 16_000 });
  expect(signal.every((value) => Math.abs(value) < 2)).toBe(true);
});

test("a file that changes its rate on the way keeps its length in seconds", () => {
  const { signal, sampleRate } = readAll(
    { channels: [tone(440, 0.5, 44_100)], sampleRate: 44_100 },
    { channels: [tone(440, 0.5, 22_050)], sampleRate: 22_050 },
  );
  expect(signal.length).toBe(keptRate);
  expect(sampleRate).toBe(44_100);
});

test("blocks without channels or with an impossible rate are passed over", () => {
  const { signal, sampleRate } = readAll(
    { channels: [], sampleRate: 16_000 },
    { channels: [tone(440, 0.1)], sampleRate: 0 },
    { channels: [tone(440, 0.1)], sampleRate: NaN },
  );
  expect({ length: signal.length, sampleRate }).toEqual({ length: 0, sampleRate: 0 });
});

test("reading is full after five minutes", () => {
  const reader = new SampleReader();
  const minute = new Float32Array(60 * 8000);
  for (let i = 0; i < 6; i++) reader.push({ channels: [minute], sampleRate: 8000 });
  expect(reader.isFull).toBe(true);
  expect(reader.finish().signal.length).toBe(maxReadSeconds * keptRate);
});

function clippedShare(signal: Float32Array): number {
  const meter = new ClipMeter();
  for (let start = 0; start < signal.length; start += 1000) meter.push([signal.subarray(start, start + 1000)]);
  return meter.clippedShare();
}

test("flat tops are found at full scale and after turning down", () => {
  const clipped = tone(300, 1).map((value) => Math.max(-0.4, Math.min(0.4, value)));
  expect(clippedShare(clipped)).toBeCloseTo(0.41, 1);
  expect(clippedShare(clipped.map((value) => value * 0.3))).toBeCloseTo(0.41, 1);
});

test("loud but whole waves, noise and silence are not clipped", () => {
  expect(clippedShare(tone(300, 1, 48_000, 1))).toBeLessThan(0.001);
  expect(clippedShare(noise(1, 16_000, 1))).toBe(0);
  expect(clippedShare(new Float32Array(16_000))).toBe(0);
});
