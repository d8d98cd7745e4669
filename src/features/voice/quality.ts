import { sampleVerdicts, type SampleVerdict } from "../../lib/voice-engine/sample-report.ts";
import type { CloneQuality, QualityProblem, SampleQuality } from "./model.ts";

/** With less speech a voice can't be told from its neighbours; the built-in engine refuses it as well. */
export const leastTrainingSeconds = 10;
/** What hosted services recommend; from here on more hardly helps. */
const plentifulSeconds = 30;

/** What the samples of a clone are good for, taken together. `speakers`: how many voices were heard in all of them. */
export function cloneQuality(samples: readonly SampleQuality[], speakers: number): CloneQuality {
  const usable = samples.filter(({ verdict }) => verdict !== "unusable");
  const speechSeconds = speechIn(usable);
  const problems = [...problemsOf(samples, usable, speechSeconds, speakers)];
  const isTooLittle = speechSeconds < leastTrainingSeconds;
  return {
    verdict: isTooLittle ? "unusable" : worse(bestOf(usable), speakers > 1 ? "poor" : "good"),
    usableSamples: usable.length,
    speechSeconds,
    speakers,
    problems,
    notes: [],
  };
}

/** Why no voice can be trained with these samples, as a sentence that says what to do; null when it can. */
export function trainingProblem(samples: readonly SampleQuality[]): string | null {
  const usable = samples.filter(({ verdict }) => verdict !== "unusable");
  const seconds = speechIn(usable);
  if (seconds >= leastTrainingSeconds) return null;
  const found = `${Math.floor(seconds)} ${Math.floor(seconds) === 1 ? "second" : "seconds"}`;
  const files = samples.length === 1 ? "1 file" : `${samples.length} files`;
  const reasons = samples
    .filter(({ verdict }) => verdict === "unusable")
    .flatMap(({ problems }) => problems.map(({ message }) => message));
  const shown = [...new Set(reasons)].slice(0, 3);
  return [`Only ${found} of speech in ${files}: send at least ${leastTrainingSeconds}.`, ...shown].join(" ");
}

function* problemsOf(
  samples: readonly SampleQuality[],
  usable: readonly SampleQuality[],
  speechSeconds: number,
  speakers: number,
): Generator<QualityProblem> {
  const tooLittle = trainingProblem(samples);
  if (tooLittle !== null) yield { code: "too_little_speech", message: tooLittle };
  else if (speechSeconds < plentifulSeconds)
    yield {
      code: "little_speech",
      message: `${Math.floor(speechSeconds)} seconds of speech are few: 30 to 60 make a better likeness.`,
    };
  if (usable.length < samples.length)
    yield {
      code: "unusable_samples",
      message: `${samples.length - usable.length} of ${samples.length} samples could not be used: see their reports.`,
    };
  if (speakers > 1)
    yield {
      code: "several_speakers",
      message: "More than one voice was heard in the samples: the clone is a mixture. Send recordings of one person.",
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
