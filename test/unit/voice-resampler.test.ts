import { expect, setDefaultTimeout, test } from "bun:test";
import { Resampler, resample } from "../../src/lib/voice-engine/resampler.ts";
import { joined, levelDb, tone } from "../support/voice-signals.ts";

// Minutes of sound are read: slow on a busy machine.
setDefaultTimeout(60_000);

const rates = [
  [44_100, 24_000],
  [48_000, 24_000],
  [8_000, 24_000],
  [22_050, 24_000],
  [24_000, 16_000],
  [44_099, 24_000],
] as const;

test.each(rates)("a tone keeps frequency, phase and level from %d to %d Hz", (from, to) => {
  const changed = resample(tone(1000, 0.5, from), from, to);
  const wanted = tone(1000, 0.5, to);
  expect(changed).toHaveLength(wanted.length);
  const middle = (signal: Float32Array) => signal.subarray(1000, signal.length - 1000);
  const error = middle(changed).map((value, i) => value - middle(wanted)[i]!);
  expect(levelDb(error)).toBeLessThan(-75);
});

test("what the new rate can't hold is taken out, not folded down", () => {
  const changed = resample(tone(13_000, 0.5, 44_100), 44_100, 24_000);
  expect(levelDb(changed.subarray(1000, 11_000))).toBeLessThan(-80);
});

test("blocks of any size give the same signal as one block", () => {
  const signal = tone(440, 0.3, 44_100);
  const resampler = new Resampler(44_100, 24_000);
  const parts: Float32Array[] = [];
  for (let start = 0, size = 1; start < signal.length; start += size, size = (size * 7) % 3001)
    parts.push(resampler.push(signal.subarray(start, start + size)));
  parts.push(resampler.flush());
  expect(joined(...parts)).toEqual(resample(signal, 44_100, 24_000));
});

test("the length is that of the input in seconds, even for a single sample", () => {
  expect(resample(new Float32Array(1), 8_000, 24_000)).toHaveLength(3);
  expect(resample(new Float32Array(0), 8_000, 24_000)).toHaveLength(0);
});
