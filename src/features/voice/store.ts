import type { AuditEntry } from "../../platform/auth/audit/model.ts";
import type { JobClaim } from "../../platform/jobs/model.ts";
import type { TimePlace } from "../../platform/base/time-place.ts";
import type {
  AddOutcome,
  AddSamples,
  CreateOutcome,
  NewClone,
  Retraining,
  TrainedArtefact,
  TrainingEnd,
} from "./change-model.ts";
import type { CloneStatus, SampleQuality, VoiceClone, VoiceCloneState, VoiceSample } from "./model.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

export type CloneChange = Partial<Pick<VoiceClone, "name" | "description" | "labels" | "settings" | "isActive">>;

export type ClonePage = {
  workspaceId: WorkspaceId;
  status: CloneStatus | null;
  limit: number;
  offset: number;
  after?: TimePlace | null;
};

/** A step of a training: its claim, the end of the lease, and the current time. */
export type TrainingStep = { claim: JobClaim; leaseUntil: number; at: number };

/** A voice that must be deleted at its vendor. */
export type VoiceRemoval = TrainedArtefact & { id: number; failures: number };

/** Stores voice clones, their samples, and trained voices. */
export type VoiceStore = {
  /** Stores clone, samples, and training job in one transaction. Concurrent creations count toward the limits. */
  create(request: NewClone): Promise<CreateOutcome>;
  /** Resolves once everything this request has stored so far is durable; rejects if the commit fails. */
  durable(): Promise<void>;
  /** Number of clones that count toward the limit: all except failed ones that were never usable. */
  countClones(workspaceId: WorkspaceId): Promise<number>;
  /** Clones of all users that failed before `before` and do not count toward the limit, at most `limit`. */
  failedBefore(before: number, limit: number): Promise<{ workspaceId: WorkspaceId; id: string }[]>;
  /** Total size of a user's files: samples, derived data, and consent recordings. */
  storedBytes(workspaceId: WorkspaceId): Promise<number>;
  /** Newest first, at most `limit`. `total` counts all clones of the user, `matching` the clones with the status. */
  page(request: ClonePage): Promise<{ clones: VoiceCloneState[]; total: number; matching: number }>;
  get(workspaceId: WorkspaceId, id: string): Promise<VoiceCloneState | null>;
  /** Null if the clone does not exist. */
  update(workspaceId: WorkspaceId, id: string, change: CloneChange, at: number): Promise<VoiceCloneState | null>;
  /**
   * Deletes a clone and everything stored with it. A running training ends as failed, and a vendor's copy is queued for
   * removal. False if the clone does not exist.
   */
  remove(workspaceId: WorkspaceId, id: string, at: number, audit?: AuditEntry): Promise<boolean>;
  /** Oldest first; empty for a clone of another user. */
  samples(workspaceId: WorkspaceId, cloneId: string): Promise<VoiceSample[]>;
  addSamples(request: AddSamples): Promise<AddOutcome>;
  /** "last": the last sample cannot be removed. */
  removeSample(request: Retraining & { sampleId: string }): Promise<"removed" | "absent" | "last" | "tooManyClones">;
  retrain(request: Retraining): Promise<"begun" | "absent" | "tooManyClones">;

  /** The clone and samples to train; null if the job was replaced or the clone was deleted. */
  training(jobId: string): Promise<{ clone: VoiceClone; samples: VoiceSample[] } | null>;
  /**
   * Stores the progress and extends the lease. Here and below, false means that the claim is void and nothing was
   * written.
   */
  updateProgress(step: TrainingStep & { progress: number; message: string }): Promise<boolean>;
  saveMeasurement(
    step: TrainingStep & { sampleId: string; quality: SampleQuality; derivedBytes: number },
  ): Promise<boolean>;
  /** Ends the training. `trained` is the resulting voice, or null. */
  endTraining(ending: TrainingEnd): Promise<boolean>;
  /** Records that the files of these samples were deleted. */
  markOriginalsDeleted(cloneId: string, sampleIds: readonly string[]): Promise<void>;

  /** The trained voice of a clone; null until there is one. */
  artefact(cloneId: string): Promise<TrainedArtefact | null>;
  /** Those of these clones that exist, for any user, with the IDs of their samples. */
  findClones(cloneIds: readonly string[]): Promise<Map<string, ReadonlySet<string>>>;

  /** Due removals, oldest first, at most `limit`. */
  removals(limit: number, now: number): Promise<VoiceRemoval[]>;
  removalDone(id: number): Promise<void>;
  removalFailed(id: number, retryAt: number): Promise<void>;
};
