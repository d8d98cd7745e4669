import type { AuditEntry } from "../../platform/auth/audit/model.ts";
import type { Job, JobClaim, JobEnd } from "../../platform/jobs/model.ts";
import type { TimePlace } from "../../platform/base/time-place.ts";
import type {
  CloneQuality,
  CloneStatus,
  SampleQuality,
  VoiceClone,
  VoiceCloneState,
  VoiceEngineName,
  VoiceSample,
} from "./model.ts";

/** What a user may store at most. */
export type VoiceLimits = { maxClones: number; maxBytes: number };

export type NewClone = {
  clone: VoiceClone;
  samples: VoiceSample[];
  job: Job;
  limits: VoiceLimits;
  /** Stored in the same operation. */
  audit?: AuditEntry;
};
export type CreateOutcome =
  | { kind: "created" }
  | { kind: "tooMany"; count: number }
  /** The files would take the user beyond `maxBytes`. */
  | { kind: "noRoom"; usedBytes: number };

/** `job` trains again; it takes the place of a training that still runs, which ends as failed. */
export type Retraining = {
  userId: string;
  cloneId: string;
  job: Job;
  engine: VoiceEngineName;
  /** A clone that has failed takes its place among them again. */
  maxClones: number;
  at: number;
};
export type AddSamples = Retraining & { samples: VoiceSample[]; maxSamples: number; maxBytes: number };
export type AddOutcome =
  | { kind: "added" }
  | { kind: "absent" }
  | { kind: "tooManyClones"; count: number }
  | { kind: "tooMany"; count: number }
  | { kind: "noRoom"; usedBytes: number }
  /** The clone has this file already. */
  | { kind: "duplicate"; sha256: string; fileName: string };

export type CloneChange = Partial<Pick<VoiceClone, "name" | "description" | "labels" | "settings" | "isActive">>;

export type ClonePage = {
  userId: string;
  status: CloneStatus | null;
  limit: number;
  offset: number;
  after?: TimePlace | null;
};

/** A step of a training: its claim, until when it holds, and now. */
export type TrainingStep = { claim: JobClaim; leaseUntil: number; at: number };

export type TrainedArtefact = { engine: VoiceEngineName; artefact: string };

/** A voice that was made elsewhere and is to be deleted there. */
export type VoiceRemoval = TrainedArtefact & { id: number; failures: number };

/** Voice clones, their samples, and what was made of them. */
export type VoiceStore = {
  /** Stores clone, samples and training in one; what others store at the same time counts against the limits. */
  create(request: NewClone): Promise<CreateOutcome>;
  /** Resolves once what this request has stored before is durable; rejects when it does not hold after all. */
  durable(): Promise<void>;
  /** Clones that count against the limit: all but those that failed and never spoke. */
  countOf(userId: string): Promise<number>;
  /** Clones of anybody that do not count, and failed before `before`, at most `limit`. */
  failedBefore(before: number, limit: number): Promise<{ userId: string; id: string }[]>;
  /** Of all files of a user: samples, what was learned from them, and recordings of consent. */
  bytesOf(userId: string): Promise<number>;
  /** Newest first, at most `limit`; `total` counts all of the user's, `matching` those that have the status. */
  page(request: ClonePage): Promise<{ clones: VoiceCloneState[]; total: number; matching: number }>;
  get(userId: string, id: string): Promise<VoiceCloneState | null>;
  /** Null when there is none. */
  update(userId: string, id: string, change: CloneChange, at: number): Promise<VoiceCloneState | null>;
  /**
   * Deletes a clone with all that is stored of it; a training that still runs ends as failed. What a vendor keeps is
   * queued for removal. False when there is none.
   */
  remove(userId: string, id: string, at: number, audit?: AuditEntry): Promise<boolean>;
  /** Oldest first; empty for a clone of somebody else. */
  samples(userId: string, cloneId: string): Promise<VoiceSample[]>;
  addSamples(request: AddSamples): Promise<AddOutcome>;
  /** "last": a clone without samples could not be trained. */
  removeSample(request: Retraining & { sampleId: string }): Promise<"removed" | "absent" | "last" | "tooManyClones">;
  retrain(request: Retraining): Promise<"begun" | "absent" | "tooManyClones">;

  /** What the job is to train; null when another job took its place or the clone is gone. */
  training(jobId: string): Promise<{ clone: VoiceClone; samples: VoiceSample[] } | null>;
  /** Tells how far it is and prolongs the lease. False, here and below: the claim is void and nothing was written. */
  tellProgress(step: TrainingStep & { progress: number; message: string }): Promise<boolean>;
  measured(step: TrainingStep & { sampleId: string; quality: SampleQuality; derivedBytes: number }): Promise<boolean>;
  /** Ends the training; `trained` is the voice that it made, null when it made none. */
  endTraining(ending: {
    claim: JobClaim;
    quality: CloneQuality | null;
    trained: TrainedArtefact | null;
    end: JobEnd;
  }): Promise<boolean>;
  /** The files of these samples are gone. */
  forgetOriginals(cloneId: string, sampleIds: readonly string[]): Promise<void>;

  /** What a clone speaks with; null while there is nothing. */
  artefact(cloneId: string): Promise<TrainedArtefact | null>;
  /** Which of these clones are stored, whosever they are, with the ids of their samples. */
  known(cloneIds: readonly string[]): Promise<Map<string, ReadonlySet<string>>>;

  /** Due removals, oldest first, at most `limit`. */
  removals(limit: number, now: number): Promise<VoiceRemoval[]>;
  removalDone(id: number): Promise<void>;
  removalFailed(id: number, retryAt: number): Promise<void>;
};
