import { baseVoiceNames, type BaseVoiceName } from "./base-voice-names.ts";
import { pitchRange, type BaseVoice, type BaseVoices } from "./base-voices.ts";
import { meanToneGains } from "./mean-tone.ts";
import { melBands, narrowMelBands } from "./mel.ts";
import type { SampleResult } from "./sample-analysis.ts";
import { narrowBandHz } from "./sample-report.ts";
import { seededRandom } from "./seeded-random.ts";
import { countVoicesAmong } from "./speaker-count.ts";
import { profileOf, speakerDistance } from "./speaker-profile.ts";
import { Speaker } from "./speaker.ts";
import { joinFrames, measureSpeech, type SpeechFrames } from "./speech-frames.ts";
import { clamp, meanPower } from "./statistics.ts";
import { VoiceError } from "./voice-error.ts";
import { describeTarget, findWarp, fitTone, meanGains, type Target } from "./voice-fit.ts";
import { voiceModelVersion, type PitchRange, type VoiceModel } from "./voice-model.ts";

/** With less, a voice can't be told from its neighbours. */
export const leastSpeechSeconds = 10;
/** From here on more speech hardly helps. */
const plentifulSeconds = 30;

export const trainingStages = [
  "Comparing samples",
  "Measuring the voice",
  "Fitting the voice",
  "Testing the voice",
] as const;
export type TrainingStage = (typeof trainingStages)[number];

/**
 * What came of a training. `distance` is how far a spoken sentence is from the samples (see `speakerDistance`), and
 * `baseDistance` how far the base voice was. Each note is a sentence for the user.
 */
export type CloneReport = {
  samplesUsed: number;
  speechSeconds: number;
  speakers: number;
  base: BaseVoiceName;
  distance: number;
  baseDistance: number;
  notes: string[];
};

/**
 * Learns a voice from measured samples: a stage at a time, told by `onProgress` (percent from 0 to 100). Runs for 5 to
 * 20 s without a pause: for worker threads. The same samples always give the same model.
 * @throws VoiceError no_samples, too_little_speech or voice_unfit, with a sentence for the user.
 */
export function trainVoice(
  samples: readonly SampleResult[],
  voices: BaseVoices,
  onProgress: (percent: number, stage: TrainingStage) => void,
): { model: VoiceModel; report: CloneReport } {
  onProgress(0, "Comparing samples");
  const used = fullestSamples(usableSamples(samples));
  onProgress(5, "Measuring the voice");
  const frames = joinFrames(used.map(({ frames }) => frames));
  const profile = profileOf(frames);
  if (profile === null) throw tooLittle(samples);
  const pitch = pitchRange(frames);
  const random = seededRandom(1);
  const target = describeTarget(frames, isNarrow(used) ? narrowMelBands : melBands, random);
  const { base, warp } = chooseBase(voices, target, pitch, (share) => onProgress(20 + 40 * share, "Fitting the voice"));
  onProgress(60, "Fitting the voice");
  const fitted = fitTone(base, target, warp, random);
  const mean = meanGains(fitted, base);
  const model: VoiceModel = {
    version: voiceModelVersion,
    base: base.name,
    pitch: { from: base.pitch, to: pitch },
    tone: {
      ...fitted,
      mean,
      voiced: mean,
      unvoiced: mean.map(() => 0),
    },
    profile,
  };
  onProgress(80, "Testing the voice");
  const speaker = new Speaker(voices.flite);
  for (let round = 0; round < correctionRounds; round++) {
    correct(model, testFrames(speaker, model), frames);
    Bun.gc(true); // what was spoken, and the memory of the synthesiser
    onProgress(85 + 5 * round, "Testing the voice");
  }
  const report = { ...describeSamples(used, samples.length), base: base.name, ...checked(speaker, model, base) };
  onProgress(100, "Testing the voice");
  return { model, report };
}

type UsedSample = SampleResult & { frames: SpeechFrames };

function usableSamples(samples: readonly SampleResult[]): UsedSample[] {
  const used = samples.filter((sample): sample is UsedSample => sample.frames !== null);
  if (samples.length === 0) throw new VoiceError("no_samples", "There are no samples: send recordings of the voice.");
  if (secondsIn(used) < leastSpeechSeconds) throw tooLittle(samples);
  return used;
}

