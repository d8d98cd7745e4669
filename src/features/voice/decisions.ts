import type { AuditEntry } from "../../platform/auth/audit/model.ts";
import type { Decision } from "../../platform/base/decision.ts";
import type { NewEvent } from "../../platform/events/model.ts";
import type { Job, JobStatus } from "../../platform/jobs/model.ts";
import { canceledJob, endedJob, hasEnded, isHeld, type JobChange } from "../../platform/jobs/transitions.ts";
import type {
  AddOutcome,
  AddSamples,
  CreateOutcome,
  NewClone,
  Retraining,
  TrainedArtefact,
  TrainingEnd,
} from "./change-model.ts";
import type { CloneStatus, VoiceClone, VoiceSample } from "./model.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

/** What of a user's clone counts toward the limits. */
export type CloneUsage = {
  id: string;
  jobStatus: JobStatus;
  trainedAt: number | null;
  /** Size of the consent recording. */
  recordingBytes: number;
  samples: readonly Pick<VoiceSample, "bytes" | "hasOriginal" | "derivedBytes">[];
};

/** What decisions may ask of the store: synchronous and read-only. */
export type VoiceFacts = {
  /** Null unless the user has this clone. */
  clone(workspaceId: WorkspaceId, id: string): VoiceClone | null;
  samples(cloneId: string): readonly VoiceSample[];
  job(id: string): Job | null;
  usage(workspaceId: WorkspaceId): readonly CloneUsage[];
};

export type VoiceChange =
  | { kind: "create"; clone: VoiceClone }
  | { kind: "update"; cloneId: string; values: Partial<VoiceClone> }
  | { kind: "remove"; cloneId: string }
  | { kind: "addSamples"; samples: readonly VoiceSample[] }
  | { kind: "removeSample"; sampleId: string }
  /** Replaces the previous one. */
  | { kind: "artefact"; cloneId: string; trained: TrainedArtefact }
  | { kind: "newJob"; job: Job }
  | { kind: "job"; job: Job; change: JobChange }
  | { kind: "audit"; entry: AuditEntry | undefined }
  | { kind: "event"; event: NewEvent };

type Decided<Outcome> = Decision<Outcome, VoiceChange>;

/** The job statuses behind the status of a clone. */
export const jobStatusesOf = {
  processing: ["pending", "running"],
  ready: ["completed"],
  failed: ["failed"],
} as const satisfies Record<CloneStatus, readonly JobStatus[]>;

/** The status of a clone is that of its latest training. */
export function cloneStatusOf(jobStatus: JobStatus): CloneStatus {
  if (jobStatus === "completed") return "ready";
  return jobStatus === "failed" ? "failed" : "processing";
}

/** Number of clones that count toward the limit: all except those that failed before they were ever trained. */
export function countedClones(usage: readonly CloneUsage[]): number {
  return usage.filter(isCounted).length;
}

/** Total size of the files: samples, derived data, and consent recordings. */
export function storedBytes(usage: readonly CloneUsage[]): number {
  const bytesOf = ({ bytes, hasOriginal, derivedBytes }: CloneUsage["samples"][number]) =>
    (hasOriginal ? bytes : 0) + derivedBytes;
  return usage.reduce(
    (sum, { recordingBytes, samples }) =>
      samples.reduce((total, sample) => total + bytesOf(sample), sum + recordingBytes),
    0,
  );
}

export function decideCreate(request: NewClone, facts: VoiceFacts): Decided<CreateOutcome> {
  const { clone, samples, job, limits, audit } = request;
  const usage = facts.usage(clone.workspaceId);
  const count = countedClones(usage);
  if (count >= limits.maxClones) return { outcome: { kind: "tooMany", count }, changes: [] };
  const usedBytes = storedBytes(usage);
  const newBytes = sizeOf(samples) + (clone.consent?.recording?.bytes ?? 0);
  if (usedBytes + newBytes > limits.maxBytes) return { outcome: { kind: "noRoom", usedBytes }, changes: [] };
  return {
    outcome: { kind: "created" },
    changes: [
      { kind: "newJob", job },
      { kind: "create", clone },
      { kind: "addSamples", samples },
      { kind: "audit", entry: audit },
    ],
  };
}

/** A running training ends; its runner finds that the claim is void. */
export function decideRemoval(
  workspaceId: WorkspaceId,
  id: string,
  { at, audit }: { at: number; audit: AuditEntry | undefined },
  facts: VoiceFacts,
): Decided<boolean> {
  const clone = facts.clone(workspaceId, id);
  if (clone === null) return { outcome: false, changes: [] };
  return {
    outcome: true,
    changes: [
      ...endOfTraining(clone, "The voice clone was deleted.", at, facts),
      { kind: "remove", cloneId: id },
      { kind: "audit", entry: audit },
      {
        kind: "event",
        event: { type: "voice.deleted", workspaceId, at, voiceId: id, actorId: audit?.actorId ?? null },
      },
    ],
  };
}

