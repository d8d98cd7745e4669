import { isoTime, isoTimeOrNull } from "../../platform/base/clock.ts";
import type { SampleCheck } from "./check.ts";
import type {
  CheckView,
  CloneDetailView,
  CloneView,
  SampleView,
  StoredFile,
  UpdatedCloneView,
  VoiceCloneState,
  VoiceSample,
  VoiceSettings,
} from "./model.ts";

// The specification uses different field names for the same clone on different routes.

export function newCloneView({ id, name, description, sampleCount, createdAt, jobId }: VoiceCloneState) {
  return {
    voiceId: id,
    name,
    description,
    sampleCount,
    createdAt: isoTime(createdAt),
    status: "processing" as const,
    jobId,
  };
}

export function cloneView(clone: VoiceCloneState): CloneView {
  const { id, name, description, isActive, sampleCount, labels, status, progress, message, jobId } = clone;
  return {
    voiceId: id,
    name,
    description,
    createdAt: isoTime(clone.createdAt),
    updatedAt: isoTime(clone.updatedAt),
    isActive,
    sampleCount,
    labels,
    status,
    progress: Math.round(progress * 100) / 100,
    message,
    errorMessage: status === "failed" ? message : null,
    jobId,
    trainedAt: isoTimeOrNull(clone.trainedAt),
  };
}

export function cloneDetailView(clone: VoiceCloneState, samples: readonly VoiceSample[]): CloneDetailView {
  const { settings, engine, consent, quality } = clone;
  return {
    ...cloneView(clone),
    settings: settingsView(settings),
    engine,
    consent: consent && { ...consent, attestedAt: isoTime(consent.attestedAt) },
    quality: quality && { ...quality, speechSeconds: rounded(quality.speechSeconds) },
    samples: samples.map(sampleView),
  };
}

export function updatedCloneView(clone: VoiceCloneState): UpdatedCloneView {
  const { id, name, description, status, settings, createdAt, updatedAt, isActive, labels } = clone;
  return {
    id,
    name,
    description,
    status,
    settings: settingsView(settings),
    created_at: isoTime(createdAt),
    updated_at: isoTime(updatedAt),
    isActive,
    labels,
  };
}

export function sampleView({ id, fileName, hasOriginal, quality, createdAt, ...file }: VoiceSample): SampleView {
  return {
    sampleId: id,
    fileName,
    ...fileView(file),
    hasOriginal,
    quality: quality && qualityView(quality),
    createdAt: isoTime(createdAt),
  };
}

export function checkView({ isTrainable, quality, samples }: SampleCheck): CheckView {
  return {
    isTrainable,
    quality: { ...quality, speechSeconds: rounded(quality.speechSeconds) },
    samples: samples.map(({ fileName, quality, ...file }) => ({
      fileName,
      ...fileView(file),
      quality: qualityView(quality),
    })),
  };
}

function qualityView({ verdict, problems, measures }: NonNullable<VoiceSample["quality"]>) {
  if (measures === null) return { verdict, problems, measures };
  const { seconds, speechSeconds, snrDb, clippedShare, levelDb, bandwidthHz, sampleRate, channels, speakers } =
    measures;
  return {
    verdict,
    problems,
    measures: {
      seconds: rounded(seconds),
      speechSeconds: rounded(speechSeconds),
      snrDb: rounded(snrDb),
      clippedShare,
      levelDb: rounded(levelDb),
      bandwidthHz: Math.round(bandwidthHz),
      sampleRate,
      channels,
      speakers,
    },
  };
}

function fileView({ format, bytes, sha256 }: StoredFile): StoredFile {
  return { format, bytes, sha256 };
}

function settingsView({ stability, clarity, useSpeakerBoost }: VoiceSettings) {
  return { stability, clarity, use_speaker_boost: useSpeakerBoost };
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
