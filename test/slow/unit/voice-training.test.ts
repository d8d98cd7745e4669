import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { BaseVoices } from "../../../src/lib/voice-engine/base-voices.ts";
import { meanToneGains } from "../../../src/lib/voice-engine/mean-tone.ts";
import { resample } from "../../../src/lib/voice-engine/resampler.ts";
import { SampleAnalysis, type SampleResult } from "../../../src/lib/voice-engine/sample-analysis.ts";
import { profileOf, speakerDistance } from "../../../src/lib/voice-engine/speaker-profile.ts";
import { maxSpokenSeconds, Speaker } from "../../../src/lib/voice-engine/speaker.ts";
import { measureSpeech } from "../../../src/lib/voice-engine/speech-frames.ts";
import { loadFlite, loadSilero } from "../../../src/lib/voice-engine/voice-assets.ts";
import { VoiceError } from "../../../src/lib/voice-engine/voice-error.ts";
import { isVoiceModel, type VoiceModel } from "../../../src/lib/voice-engine/voice-model.ts";
import { trainVoice } from "../../../src/lib/voice-engine/voice-training.ts";
import { joined, levelDb, speech } from "../../support/voice-signals.ts";

// Seconds of sound are measured, and made by a synthesiser first: slow on a busy machine.
setDefaultTimeout(300_000);

const [flite, silero] = await Promise.all([loadFlite(), loadSilero()]);
const voices = new BaseVoices(flite);
const speaker = new Speaker(flite);
const text = "Good morning, this is a short voice note about the new project.";

function analyse(signal: Float32Array): SampleResult {
  const analysis = new SampleAnalysis(silero);
  analysis.push({ channels: [signal], sampleRate: 16_000 });
  return analysis.finish();
}

/** Nobody in particular: a base voice with a shorter throat and a higher voice, as when a tape runs faster. */
async function stranger(): Promise<Float32Array> {
  return resample(await speech("slt", 15), 20_000, 16_000);
}

function say(
  words: string,
  model: VoiceModel | null,
  settings = { stability: 0.5, clarity: 1, useSpeakerBoost: true },
) {
  return joined(...speaker.speak(words, model, settings));
}

