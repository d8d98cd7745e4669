import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { binHz, spectrumBins } from "../../src/lib/voice-engine/analysis-format.ts";
import { forEachEnvelope } from "../../src/lib/voice-engine/envelope.ts";
import { fftOf } from "../../src/lib/voice-engine/fft.ts";
import { FormantMeter, polesOf } from "../../src/lib/voice-engine/formants.ts";
import { MelCepstrum, melBands, melSpectrum, spectrumOfMel, warpMel } from "../../src/lib/voice-engine/mel.ts";
import { trackPitch } from "../../src/lib/voice-engine/pitch.ts";
import { profileOf, profileVector, speakerDistance } from "../../src/lib/voice-engine/speaker-profile.ts";
import { profileSpread } from "../../src/lib/voice-engine/profile-spread.ts";
import { joinFrames, measureSpeech, sliceFrames } from "../../src/lib/voice-engine/speech-frames.ts";
import { median } from "../../src/lib/voice-engine/statistics.ts";
import { joined, noise, speech, vowel } from "../support/voice-signals.ts";

// Seconds of sound are measured, and made by a synthesiser first: slow on a busy machine.
setDefaultTimeout(60_000);

const ah = [700, 1200, 2600, 3400];

test("a transform and its inverse give the same numbers again", () => {
  const signal = Float64Array.from(noise(64 / 16_000));
  const [re, im] = [signal.slice(), new Float64Array(64)];
  fftOf(64).forward(re, im);
  fftOf(64).inverse(re, im);
  signal.forEach((value, i) => expect(re[i]).toBeCloseTo(value, 12));
  expect(() => fftOf(48)).toThrow("power of two");
});

describe("pitch", () => {
  test.each([75, 110, 180, 260, 400])("of %d Hz is followed within 1 %%", (hz) => {
    const { f0 } = trackPitch(vowel(hz, ah, 0.5));
    const steady = f0.subarray(10, f0.length - 10);
    expect(steady.filter((value) => value > 0).length).toBeGreaterThan(steady.length * 0.95);
    expect(Math.abs(median(steady.filter((value) => value > 0)) / hz - 1)).toBeLessThan(0.01);
  });

  test("is not found in noise or silence", () => {
    for (const signal of [noise(0.5), new Float32Array(8000), new Float32Array(10)])
      expect(trackPitch(signal).f0.filter((value) => value > 0).length).toBeLessThan(10);
  });
});

describe("envelope", () => {
  function envelopeOf(signal: Float32Array, f0: number): Float64Array {
    let found = new Float64Array(0);
    forEachEnvelope(signal, [{ centre: 4000, f0 }], (_, envelope) => (found = envelope.slice()));
    return found;
  }

  test("is the same for a low and a high voice in the same throat", () => {
    const [low, high] = [envelopeOf(vowel(100, ah, 0.5), 100), envelopeOf(vowel(210, ah, 0.5), 210)];
    const shape = (envelope: Float64Array) => {
      const speechBand = envelope.subarray(Math.round(300 / binHz), Math.round(3500 / binHz));
      const mean = speechBand.reduce((sum, value) => sum + value, 0) / speechBand.length;
      return speechBand.map((value) => value - mean);
    };
    const difference = shape(low).map((value, i) => Math.abs(value - shape(high)[i]!));
    // Within 2.5 dB on average over a range of 40 dB: power is a natural logarithm.
    expect(difference.reduce((sum, value) => sum + value, 0) / difference.length).toBeLessThan(0.58);
  });

  test("comes for each place, also at the ends and where nothing sounds", () => {
    const places = [0, 4000, 7999, 4000, 100].map((centre, i) => ({ centre, f0: i % 2 === 0 ? 120 : 0 }));
    const seen: number[] = [];
    forEachEnvelope(new Float32Array(8000), places, (index, envelope) => {
      seen.push(index);
      expect(envelope.every(Number.isFinite)).toBe(true);
    });
    expect(seen).toEqual([0, 1, 2, 3, 4]);
  });
});

