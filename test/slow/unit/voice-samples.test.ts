import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { bandwidthOf } from "../../../src/lib/voice-engine/bandwidth.ts";
import { SampleAnalysis, type SampleResult } from "../../../src/lib/voice-engine/sample-analysis.ts";
import {
  reportSample,
  type SampleFindings,
  type SampleMeasures,
  type SampleProblemCode,
} from "../../../src/lib/voice-engine/sample-report.ts";
import { resample } from "../../../src/lib/voice-engine/resampler.ts";
import { countVoicesAmong } from "../../../src/lib/voice-engine/speaker-count.ts";
import { profileOf } from "../../../src/lib/voice-engine/speaker-profile.ts";
import { speechPieces, spread } from "../../../src/lib/voice-engine/speech-excerpt.ts";
import { measureSpeech } from "../../../src/lib/voice-engine/speech-frames.ts";
import { loadSilero } from "../../../src/lib/voice-engine/voice-assets.ts";
import { joined, melody, mixed, noise, speech, tone } from "../../support/voice-signals.ts";

// Seconds of sound are measured, and made by a synthesiser first: slow on a busy machine.
setDefaultTimeout(60_000);

const silero = await loadSilero();

function analyse(signal: Float32Array, sampleRate = 16_000): SampleResult {
  const analysis = new SampleAnalysis(silero);
  for (let start = 0; start < signal.length; start += 5000)
    analysis.push({ channels: [signal.subarray(start, start + 5000)], sampleRate });
  return analysis.finish();
}

const codes = ({ report }: SampleResult) => report.problems.map(({ code }) => code);

describe("one file", () => {
  test("of clear speech is measured and kept", async () => {
    const pause = new Float32Array(8000);
    const said = joined(pause, await speech("slt", 8), pause).map((value) => value * 0.6);
    const { report, frames, excerpt } = analyse(mixed(said, noise(1, 16_000, 0.0005)));
    expect(report).toMatchObject({ verdict: "good", speakers: 1, sampleRate: 16_000, channels: 1, problems: [] });
    expect(report.seconds).toBeCloseTo(9, 1);
    expect(report.speechSeconds).toBeWithin(6, 8.5);
    expect(report.snrDb).toBeGreaterThan(30);
    expect(report.bandwidthHz).toBeWithin(5500, 8001);
    expect(frames!.count).toBeWithin(500, 850);
    expect(excerpt.signal.length / excerpt.sampleRate).toBeWithin(6, 9);
  });

  test.each([
    ["empty", new Float32Array(0)],
    ["silent", new Float32Array(48_000)],
    ["no_speech", noise(3)],
    ["not_speech", tone(440, 3)],
    ["not_speech", melody(4)],
    ["no_speech", noise(0.2)],
  ])("is unusable and says %s", (code, signal) => {
    const result = analyse(signal);
    expect(codes(result)).toEqual([code as SampleProblemCode]);
    expect(result.report.verdict).toBe("unusable");
    expect(result.frames).toBeNull();
    expect(Object.values(result.report).some(Number.isNaN)).toBe(false);
  });

  test("of a fifth of a second is too short", async () => {
    const result = analyse((await speech("slt", 1)).subarray(6000, 9200));
    expect(["too_short", "no_speech"]).toContain(codes(result)[0]!);
  });

  test("over a telephone, in noise, clipped, is used with a warning", async () => {
    const said = (await speech("rms", 6)).map((value) => value * 0.5);
    expect(codes(analyse(resample(said, 16_000, 8_000), 8_000))).toContain("narrow_band");
    const inNoise = analyse(mixed(joined(said, new Float32Array(16_000)), noise(1, 16_000, 0.02)));
    expect(codes(inNoise)).toContain("noisy");
    const peak = said.reduce((highest, value) => Math.max(highest, value), 0);
    const clipped = analyse(said.map((value) => Math.max(-0.5 * peak, Math.min(0.5 * peak, value))));
    expect(codes(clipped)).toContain("clipped");
  });

  test("with two voices says so", async () => {
    const two = joined(await speech("rms", 9), await speech("slt", 9));
    expect(analyse(two).report).toMatchObject({ speakers: 2, verdict: "poor" });
  });

  test("longer than five minutes is cut off, in bounded memory", async () => {
    const said = await speech("slt", 4);
    const analysis = new SampleAnalysis(silero);
    const quiet = new Float32Array(16_000 * 4);
    for (let blocks = 0; !analysis.isFull; blocks++)
      analysis.push({ channels: [blocks % 20 === 0 ? said : quiet], sampleRate: 16_000 });
    const result = analysis.finish();
    expect(result.report.seconds).toBe(300);
    expect(codes(result)).toContain("cut_off");
  });
});

