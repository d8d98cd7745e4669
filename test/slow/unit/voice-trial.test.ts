import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { baseVoiceHz, baseVoiceNames } from "../../../src/lib/voice-engine/base-voice-names.ts";
import { bestOf, candidates, tryBase, type Trial } from "../../../src/lib/voice-engine/base-trial.ts";
import { BaseVoices, pitchRange } from "../../../src/lib/voice-engine/base-voices.ts";
import { melBands } from "../../../src/lib/voice-engine/mel.ts";
import { resample } from "../../../src/lib/voice-engine/resampler.ts";
import { seededRandom } from "../../../src/lib/voice-engine/seeded-random.ts";
import { profileOf, speakerDistance } from "../../../src/lib/voice-engine/speaker-profile.ts";
import { Speaker } from "../../../src/lib/voice-engine/speaker.ts";
import { measureSpeech } from "../../../src/lib/voice-engine/speech-frames.ts";
import { correctTone } from "../../../src/lib/voice-engine/tone-correction.ts";
import { loadFlite } from "../../../src/lib/voice-engine/voice-assets.ts";
import { describeTarget } from "../../../src/lib/voice-engine/voice-fit.ts";
import type { VoiceModel } from "../../../src/lib/voice-engine/voice-model.ts";
import { speech } from "../../support/voice-signals.ts";

// Seconds of sound are measured, and made by a synthesiser first: slow on a busy machine.
setDefaultTimeout(60_000);

const range = (hz: number) => ({ logMedian: Math.log(hz), logReach: 0.1 });

describe("candidates", () => {
  test("are the base voices within reach, the nearest in pitch first", () => {
    expect(candidates(range(105))).toEqual(["rms", "awb", "slt"]);
    expect(candidates(range(150))).toEqual(["slt", "awb", "rms"]);
    expect(candidates(range(220))).toEqual(["slt", "awb"]);
  });

  test("always have one", () => {
    expect(candidates(range(420))).toEqual(["slt"]);
    expect(candidates(range(50))).toEqual(["rms"]);
  });

  test("are known by the pitch that they have", async () => {
    for (const name of baseVoiceNames) {
      const { logMedian } = pitchRange(measureSpeech(await speech(name, 4)));
      expect(Math.exp(logMedian) / baseVoiceHz[name]).toBeWithin(0.93, 1.07);
    }
  });
});

describe("the best trial", () => {
  const trial = (distance: number, hz: number) =>
    ({ distance, model: { pitch: { from: range(100), to: range(hz) } } }) as unknown as Trial;

  test("is the nearest to the speaker", () => {
    const [near, far] = [trial(0.8, 120), trial(1.1, 120)];
    expect(bestOf([far, near])).toBe(near);
  });

  test("is not one whose pitch had to be moved much farther for little", () => {
    const [moved, still] = [trial(0.8, 200), trial(0.9, 105)];
    expect(bestOf([moved, still])).toBe(still);
  });

  test("is never one that is no speech", () => {
    const [silent, speaking] = [trial(Infinity, 100), trial(4, 200)];
    expect(bestOf([silent, speaking])).toBe(speaking);
  });
});

test("a trial comes nearer to the speaker than its base voice is", async () => {
  const flite = await loadFlite();
  // Nobody in particular: a base voice with a longer throat and a lower voice.
  const frames = measureSpeech(resample(await speech("rms", 8), 14_400, 16_000));
  const sought = {
    frames,
    pitch: pitchRange(frames),
    profile: profileOf(frames)!,
    target: describeTarget(frames, melBands, seededRandom(1)),
  };
  const { base, model, distance } = tryBase(new Speaker(flite), new BaseVoices(flite).get("awb"), sought);
  expect(model.base).toBe("awb");
  expect(distance).toBeLessThan(0.8 * speakerDistance(profileOf(base.frames)!, sought.profile));
});

test("what is heard of a voice is set right by most of what it lacks, within limits", async () => {
  const said = await speech("rms", 4);
  const [spoken, wanted] = [said, said.map((value, i) => value - 0.9 * (said[i - 1] ?? 0))].map((signal) =>
    measureSpeech(signal),
  ) as [ReturnType<typeof measureSpeech>, ReturnType<typeof measureSpeech>];
  wanted.f0.forEach((hz, i) => (wanted.f0[i] = 2 * hz));
  const zeros = Array.from({ length: melBands }, () => 0);
  const model = {
    pitch: { from: range(100), to: range(100) },
    tone: { bands: melBands, voiced: zeros, unvoiced: zeros },
  } as unknown as VoiceModel;
  correctTone(model, spoken, wanted);
  expect(Math.exp(model.pitch.to.logMedian)).toBeWithin(190, 210);
  const rise = () => model.tone.voiced.at(-5)! - model.tone.voiced[5]!;
  expect(rise()).toBeGreaterThan(1.5);
  for (let round = 0; round < 20; round++) correctTone(model, spoken, wanted);
  expect(Math.max(...[...model.tone.voiced, ...model.tone.unvoiced].map(Math.abs))).toBeCloseTo(18 / 4.343, 6);
});
