import { giveWay, type ThreadPort } from "../../../threads.ts";
import { AudioError, decodeAudio, fileSource, probeAudio, wavBytes } from "../../../lib/audio/audio.ts";
import { SampleAnalysis, type SampleResult } from "../../../lib/voice-engine/sample-analysis.ts";
import { maxReadSeconds } from "../../../lib/voice-engine/sample-reader.ts";
import type { SileroWeights } from "../../../lib/voice-engine/silero.ts";
import { countVoicesAmong } from "../../../lib/voice-engine/speaker-count.ts";
import { profileOf, type Profile } from "../../../lib/voice-engine/speaker-profile.ts";
import { loadSilero } from "../../../lib/voice-engine/voice-assets.ts";
import type { SampleQuality } from "../model.ts";
import { framesFile, readFrames } from "./frames-file.ts";

/** `isStored`: whether the sample belongs to a clone, so that files are derived from it. */
export type SampleToMeasure = { id: string; path: string; isStored: boolean };
/** The clip and the frames of a usable sample: see `voiceFiles`. */
export type DerivedFiles = { clip: Uint8Array; frames: Uint8Array };
/** A sample as passed to the thread. The main thread owns the descriptor and closes it. */
export type OpenSample = Omit<SampleToMeasure, "path"> & { descriptor: number };

/** `measuredBefore`: frames files of the clone's other samples, for comparing voices. */
export type AnalysisRequest = { samples: OpenSample[]; measuredBefore: string[] };

export type AnalysisAnswer =
  /** Progress of the sample with this index, from 0 to 1. */
  | { kind: "progress"; index: number; share: number }
  | { kind: "measured"; id: string; quality: SampleQuality; derived: DerivedFiles | null }
  /** Number of different voices in the samples. */
  | { kind: "done"; speakers: number };

/** The task "voice-analysis": decodes and measures samples, one at a time. */
export type AnalysisThread = {
  task: "voice-analysis";
  init: AnalysisRequest;
  port: ThreadPort<never, AnalysisAnswer>;
};

/** Decoding is fast; measuring takes longer. */
const readingShare = 0.4;

export async function runAnalysisThread(
  port: AnalysisThread["port"],
  { samples, measuredBefore }: AnalysisRequest,
): Promise<void> {
  giveWay();
  const silero = await loadSilero();
  const profiles: (Profile | null)[] = measuredBefore.map((path) => {
    const measured = readFrames(path);
    return measured && profileOf(measured.frames);
  });
  let speakers = 0;
  for (const [index, sample] of samples.entries()) {
    port.post({ kind: "progress", index, share: 0 });
    const onShare = (share: number) => port.post({ kind: "progress", index, share });
    const { quality, result } = measure(sample.descriptor, silero, onShare);
    profiles.push(result?.frames ? profileOf(result.frames) : null);
    speakers = Math.max(speakers, quality.measures?.speakers ?? 0);
    const derived = result === null || !sample.isStored ? null : derivedFiles(result);
    port.post({ kind: "measured", id: sample.id, quality, derived });
    // Each sample leaves about 100 MB of garbage, which must be collected before the next one needs as much.
    Bun.gc(true);
  }
  const speakersAcross = countVoicesAmong(profiles.filter((profile) => profile !== null));
  port.post({ kind: "done", speakers: Math.max(speakers, speakersAcross) });
}

type Measured = { quality: SampleQuality; result: SampleResult | null };

/** An undecodable file is a result, not an error. */
function measure(descriptor: number, silero: SileroWeights, onShare: (share: number) => void): Measured {
  const source = fileSource(descriptor);
  try {
    const { claimedSeconds } = probeAudio(source);
    const expectedSeconds = Math.min(claimedSeconds ?? maxReadSeconds, maxReadSeconds);
    const analysis = new SampleAnalysis(silero);
    let seconds = 0;
    let reportedAt = 0;
    for (const block of decodeAudio(source)) {
      analysis.push(block);
      if (analysis.isFull) break;
      seconds += (block.channels[0]?.length ?? 0) / block.sampleRate;
      if (seconds - reportedAt < 5) continue;
      reportedAt = seconds;
      onShare(readingShare * Math.min(1, seconds / Math.max(1, expectedSeconds)));
    }
    onShare(readingShare);
    const result = analysis.finish();
    const { verdict, problems, ...measures } = result.report;
    return { quality: { verdict, problems, measures }, result };
  } catch (error) {
    if (!(error instanceof AudioError)) throw error;
    const problem = { code: `file_${error.code}`, message: error.message };
    return { quality: { verdict: "unusable", problems: [problem], measures: null }, result: null };
  }
}

/** Null for an unusable sample. */
function derivedFiles({ report, frames, excerpt }: SampleResult): DerivedFiles | null {
  if (frames === null) return null;
  return { clip: wavBytes(excerpt.signal, excerpt.sampleRate), frames: framesFile({ report, frames }) };
}