/** A failed clone counts toward the limit again once it is retrained. */
export function decideRetraining(
  { workspaceId, cloneId, job, engine, maxClones, at }: Retraining,
  facts: VoiceFacts,
): Decided<"begun" | "absent" | "tooManyClones"> {
  const clone = facts.clone(workspaceId, cloneId);
  if (clone === null) return { outcome: "absent", changes: [] };
  const usage = facts.usage(workspaceId);
  const countsAlready = usage.some((each) => each.id === cloneId && isCounted(each));
  if (!countsAlready && countedClones(usage) >= maxClones) return { outcome: "tooManyClones", changes: [] };
  return {
    outcome: "begun",
    changes: [
      ...endOfTraining(clone, "A newer training took its place.", at, facts),
      { kind: "newJob", job },
      { kind: "update", cloneId, values: { jobId: job.id, engine, updatedAt: at } },
    ],
  };
}

/** Changing the samples of a clone retrains it. */
export function decideNewSamples(request: AddSamples, facts: VoiceFacts): Decided<AddOutcome> {
  const { workspaceId, cloneId, samples, maxSamples, maxBytes } = request;
  const refuse = (outcome: AddOutcome): Decided<AddOutcome> => ({ outcome, changes: [] });
  if (facts.clone(workspaceId, cloneId) === null) return refuse({ kind: "absent" });
  const stored = facts.samples(cloneId);
  if (stored.length + samples.length > maxSamples) return refuse({ kind: "tooMany", count: stored.length });
  const twin = samples.find(({ sha256 }) => stored.some((sample) => sample.sha256 === sha256));
  if (twin !== undefined) return refuse({ kind: "duplicate", sha256: twin.sha256, fileName: twin.fileName });
  const usage = facts.usage(workspaceId);
  const usedBytes = storedBytes(usage);
  if (usedBytes + sizeOf(samples) > maxBytes) return refuse({ kind: "noRoom", usedBytes });
  const { outcome, changes } = decideRetraining(request, facts);
  if (outcome === "tooManyClones") return refuse({ kind: "tooManyClones", count: countedClones(usage) });
  return { outcome: { kind: "added" }, changes: [...changes, { kind: "addSamples", samples }] };
}

export function decideSampleRemoval(
  request: Retraining & { sampleId: string },
  facts: VoiceFacts,
): Decided<"removed" | "absent" | "last" | "tooManyClones"> {
  const { workspaceId, cloneId, sampleId } = request;
  const stored = facts.clone(workspaceId, cloneId) === null ? [] : facts.samples(cloneId);
  if (!stored.some(({ id }) => id === sampleId)) return { outcome: "absent", changes: [] };
  if (stored.length === 1) return { outcome: "last", changes: [] };
  const { outcome, changes } = decideRetraining(request, facts);
  if (outcome === "tooManyClones") return { outcome, changes: [] };
  return { outcome: "removed", changes: [...changes, { kind: "removeSample", sampleId }] };
}

/** Ends the training of a clone. False if the claim is void or a newer training has replaced it. */
export function decideTrainingEnd(
  { claim, quality, trained, end }: TrainingEnd,
  clone: VoiceClone | null,
  facts: Pick<VoiceFacts, "job">,
): Decided<boolean> {
  const job = facts.job(claim.id);
  if (clone === null || job === null || !isHeld(job, claim)) return { outcome: false, changes: [] };
  const { id: cloneId } = clone;
  const values = { quality, updatedAt: end.at, ...(trained !== null && { trainedAt: end.at }) };
  return {
    outcome: true,
    changes: [
      ...(trained === null ? [] : [{ kind: "artefact", cloneId, trained } as const]),
      { kind: "update", cloneId, values },
      { kind: "job", job, change: endedJob(job, end) },
    ],
  };
}

function isCounted({ jobStatus, trainedAt }: CloneUsage): boolean {
  return jobStatus !== "failed" || trainedAt !== null;
}

function endOfTraining({ jobId }: VoiceClone, message: string, at: number, facts: VoiceFacts): VoiceChange[] {
  const job = facts.job(jobId);
  return job === null || hasEnded(job) ? [] : [{ kind: "job", job, change: canceledJob(job, at, message) }];
}

function sizeOf(samples: readonly VoiceSample[]): number {
  return samples.reduce((sum, { bytes }) => sum + bytes, 0);
}
