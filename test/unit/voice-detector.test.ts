import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readOnnxConstants } from "../../src/lib/voice-engine/onnx-weights.ts";
import { speechProbabilities } from "../../src/lib/voice-engine/silero.ts";
import { detectActivity, secondsOf } from "../../src/lib/voice-engine/speech-detector.ts";
import { loadSilero } from "../../src/lib/voice-engine/voice-assets.ts";
import { joined, melody, mixed, noise, speech, tone, vowel } from "../support/voice-signals.ts";

// Seconds of sound are measured, and made by a synthesiser first: slow on a busy machine.
setDefaultTimeout(60_000);

describe("energy", () => {
  test("speech between pauses is found, in noise too", async () => {
    const said = await speech("slt", 3);
    const pause = new Float32Array(24_000);
    const signal = mixed(joined(pause, said, pause), noise(1, 16_000, 0.003));
    const { spans } = detectActivity(signal);
    expect(spans[0]!.start).toBeWithin(135, 180);
    expect(spans.at(-1)!.end).toBeWithin(400, 460);
    expect(secondsOf(spans)).toBeWithin(2, 3.3);
  });

  test("the distance of speech to noise is measured within 4 dB", async () => {
    const said = joined(new Float32Array(16_000), await speech("rms", 4), new Float32Array(16_000));
    const heard = [0.001, 0.01].map((level) => {
      const { speechDb, noiseDb } = detectActivity(mixed(said, noise(1, 16_000, level)));
      return speechDb - noiseDb;
    });
    expect(heard[0]! - heard[1]!).toBeWithin(16, 24);
  });

  test("silence, noise and nothing hold no speech", () => {
    for (const signal of [new Float32Array(32_000), noise(3), new Float32Array(100), new Float32Array(0)])
      expect(secondsOf(detectActivity(signal).spans)).toBe(0);
  });
});

describe("neural", () => {
  const share = async (signal: Float32Array) => {
    const probabilities = speechProbabilities(await loadSilero(), signal);
    return probabilities.filter((p) => p > 0.5).length / probabilities.length;
  };

  test("speech is told from music, tones and noise", async () => {
    expect(await share(await speech("slt", 3))).toBeGreaterThan(0.7);
    for (const signal of [melody(3), tone(440, 2), noise(2)]) expect(await share(signal)).toBeLessThan(0.05);
  });

  test("probabilities are those of the published network", async () => {
    const vowels = [vowel(120, [700, 1200, 2600], 0.2), vowel(140, [300, 2300, 3000], 0.2)];
    const heard = speechProbabilities(await loadSilero(), joined(...vowels, noise(0.1)));
    // Computed by onnxruntime-web 1.30 from the same samples.
    const published = [
      0.762129, 0.774703, 0.619671, 0.374594, 0.1734, 0.141083, 0.80701, 0.955451, 0.990024, 0.992642, 0.994529,
      0.992736, 0.970478, 0.973259, 0.89025,
    ];
    expect(heard).toHaveLength(published.length);
    published.forEach((probability, i) => expect(heard[i]).toBeCloseTo(probability, 4));
  });

  test("a model that is cut off is refused", async () => {
    const file = Bun.file(`${import.meta.dir}/../../src/lib/voice-engine/models/silero_vad_v6.onnx`);
    const bytes = new Uint8Array(await file.arrayBuffer());
    expect(readOnnxConstants(bytes).size).toBeGreaterThan(20);
    expect(() => readOnnxConstants(bytes.subarray(0, 3))).toThrow("cut off");
  });
});