describe("a trained voice", () => {
  let sample: SampleResult;
  let trained: ReturnType<typeof trainVoice>;
  const progress: [number, string][] = [];
  beforeAll(async () => {
    sample = analyse(await stranger());
    trained = trainVoice([sample], voices, (percent, stage) => progress.push([percent, stage]));
  });

  test("is nearer to the samples than the base voice was, in tone and in pitch", () => {
    const wanted = profileOf(sample.frames!)!;
    const profile = profileOf(measureSpeech(say(text, trained.model)))!;
    const baseProfile = profileOf(measureSpeech(flite.speak(text, trained.model.base)))!;
    expect(speakerDistance(profile, wanted)).toBeLessThan(0.75 * speakerDistance(baseProfile, wanted));
    const semitones = (12 * Math.abs(profile.pitch.logMean - wanted.pitch.logMean)) / Math.LN2;
    expect(semitones).toBeLessThan(1.5);
  });

  test("comes with a report and with progress that only grows", () => {
    expect(trained.report).toMatchObject({ samplesUsed: 1, speakers: 1, base: trained.model.base });
    expect(trained.report.distance).toBeLessThan(trained.report.baseDistance);
    const percents = progress.map(([percent]) => percent);
    expect(percents).toEqual(percents.toSorted((a, b) => a - b));
    expect([percents[0], percents.at(-1)]).toEqual([0, 100]);
  });

  test("leaves telephone recordings out where enough others are", () => {
    const phone = { ...sample, report: { ...sample.report, bandwidthHz: 3400 } };
    const { model, report } = trainVoice([phone, sample], voices, () => {});
    expect(model).toEqual(trained.model);
    expect(report.notes[0]).toBe("1 of 2 samples were left out: see their reports.");
    expect(trainVoice([phone], voices, () => {}).model.tone.bands).toBeLessThan(model.tone.bands);
  });

  test("survives being stored as JSON and sounds the same", () => {
    const stored = JSON.stringify(trained.model);
    expect(stored.length).toBeLessThan(100_000);
    const restored: unknown = JSON.parse(stored);
    expect(isVoiceModel(restored)).toBe(true);
    expect(say("Hello there.", restored as VoiceModel)).toEqual(say("Hello there.", trained.model));
    expect([isVoiceModel(null), isVoiceModel({ version: 0 })]).toEqual([false, false]);
  });

  test("follows its settings", () => {
    const settings = { stability: 0.5, clarity: 0.75, useSpeakerBoost: true };
    const pitchSpread = (stability: number) =>
      profileOf(measureSpeech(say(text, trained.model, { ...settings, stability })))!.pitch.logDeviation;
    expect(pitchSpread(1)).toBeLessThan(pitchSpread(0));
    const likeness = (clarity: number) =>
      speakerDistance(
        profileOf(measureSpeech(say(text, trained.model, { ...settings, clarity })))!,
        trained.model.profile,
      );
    expect(likeness(1)).toBeLessThan(likeness(0));
    expect(say("Hello.", trained.model, { ...settings, useSpeakerBoost: false })).not.toEqual(
      say("Hello.", trained.model, settings),
    );
  });

  test("gives sounds without voice a colour of their own", () => {
    const { tone } = trained.model;
    // The base voice that hisses most, so that there is enough to measure.
    const model: VoiceModel = { ...trained.model, base: "rms" };
    const hissing = { ...model, tone: { ...tone, unvoiced: tone.unvoiced.map((_, band) => band / 12) } };
    const flat = { ...model, tone: { ...tone, unvoiced: tone.unvoiced.map(() => 0) } };
    const hisses = "She sells six fresh peaches at the chapel this Thursday, says Joseph.";
    const [before, after] = [measureSpeech(say(hisses, flat)), measureSpeech(say(hisses, hissing))];
    const rise = (kind: "voiced" | "unvoiced") => {
      const gains = meanToneGains(before, after, kind, tone.bands);
      return gains.at(-4)! - gains[4]!;
    };
    expect(rise("unvoiced")).toBeGreaterThan(1);
    expect(Math.abs(rise("voiced"))).toBeLessThan(0.5);
  });

  test("speaks sentence by sentence, each at the same level", () => {
    const parts = [...speaker.speak("Hello there, Maria. How are you today?", trained.model)];
    expect(parts).toHaveLength(2);
    for (const part of parts) {
      expect(levelDb(part)).toBeWithin(-26, -19);
      expect(part.every((value) => Math.abs(value) <= 0.9)).toBe(true);
    }
  });
});

describe("speaking", () => {
  test("works without a model, the same each time", () => {
    expect(say("Hello there.", null)).toEqual(say("Hello there.", null));
  });

  test("ends after a minute, whatever the text", () => {
    expect(say("a".repeat(5000), null).length).toBe(maxSpokenSeconds * 16_000);
  });

  test("refuses text that it can't say, before anything is spoken", () => {
    expect(() => speaker.speak("🎉", null).next()).toThrow(VoiceError);
  });
});

describe("training refuses", () => {
  const refusal = (samples: SampleResult[]) => {
    try {
      trainVoice(samples, voices, () => {});
    } catch (error) {
      return error instanceof VoiceError ? { code: error.code, message: error.message } : error;
    }
    return null;
  };

  test("no samples", () => {
    expect(refusal([])).toMatchObject({ code: "no_samples" });
  });

  test("too little speech, and says how much there was and what was wrong", async () => {
    const short = analyse(await speech("rms", 3));
    const silent = analyse(new Float32Array(32_000));
    expect(refusal([short, short, silent])).toEqual({
      code: "too_little_speech",
      message:
        "Only 5 seconds of speech in 3 files: send at least 10. " +
        "The recording is silent: check that the right microphone was on, and record again.",
    });
  });
});