describe("the report", () => {
  const clear: SampleMeasures = {
    seconds: 60,
    speechSeconds: 50,
    snrDb: 40,
    clippedShare: 0,
    levelDb: -20,
    bandwidthHz: 8000,
    sampleRate: 44_100,
    channels: 1,
    speakers: 1,
  };
  const sure: SampleFindings = { speechLikeness: 0.95, hasVoice: true, isCutOff: false };

  test.each([
    [{}, {}, "good", []],
    [{ snrDb: 15 }, {}, "usable", ["noisy"]],
    [{ snrDb: 5 }, {}, "poor", ["noisy"]],
    [{ clippedShare: 0.002 }, {}, "usable", ["clipped"]],
    [{ clippedShare: 0.02 }, {}, "poor", ["clipped"]],
    [{ clippedShare: 0.06 }, {}, "unusable", ["clipped"]],
    [{ levelDb: -35 }, {}, "usable", ["too_quiet"]],
    [{ levelDb: -5 }, {}, "usable", ["too_loud"]],
    [{ levelDb: -60 }, {}, "unusable", ["silent"]],
    [{ bandwidthHz: 3600 }, {}, "usable", ["narrow_band"]],
    [{ speechSeconds: 20 }, {}, "usable", ["mostly_silence"]],
    [{ seconds: 5, speechSeconds: 4 }, {}, "usable", ["short"]],
    [{ seconds: 5, speechSeconds: 0.6 }, {}, "unusable", ["too_short"]],
    [{ speakers: 2, snrDb: 15 }, {}, "poor", ["several_speakers", "noisy"]],
    [{}, { speechLikeness: 0.2 }, "unusable", ["not_speech"]],
    [{}, { hasVoice: false }, "unusable", ["no_speech"]],
    [{}, { isCutOff: true }, "good", ["cut_off"]],
  ])("judges %j %j as %s", (measures, findings, verdict, problems) => {
    const report = reportSample({ ...clear, ...measures }, { ...sure, ...findings });
    expect(report.verdict).toBe(verdict as never);
    expect(report.problems.map(({ code }) => code)).toEqual(problems as never);
    for (const { message } of report.problems) expect(message).toMatch(/^[A-Z0-9].*[.]$/);
  });
});

test("recordings of one voice are told from those of two", async () => {
  const profiles = await Promise.all(
    [speech("rms", 8), speech("rms", 8, 2), speech("slt", 8)].map(async (said) =>
      profileOf(measureSpeech(await said))!,
    ),
  );
  expect(countVoicesAmong(profiles.slice(0, 2))).toBe(1);
  expect(countVoicesAmong(profiles)).toBe(2);
  expect(countVoicesAmong([])).toBe(0);
});

test("a minute is taken from all over a long file", () => {
  const pieces = speechPieces(Array.from({ length: 50 }, (_, i) => ({ start: i * 1000, end: i * 1000 + 600 })));
  expect(pieces.every(({ start, end }) => end - start <= 400)).toBe(true);
  const kept = spread(pieces, 60);
  const seconds = kept.reduce((sum, { start, end }) => sum + end - start, 0) / 100;
  expect(seconds).toBeWithin(54, 63);
  expect(kept.at(-1)!.start).toBeGreaterThan(45_000);
  expect(spread(pieces, 1e6)).toEqual(pieces);
});

test("bandwidth is where speech ends", () => {
  const narrow = resample(resample(noise(1), 16_000, 8_000), 8_000, 16_000);
  expect(bandwidthOf(narrow, 16_000)).toBeWithin(3600, 4400);
  expect(bandwidthOf(noise(1), 16_000)).toBeGreaterThan(7500);
  expect(bandwidthOf(new Float32Array(16_000), 16_000)).toBe(0);
});
