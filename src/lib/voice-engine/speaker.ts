import { analysisRate, hopSamples } from "./analysis-format.ts";
import type { BaseVoiceName } from "./base-voice-names.ts";
import { forEachEnvelope } from "./envelope.ts";
import type { Flite } from "./flite.ts";
import { melBands, melSpectrum } from "./mel.ts";
import { trackPitch, type PitchTrack } from "./pitch.ts";
import { changePitch } from "./psola.ts";
import { speakableText } from "./speakable-text.ts";
import { clamp } from "./statistics.ts";
import { filterHop, filterTone } from "./tone-filter.ts";
import { ToneMap, type ToneStrength } from "./tone-map.ts";
import type { VoiceModel } from "./voice-model.ts";

/** Maximum length of speech; the rest is cut. */
export const maxSpokenSeconds = 60;
/** The level of speech (RMS), -20 dB below full scale, and the highest peak. */
const spokenLevel = 0.1;
const highestPeak = 0.9;
/** Noise is colored less than voice: fully colored, some of its sounds would be mistaken for others. */
const unvoicedShare = 0.7;
const plainVoice: BaseVoiceName = "slt";
/** Beyond these, a voice would squeak or growl. */
const lowestHz = 55;
const highestHz = 450;
/** Widening the melody of a base voice further makes its small variations audible. */
const liveliest = 2;

/**
 * Settings from 0 to 1. `stability`: 1 keeps the melody flat, 0 makes it lively. `clarity`: how close to get to the
 * speaker, at the cost of intelligibility. `useSpeakerBoost` compensates for what the synthesis itself adds, which
 * brings the tone even closer.
 */
export type SpeakSettings = { stability: number; clarity: number; useSpeakerBoost: boolean };
export const defaultSpeakSettings: SpeakSettings = { stability: 0.5, clarity: 0.75, useSpeakerBoost: true };

/** Speaks English text in a trained voice. */
export class Speaker {
  readonly #flite: Flite;

  constructor(flite: Flite) {
    this.#flite = flite;
  }

  /**
   * Mono at 16 kHz, piece by piece as soon as each is ready, at most `maxSpokenSeconds` in all. Without a model the
   * base voice speaks as it is. The same text, model and settings always give the same samples.
   * @throws VoiceError nothing_to_speak, before the first piece.
   */
  *speak(text: string, model: VoiceModel | null, settings = defaultSpeakSettings): Generator<Float32Array, void> {
    const pieces = speakableText(text);
    const convert = model === null ? null : new Conversion(model, settings);
    let room = maxSpokenSeconds * analysisRate;
    for (const piece of pieces) {
      const said = this.#flite.speak(piece, model?.base ?? plainVoice).subarray(0, room);
      yield leveled(convert === null ? said : convert.run(said));
      room -= said.length;
      if (room <= 0) return;
    }
  }
}

/** Stage "convert": base speech in, the speaker's out, of the same length. */
class Conversion {
  readonly #model: VoiceModel;
  readonly #toneMap: ToneMap;
  readonly #strength: ToneStrength;
  readonly #pitchScale: number;
  readonly #isCorrected: boolean;

  constructor(model: VoiceModel, { stability, clarity, useSpeakerBoost }: SpeakSettings) {
    const { from, to } = model.pitch;
    this.#model = model;
    this.#toneMap = new ToneMap(model.tone);
    this.#strength = strengthFor(clamp(clarity, 0, 1));
    this.#isCorrected = useSpeakerBoost;
    const liveliness = 1.25 - 0.5 * clamp(stability, 0, 1);
    this.#pitchScale = clamp((to.logReach / from.logReach) * liveliness, 0.4, liveliest);
  }

  run(said: Float32Array): Float32Array {
    const pitch = trackPitch(said);
    const gains = this.#gains(said, pitch);
    return filterTone(changePitch(said, pitch.f0, this.#wantedPitch(pitch.f0)), gains);
  }

  #wantedPitch(f0: Float32Array): Float32Array {
    const { from, to } = this.#model.pitch;
    const melody = (hz: number) => Math.exp((Math.log(hz) - from.logMedian) * this.#pitchScale + to.logMedian);
    return f0.map((hz) => (hz === 0 ? 0 : clamp(melody(hz), lowestHz, highestHz)));
  }

  /**
   * Unvoiced frames all get the same: their noise carries much of the words, and a filter that changes from frame to
   * frame would blur it.
   */
  #gains(said: Float32Array, { f0 }: PitchTrack): Float64Array[] {
    const stride = filterHop / hopSamples;
    const unvoiced = Float64Array.from(
      this.#model.tone.unvoiced,
      (value) => unvoicedShare * this.#strength.steady * value,
    );
    const gains: Float64Array[] = Array.from({ length: Math.ceil(said.length / filterHop) }, () => unvoiced);
    const voiced = gains.flatMap((_, frame) => ((f0[frame * stride] ?? 0) > 0 ? [frame] : []));
    const mel = new Float32Array(melBands);
    const places = voiced.map((frame) => ({ centre: frame * filterHop, f0: f0[frame * stride]! }));
    forEachEnvelope(said, places, (i, envelope) => {
      melSpectrum(envelope, mel);
      gains[voiced[i]!] = this.#toneMap.gains(mel, this.#strength, this.#isCorrected);
    });
    return gains;
  }
}

/**
 * A constant color costs little intelligibility; one that changes with every sound costs the most. The upper half of
 * clarity changes little, so the default has nearly all of the likeness.
 */
function strengthFor(clarity: number): ToneStrength {
  const way = 1 - (1 - clarity) ** 2;
  return { steady: 0.7 + 0.3 * way, moving: 0.2 + 0.8 * way };
}

/** Makes all pieces equally loud. Peaks are rounded instead of clipped. */
function leveled(signal: Float32Array): Float32Array {
  const loud = signal.filter((value) => Math.abs(value) > 0.01);
  const power = loud.reduce((sum, value) => sum + value * value, 0) / Math.max(1, loud.length);
  const gain = power === 0 ? 1 : spokenLevel / Math.sqrt(power);
  return signal.map((value) => softPeak(value * gain));
}

function softPeak(value: number): number {
  const knee = 0.7;
  const size = Math.abs(value);
  if (size <= knee) return value;
  const room = highestPeak - knee;
  return Math.sign(value) * (knee + room * Math.tanh((size - knee) / room));
}
