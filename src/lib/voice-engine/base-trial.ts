import { baseVoiceHz, baseVoiceNames, type BaseVoiceName } from "./base-voice-names.ts";
import type { BaseVoice } from "./base-voices.ts";
import { seededRandom } from "./seeded-random.ts";
import { profileOf, speakerDistance, type Profile } from "./speaker-profile.ts";
import type { Speaker } from "./speaker.ts";
import { joinFrames, measureSpeech, type SpeechFrames } from "./speech-frames.ts";
import { meanPower } from "./statistics.ts";
import { correctTone } from "./tone-correction.ts";
import { findWarp, fitTone, meanGains, type Target } from "./voice-fit.ts";
import { voiceModelVersion, type PitchRange, type VoiceModel } from "./voice-model.ts";

/** Measurements of a speaker. */
export type Sought = { frames: SpeechFrames; pitch: PitchRange; profile: Profile; target: Target };

/** A voice derived from a base voice, and the distance of a sentence in it from the speaker (see `speakerDistance`). */
export type Trial = { base: BaseVoice; model: VoiceModel; distance: number };

const testText =
  "This is a short test of the new voice. The quick brown fox jumps over the lazy dog, while rivers measure joy.";
const corrections = 2;

/** A voice whose pitch must move farther than this is not tried. */
const mostOctaves = 0.9;

/** Returns the base voices that can become a voice of this pitch: those within reach, otherwise the nearest one. */
export function candidates({ logMedian }: PitchRange): BaseVoiceName[] {
  const octaves = (name: BaseVoiceName) => Math.abs(Math.log2(baseVoiceHz[name]) - logMedian / Math.LN2);
  const byDistance = baseVoiceNames.toSorted((a, b) => octaves(a) - octaves(b));
  return byDistance.filter((name, i) => i === 0 || octaves(name) <= mostOctaves);
}

/** Stage "fit": adapts a base voice to the speaker as closely as possible, and measures the result. */
export function tryBase(speaker: Speaker, base: BaseVoice, { frames, pitch, profile, target }: Sought): Trial {
  const fitted = fitTone(base, target, findWarp(base, target), seededRandom(1));
  const mean = meanGains(fitted, base);
  const model: VoiceModel = {
    version: voiceModelVersion,
    base: base.name,
    pitch: { from: base.pitch, to: { ...pitch } },
    tone: { ...fitted, mean, voiced: mean, unvoiced: mean.map(() => 0) },
    profile,
  };
  for (let round = 0; round < corrections; round++) {
    const spoken = speaker.speak(testText, model, { stability: 0.5, clarity: 1, useSpeakerBoost: true });
    correctTone(model, measured([...spoken]), frames);
    Bun.gc(true); // what was spoken, and the memory of the synthesiser
  }
  const distance = distanceOf([...speaker.speak(testText, model)], profile);
  Bun.gc(true);
  return { base, model, distance };
}

/** Penalty per octave of pitch change: the larger the change, the rougher the speech. */
const octaveCost = 0.5;

/** Returns the trial that came closest without changing the pitch of its base voice too much. */
export function bestOf(trials: readonly Trial[]): Trial {
  const cost = ({ model: { pitch }, distance }: Trial) =>
    distance + octaveCost * Math.abs((pitch.to.logMedian - pitch.from.logMedian) / Math.LN2);
  return trials.reduce((best, next) => (cost(next) < cost(best) ? next : best));
}

/** Infinite for anything but speech. */
function distanceOf(spoken: readonly Float32Array[], profile: Profile): number {
  const isSound = spoken.every((part) => part.every(Number.isFinite) && meanPower(part) > 1e-5);
  const heard = isSound ? profileOf(measured(spoken)) : null;
  return heard === null ? Infinity : speakerDistance(heard, profile);
}

function measured(spoken: readonly Float32Array[]): SpeechFrames {
  return joinFrames(spoken.map((part) => measureSpeech(part)));
}
