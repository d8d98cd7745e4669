import { loadFlite } from "../../src/lib/voice-engine/voice-assets.ts";
import type { BaseVoiceName } from "../../src/lib/voice-engine/base-voice-names.ts";
import type { Flite } from "../../src/lib/voice-engine/flite.ts";
import { seeded } from "./random.ts";

/** A sine of full amplitude `level`. */
export function tone(hz: number, seconds: number, sampleRate = 16_000, level = 0.5): Float32Array {
  return Float32Array.from(
    { length: Math.round(seconds * sampleRate) },
    (_, i) => level * Math.sin((2 * Math.PI * hz * i) / sampleRate),
  );
}

/** White noise, even between ±`level`. */
export function noise(seconds: number, sampleRate = 16_000, level = 0.1): Float32Array {
  const random = seeded(7);
  return Float32Array.from({ length: Math.round(seconds * sampleRate) }, () => level * (2 * random() - 1));
}

/** Plucked notes with overtones, one after another: has pitch and rhythm, but nobody speaks. */
export function melody(seconds: number): Float32Array {
  const notes = [220, 262, 330, 392, 330, 262];
  return Float32Array.from({ length: seconds * 16_000 }, (_, i) => {
    const hz = notes[Math.floor(i / 8000) % notes.length]!;
    const sum = [1, 2, 3, 4, 5].reduce((all, n) => all + Math.sin((2 * Math.PI * hz * n * i) / 16_000) / n, 0);
    return 0.2 * sum * Math.exp((-3 * (i % 8000)) / 8000);
  });
}

/** A vowel-like sound: pulses of that pitch through resonances at those frequencies. */
export function vowel(f0: number, formants: readonly number[], seconds: number): Float32Array {
  let signal: Float32Array = new Float32Array(Math.round(seconds * 16_000));
  for (let t = 0; t < signal.length - 1; t += 16_000 / f0) {
    // A pulse between two samples is shared by them: rounded times would make every other period longer.
    signal[Math.floor(t)] = 1 - (t % 1);
    signal[Math.floor(t) + 1] = t % 1;
  }
  for (const hz of formants) signal = resonance(signal, hz, 80);
  const peak = signal.reduce((highest, value) => Math.max(highest, Math.abs(value)), 0);
  return signal.map((value) => (0.5 * value) / peak);
}

function resonance(signal: Float32Array, hz: number, bandwidth: number): Float32Array {
  const radius = Math.exp((-Math.PI * bandwidth) / 16_000);
  const turn = 2 * radius * Math.cos((2 * Math.PI * hz) / 16_000);
  const out = new Float32Array(signal.length);
  for (let i = 0; i < out.length; i++)
    out[i] = signal[i]! + turn * (out[i - 1] ?? 0) - radius * radius * (out[i - 2] ?? 0);
  return out;
}

export function joined(...parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function mixed(a: Float32Array, b: Float32Array): Float32Array {
  return a.map((value, i) => value + b[i % b.length]!);
}

/** Root mean square, in dB below full scale. */
export function levelDb(signal: Float32Array): number {
  return 10 * Math.log10(signal.reduce((sum, value) => sum + value * value, 0) / signal.length + 1e-12);
}

const sentences = [
  "The birch canoe slid on the smooth planks, and the boy was there when the sun rose.",
  "Rice is often served in round bowls, while the juice of lemons makes fine punch.",
  "A rod is used to catch pink salmon near the source of the huge river.",
  "Help the woman get back to her feet, then put a pot of tea on the table.",
];

let flite: Promise<Flite> | undefined;

/** Speech of a synthetic voice at 16 kHz, at least so many seconds: no recording of a person is part of the tests. */
export async function speech(voice: BaseVoiceName, seconds: number, firstSentence = 0): Promise<Float32Array> {
  const speaker = await (flite ??= loadFlite());
  const parts: Float32Array[] = [];
  for (let i = firstSentence, length = 0; length < seconds * 16_000; i++) {
    parts.push(speaker.speak(sentences[i % sentences.length]!, voice));
    length += parts.at(-1)!.length;
  }
  return joined(...parts).subarray(0, seconds * 16_000);
}
