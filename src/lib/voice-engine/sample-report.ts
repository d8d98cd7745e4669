/** From best to worst. `unusable` recordings are excluded from training. */
export const sampleVerdicts = ["good", "usable", "poor", "unusable"] as const;
export type SampleVerdict = (typeof sampleVerdicts)[number];

export const sampleProblemCodes = [
  "empty",
  "silent",
  "no_speech",
  "not_speech",
  "too_short",
  "short",
  "clipped",
  "noisy",
  "too_quiet",
  "too_loud",
  "narrow_band",
  "several_speakers",
  "mostly_silence",
  "cut_off",
] as const;
export type SampleProblemCode = (typeof sampleProblemCodes)[number];
/** `message` says what is wrong and what to do about it. */
export type SampleProblem = { code: SampleProblemCode; message: string };

/** Measurements of a file; levels in dB below full scale, `clippedShare` of all samples, 0 to 1. */
export type SampleMeasures = {
  seconds: number;
  speechSeconds: number;
  snrDb: number;
  clippedShare: number;
  levelDb: number;
  bandwidthHz: number;
  sampleRate: number;
  channels: number;
  /** Number of different voices; 0 without speech. */
  speakers: number;
};

export type SampleReport = SampleMeasures & { verdict: SampleVerdict; problems: SampleProblem[] };

/** Additional facts: the detector's confidence that this is speech (0 to 1), and whether everything was read. */
export type SampleFindings = { speechLikeness: number; hasVoice: boolean; isCutOff: boolean };

/** Below this, the upper half of the voice cannot be learned. */
export const narrowBandHz = 5_200;
/** The share of frames that must sound like speech to the neural detector: music has up to 0.04, speech 0.88. */
export const leastSpeechLikeness = 0.35;
const leastSpeechSeconds = 1;

type Finding = SampleProblem & { verdict: SampleVerdict };

/** Judges a file by its measurements. Thresholds follow the recommendations of hosted services. */
export function reportSample(measures: SampleMeasures, findings: SampleFindings): SampleReport {
  const found = [...ruinous(measures, findings)].slice(0, 1);
  if (found.length === 0) found.push(...flaws(measures, findings));
  const worst = Math.max(0, ...found.map(({ verdict }) => sampleVerdicts.indexOf(verdict)));
  return {
    ...measures,
    verdict: sampleVerdicts[worst]!,
    problems: found.map(({ code, message }) => ({ code, message })),
  };
}

/** Returns why a file is unusable, checking the most obvious reason first. */
function* ruinous(measures: SampleMeasures, findings: SampleFindings): Generator<Finding> {
  const { seconds, speechSeconds, levelDb, clippedShare } = measures;
  const problem = (code: SampleProblemCode, message: string): Finding => ({ code, message, verdict: "unusable" });
  if (seconds === 0) yield problem("empty", "The file holds no sound: send a recording of the voice.");
  if (levelDb < -50)
    yield problem("silent", "The recording is silent: check that the right microphone was on, and record again.");
  if (speechSeconds === 0)
    yield problem("no_speech", "No speech was found: send a recording of one person who speaks.");
  if (speechSeconds < leastSpeechSeconds)
    yield problem(
      "too_short",
      `Only ${speechSeconds.toFixed(1)} seconds of speech: send at least 5 seconds in a file.`,
    );
  if (findings.speechLikeness < leastSpeechLikeness)
    yield problem(
      "not_speech",
      "This does not sound like speech: leave out music, effects and loud background, and send speech alone.",
    );
  if (!findings.hasVoice)
    yield problem("no_speech", "No voiced speech was found: whispered or very noisy speech can't be learned.");
  if (clippedShare > 0.05)
    yield problem(
      "clipped",
      `${percent(clippedShare)} of the sound is clipped: turn the microphone down, record again.`,
    );
}

function* flaws(measures: SampleMeasures, findings: SampleFindings): Generator<Finding> {
  const { seconds, speechSeconds, snrDb, clippedShare, levelDb, bandwidthHz, speakers } = measures;
  const problem = (verdict: SampleVerdict, code: SampleProblemCode, message: string) => ({ verdict, code, message });
  if (speakers > 1)
    yield problem("poor", "several_speakers", "More than one voice was heard: send recordings of one person alone.");
  if (clippedShare > 0.001)
    yield problem(
      clippedShare > 0.01 ? "poor" : "usable",
      "clipped",
      `${percent(clippedShare)} of the sound is clipped: turn the microphone down or move away from it.`,
    );
  if (snrDb < 20)
    yield problem(
      snrDb < 8 ? "poor" : "usable",
      "noisy",
      `The voice is only ${Math.round(snrDb)} dB above the background: record in a quieter room, closer to the microphone.`,
    );
  if (levelDb < -30) yield problem("usable", "too_quiet", "The voice is very quiet: move closer to the microphone.");
  if (levelDb > -10) yield problem("usable", "too_loud", "The voice is very loud: turn the microphone down.");
  if (bandwidthHz < narrowBandHz)
    yield problem(
      "usable",
      "narrow_band",
      `Nothing above ${(bandwidthHz / 1000).toFixed(1)} kHz was recorded, as on a telephone: record at 16 kHz or more.`,
    );
  if (speechSeconds < 5)
    yield problem("usable", "short", `Only ${speechSeconds.toFixed(1)} seconds of speech: longer samples teach more.`);
  if (speechSeconds < 0.4 * seconds)
    yield problem(
      "usable",
      "mostly_silence",
      `${percent(1 - speechSeconds / seconds)} of the file is silence: cut it out.`,
    );
  if (findings.isCutOff)
    yield problem("good", "cut_off", "Only the first 5 minutes of the file were used, which is more than enough.");
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.01 ? 1 : 0)} %`;
}
