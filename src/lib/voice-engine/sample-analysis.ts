import { analysisRate } from "./analysis-format.ts";
import { bandwidthOf } from "./bandwidth.ts";
import type { PcmBlock } from "./pcm-block.ts";
import { resample } from "./resampler.ts";
import { keptRate, SampleReader } from "./sample-reader.ts";
import {
  narrowBandHz,
  reportSample,
  leastSpeechLikeness,
  type SampleMeasures,
  type SampleReport,
} from "./sample-report.ts";
import { speechProbabilities, type SileroWeights } from "./silero.ts";
import { countSpeakers } from "./speaker-count.ts";
import { profileOf } from "./speaker-profile.ts";
import { detectActivity, secondsOf } from "./speech-detector.ts";
import { joinPieces, leveled, loudestStretch, speechPieces, spread } from "./speech-excerpt.ts";
import { measureSpeech, type SpeechFrames } from "./speech-frames.ts";
import { clamp, decibels, meanPower } from "./statistics.ts";

/** More speech from one file does not improve a voice. */
const learnedSeconds = 60;
/** The neural detector is the slowest stage, and music or noise shows soon. */
const gatedSeconds = 20;
const excerptSeconds = 30;
/** Level (RMS) to which speech is normalized, so that thresholds apply to all files. */
const speechLevel = 0.08;

/**
 * What was learned from a file. `frames` is null for unusable recordings; `excerpt` is its clearest speech, at most 30
 * s, mono at 24 kHz, for engines that clone from a short clip (3 MB).
 */
export type SampleResult = {
  report: SampleReport;
  frames: SpeechFrames | null;
  excerpt: { signal: Float32Array; sampleRate: number };
};

/**
 * Analyzes a recording: `push` its blocks as they are decoded, then `finish`. At most the first 5 minutes are read
 * (stop decoding when `isFull`), and a minute of speech is used. Memory is limited to about 80 MB.
 */
export class SampleAnalysis {
  readonly #silero: SileroWeights;
  readonly #reader = new SampleReader();

  constructor(silero: SileroWeights) {
    this.#silero = silero;
  }

  push(block: PcmBlock): void {
    this.#reader.push(block);
  }

  get isFull(): boolean {
    return this.#reader.isFull;
  }

  finish(): SampleResult {
    const result = this.#measure();
    // The arrays of a file take a hundred megabytes and are no longer referenced; the next file needs the space.
    Bun.gc(true);
    return result;
  }

  #measure(): SampleResult {
    const { signal: kept, clippedShare, sampleRate, channels } = this.#reader.finish();
    const signal = resample(kept, keptRate, analysisRate);
    const activity = detectActivity(signal);
    const pieces = speechPieces(activity.spans);
    const learned = spread(pieces, learnedSeconds);
    const speech = leveled(joinPieces(signal, learned), speechLevel);
    const keptSpeech = joinPieces(kept, learned, keptRate);
    const measures: SampleMeasures = {
      seconds: kept.length / keptRate,
      speechSeconds: secondsOf(activity.spans),
      snrDb: clamp(activity.speechDb - activity.noiseDb, 0, 80),
      clippedShare,
      levelDb: Math.max(-99, decibels(meanPower(keptSpeech.length > 0 ? keptSpeech : kept))),
      bandwidthHz: Math.min(sampleRate / 2, bandwidthOf(keptSpeech, keptRate)),
      sampleRate,
      channels,
      speakers: 0,
    };
    const speechLikeness = this.#speechLikeness(
      leveled(joinPieces(signal, spread(learned, gatedSeconds)), speechLevel),
    );
    const frames =
      speechLikeness < leastSpeechLikeness ? null : measureSpeech(speech, measures.bandwidthHz < narrowBandHz);
    const hasVoice = frames !== null && profileOf(frames) !== null;
    if (hasVoice) measures.speakers = Math.max(1, countSpeakers(frames));
    const report = reportSample(measures, { speechLikeness, hasVoice, isCutOff: this.isFull });
    return {
      report,
      frames: report.verdict === "unusable" ? null : frames,
      excerpt: {
        signal: joinPieces(kept, loudestStretch(pieces, activity.levelDb, excerptSeconds), keptRate),
        sampleRate: keptRate,
      },
    };
  }

  #speechLikeness(speech: Float32Array): number {
    const probabilities = speechProbabilities(this.#silero, speech);
    return probabilities.length === 0 ? 0 : probabilities.filter((p) => p > 0.5).length / probabilities.length;
  }
}
