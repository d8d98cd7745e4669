import type { BaseVoiceName } from "./base-voice-names.ts";
import { bestOf, candidates, tryBase, type Trial } from "./base-trial.ts";
import { pitchRange, type BaseVoices } from "./base-voices.ts";
import { melBands, narrowMelBands } from "./mel.ts";
import type { SampleResult } from "./sample-analysis.ts";
import { narrowBandHz } from "./sample-report.ts";
import { seededRandom } from "./seeded-random.ts";
import { countVoicesAmong } from "./speaker-count.ts";
import { profileOf, speakerDistance } from "./speaker-profile.ts";
import { Speaker } from "./speaker.ts";
import { joinFrames, type SpeechFrames } from "./speech-frames.ts";
import { VoiceError } from "./voice-error.ts";
import { describeTarget } from "./voice-fit.ts";
import type { VoiceModel } from "./voice-model.ts";

/** With less, a voice cannot be distinguished from similar ones. */
export const leastSpeechSeconds = 10;
/** Beyond this, more speech hardly helps. */
const plentifulSeconds = 30;

export const trainingStages = [
  "Comparing samples",
  "Measuring the voice",
  "Fitting the voice",
  "Testing the voice",
] as const;
export type TrainingStage = (typeof trainingStages)[number];

/**
 * The result of a training. `distance` is the distance of a spoken sentence from the recordings (see
 * `speakerDistance`), and `baseDistance` that of the base voice. Each note is a sentence for the user.
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
 * Learns a voice from measured samples: a stage at a time, told by `onProgress` (percent from 0 to 100). Runs for 10 to
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
  const target = describeTarget(frames, isNarrow(used) ? narrowMelBands : melBands, seededRandom(1));
  const speaker = new Speaker(voices.flite);
  const names = candidates(pitch);
  const trials = names.map((name, i) => {
    onProgress(15 + (80 * i) / names.length, "Fitting the voice");
    return tryBase(speaker, voices.get(name), { frames, pitch, profile, target });
  });
  onProgress(95, "Testing the voice");
  const best = bestOf(trials);
  const report = { ...describeSamples(used, samples.length), base: best.base.name, ...checked(best) };
  onProgress(100, "Testing the voice");
  return { model: best.model, report };
}

type UsedSample = SampleResult & { frames: SpeechFrames };

function usableSamples(samples: readonly SampleResult[]): UsedSample[] {
  const used = samples.filter((sample): sample is UsedSample => sample.frames !== null);
  if (samples.length === 0) throw new VoiceError("no_samples", "No recordings found. Send recordings of the voice.");
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

/** Telephone recordings lack treble, so they are excluded if there are enough others. */
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

/** Stage "check": the voice must speak, and be closer to the recordings than the base voice. */
function checked({ base, model, distance }: Trial): { distance: number; baseDistance: number } {
  const baseProfile = profileOf(base.frames);
  const baseDistance = baseProfile === null ? Infinity : speakerDistance(baseProfile, model.profile);
  if (distance >= Math.max(baseDistance, nearEnough))
    throw new VoiceError(
      "voice_unfit",
      "The trained voice came out no nearer to the samples: send clear speech of one person, without music or echo.",
    );
  return { distance, baseDistance };
}

/** As close as two recordings of the same speaker. */
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