function tooLittle(samples: readonly SampleResult[]): VoiceError {
  const seconds = Math.floor(secondsIn(samples.filter(({ frames }) => frames !== null)));
  const unusable = samples.filter(({ frames }) => frames === null);
  const reasons = new Set(unusable.flatMap(({ report }) => report.problems.map(({ message }) => message)));
  const found = `Only ${counted(seconds, "second")} of speech in ${counted(samples.length, "file")}`;
  const message = [`${found}: send at least ${leastSpeechSeconds}.`, ...[...reasons].slice(0, 2)].join(" ");
  return new VoiceError("too_little_speech", message);
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** Telephone recordings would teach that the voice has no treble: they are left out where enough others are. */
function fullestSamples(used: readonly UsedSample[]): readonly UsedSample[] {
  const full = used.filter((sample) => !isNarrow([sample]));
  return secondsIn(full) >= leastSpeechSeconds ? full : used;
}

function secondsIn(samples: readonly SampleResult[]): number {
  return samples.reduce((sum, { report }) => sum + report.speechSeconds, 0);
}

/** The fit keeps to the frequencies that all of its samples have. */
function isNarrow(used: readonly UsedSample[]): boolean {
  return used.some(({ report }) => report.bandwidthHz < narrowBandHz);
}

/** The base voice that has the least way to go in pitch and length of the throat. */
function chooseBase(
  voices: BaseVoices,
  target: Target,
  pitch: PitchRange,
  onShare: (share: number) => void,
): { base: BaseVoice; warp: number } {
  const rated = baseVoiceNames.map((name, i) => {
    onShare(i / baseVoiceNames.length);
    const base = voices.get(name);
    const warp = findWarp(base, target);
    const way = 6 * Math.abs(Math.log(warp)) + 2.2 * Math.abs(base.pitch.logMedian - pitch.logMedian);
    // A Scottish accent is rarely the speaker's own.
    return { base, warp, way: name === "awb" ? way + 0.25 : way };
  });
  return rated.reduce((best, next) => (next.way < best.way ? next : best));
}

const correctionRounds = 2;
/** Some of the difference is what is said, not how. */
const correctionShare = 0.7;
/** More colour than this, 12 dB, is a poor recording's and costs words. */
const mostSteady = 12 / 4.343;

const testText =
  "This is a short test of the new voice. The quick brown fox jumps over the lazy dog, while rivers measure joy.";

function testFrames(speaker: Speaker, model: VoiceModel | null): SpeechFrames {
  const parts = [...speaker.speak(testText, model, { stability: 0.5, clarity: 1, useSpeakerBoost: true })];
  return joinFrames(parts.map((part) => measureSpeech(part)));
}

/** Closes the loop: what is heard of the model's speech, against what was heard of the speaker, sets it right. */
function correct({ tone, pitch }: VoiceModel, spoken: SpeechFrames, wanted: SpeechFrames): void {
  pitch.to.logMedian += pitchRange(wanted).logMedian - pitchRange(spoken).logMedian;
  for (const kind of ["voiced", "unvoiced"] as const) {
    const missing = meanToneGains(spoken, wanted, kind, tone.bands);
    tone[kind] = tone[kind].map((value, band) =>
      clamp(value + correctionShare * missing[band]!, -mostSteady, mostSteady),
    );
  }
}

/** Stage "check": the voice must speak, and come nearer to the samples than the base voice was. */
function checked(speaker: Speaker, model: VoiceModel, base: BaseVoice): { distance: number; baseDistance: number } {
  const spoken = [...speaker.speak(testText, model)];
  const isSound = spoken.every((part) => part.every(Number.isFinite) && meanPower(part) > 1e-5);
  const profile = isSound ? profileOf(joinFrames(spoken.map((part) => measureSpeech(part)))) : null;
  const baseProfile = profileOf(base.frames);
  const distance = profile === null ? Infinity : speakerDistance(profile, model.profile);
  const baseDistance = baseProfile === null ? Infinity : speakerDistance(baseProfile, model.profile);
  if (distance >= Math.max(baseDistance, nearEnough))
    throw new VoiceError(
      "voice_unfit",
      "The trained voice came out no nearer to the samples: send clear speech of one person, without music or echo.",
    );
  return { distance, baseDistance };
}

/** As near as two recordings of one speaker are. */
const nearEnough = 1.5;

function describeSamples(used: readonly UsedSample[], given: number) {
  const profiles = used.map(({ frames }) => profileOf(frames)).filter((profile) => profile !== null);
  const among = countVoicesAmong(profiles);
  const speakers = Math.max(among, ...used.map(({ report }) => report.speakers));
  const speechSeconds = secondsIn(used);
  const notes: string[] = [];
  if (used.length < given)
    notes.push(`${given - used.length} of ${counted(given, "sample")} were left out: see their reports.`);
  if (speakers > 1)
    notes.push("More than one voice was heard in the samples: the clone is a mixture. Send recordings of one person.");
  if (speechSeconds < plentifulSeconds)
    notes.push(`${Math.floor(speechSeconds)} seconds of speech are few: 30 to 60 make a better likeness.`);
  if (isNarrow(used))
    notes.push("Telephone-quality audio: nothing above 4 kHz could be learned. Record at 16 kHz or more.");
  return { samplesUsed: used.length, speechSeconds, speakers, notes };
}