describe("mel bands", () => {
  const smooth = Float64Array.from({ length: spectrumBins }, (_, k) => Math.cos(k / 60) + k / 500);

  test("hold what a spectrum looks like", () => {
    const mel = new Float32Array(melBands);
    melSpectrum(smooth, mel);
    const back = new Float64Array(spectrumBins);
    spectrumOfMel(mel, melBands, back);
    for (let k = 10; k < 470; k++) expect(Math.abs(back[k]! - smooth[k]!)).toBeLessThan(0.12);
  });

  test("move up when resonances do", () => {
    const mel = Float32Array.from({ length: melBands }, (_, b) => Math.exp(-((b - 20) ** 2) / 10));
    const warped = new Float32Array(melBands);
    warpMel(mel, 1.2, warped);
    expect(warped.indexOf(Math.max(...warped))).toBeWithin(22, 26);
    warpMel(mel, 1, warped);
    mel.forEach((value, b) => expect(warped[b]).toBeCloseTo(value, 5));
  });

  test("come back from as many cepstral coefficients, but for loudness", () => {
    const cepstrum = new MelCepstrum(melBands, melBands - 1);
    const mel = Float32Array.from({ length: melBands }, (_, b) => Math.sin(b));
    const mean = mel.reduce((sum, value) => sum + value, 0) / melBands;
    const back = new Float64Array(melBands);
    cepstrum.mel(cepstrum.coefficients(mel), back);
    mel.forEach((value, b) => expect(back[b]).toBeCloseTo(value - mean, 4));
  });
});

describe("formants", () => {
  test("are the resonances of a vowel", () => {
    const measured = new FormantMeter(vowel(110, ah, 0.5), 5000).measure(50)!;
    [700, 1200, 2600].forEach((hz, i) => expect(Math.abs(measured[i]! / hz - 1)).toBeLessThan(0.08));
  });

  test("are not told of silence or outside of the signal", () => {
    const meter = new FormantMeter(new Float32Array(8000), 5000);
    expect([meter.measure(50), meter.measure(0), meter.measure(5000)]).toEqual([null, null, null]);
  });

  test("roots of a polynomial are found", () => {
    const roots = polesOf(Float64Array.from([1, -1.5, 0.56])); // (x - 0.7)(x - 0.8)
    const found = roots.map(({ re }) => re).sort((a, b) => a - b);
    expect(found[0]).toBeCloseTo(0.7, 6);
    expect(found[1]).toBeCloseTo(0.8, 6);
  });
});

describe("profile", () => {
  test("has 34 numbers and tells two voices apart", async () => {
    const [rms, rmsLater, slt] = await Promise.all([speech("rms", 6), speech("rms", 6, 2), speech("slt", 6)]);
    const [own, later, other] = [rms, rmsLater, slt].map((signal) => profileOf(measureSpeech(signal))!);
    expect(profileVector(own!)).toHaveLength(34);
    expect(profileSpread).toHaveLength(34);
    expect(speakerDistance(own!, own!)).toBe(0);
    expect(speakerDistance(own!, later!)).toBeLessThan(1.3);
    expect(speakerDistance(own!, other!)).toBeGreaterThan(2);
    expect(Math.exp(own!.pitch.logMean)).toBeWithin(80, 120);
    expect(Math.exp(other!.pitch.logMean)).toBeWithin(150, 210);
  });

  test("does not depend on how loud a recording is", async () => {
    const said = await speech("awb", 4);
    const [loud, quiet] = [said, said.map((value) => value * 0.1)].map((s) => profileOf(measureSpeech(s))!);
    expect(speakerDistance(loud!, quiet!)).toBeLessThan(0.25);
  });

  test("is null where hardly anything is voiced", () => {
    expect(profileOf(measureSpeech(joined(noise(1), new Float32Array(8000))))).toBeNull();
    expect(profileOf(measureSpeech(new Float32Array(0)))).toBeNull();
  });
});

test("frames can be cut and joined", async () => {
  const frames = measureSpeech(await speech("rms", 2));
  const halves = [sliceFrames(frames, 0, 50), sliceFrames(frames, 50, frames.count)];
  expect(joinFrames(halves)).toEqual(frames);
});
