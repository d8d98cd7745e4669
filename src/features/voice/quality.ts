import { sampleVerdicts, type SampleVerdict } from "../../lib/voice-engine/sample-report.ts";
import type { CloneQuality, QualityProblem, SampleQuality } from "./model.ts";

/** Minimum amount of speech to distinguish a voice from similar ones. The built-in engine has the same limit. */
export const minTrainingSeconds = 10;
/** Recommended by hosted services; more speech hardly improves the result. */
const recommendedSeconds = 30;

/** Overall quality of a clone's samples. `speakers`: number of different voices detected in all of them. */
export function cloneQuality(samples: readonly SampleQuality[], speakers: number): CloneQuality {
  const usable = samples.filter(({ verdict }) => verdict !== "unusable");
  const speechSeconds = speechIn(usable);
  const problems = [...problemsOf(samples, usable, speechSeconds, speakers)];
  const isTooLittle = speechSeconds < minTrainingSeconds;
  return {
    verdict: isTooLittle ? "unusable" : worse(bestOf(usable), speakers > 1 ? "poor" : "good"),
    usableSamples: usable.length,
    speechSeconds,
    speakers,
    problems,
    notes: [],
  };
}

/** Why these samples cannot be used for training and what to do, as a sentence, or null if they can. */
export function trainingProblem(samples: readonly SampleQuality[]): string | null {
  const usable = samples.filter(({ verdict }) => verdict !== "unusable");
  const seconds = speechIn(usable);
  if (seconds >= minTrainingSeconds) return null;
  const found = `${Math.floor(seconds)} ${Math.floor(seconds) === 1 ? "second" : "seconds"}`;
  const files = samples.length === 1 ? "1 file" : `${samples.length} files`;
  const reasons = samples
    .filter(({ verdict }) => verdict === "unusable")
    .flatMap(({ problems }) => problems.map(({ message }) => message));
  const shown = [...new Set(reasons)].slice(0, 3);
  return [`Only ${found} of speech in ${files}. Send at least ${minTrainingSeconds} seconds.`, ...shown].join(" ");
}

function* problemsOf(
  samples: readonly SampleQuality[],
  usable: readonly SampleQuality[],
  speechSeconds: number,
  speakers: number,
): Generator<QualityProblem> {
  const tooLittle = trainingProblem(samples);
  if (tooLittle !== null) yield { code: "too_little_speech", message: tooLittle };
  else if (speechSeconds < recommendedSeconds)
    yield {
      code: "little_speech",
      message: `Only ${Math.floor(speechSeconds)} seconds of speech. Send 30 to 60 seconds for a closer likeness.`,
    };
  if (usable.length < samples.length)
    yield {
      code: "unusable_samples",
      message: `${samples.length - usable.length} of ${samples.length} samples cannot be used. See their reports for the reasons.`,
    };
  if (speakers > 1)
    yield {
      code: "several_speakers",
      message:
        "The samples contain more than one voice, so the clone is a mixture. Send recordings of one person only.",
    };
}

function speechIn(samples: readonly SampleQuality[]): number {
  return samples.reduce((sum, { measures }) => sum + (measures?.speechSeconds ?? 0), 0);
}

function bestOf(samples: readonly SampleQuality[]): SampleVerdict {
  const ranks = samples.map(({ verdict }) => sampleVerdicts.indexOf(verdict));
  return sampleVerdicts[Math.min(sampleVerdicts.length - 1, ...ranks)]!;
}

function worse(a: SampleVerdict, b: SampleVerdict): SampleVerdict {
  return sampleVerdicts.indexOf(a) > sampleVerdicts.indexOf(b) ? a : b;
}
