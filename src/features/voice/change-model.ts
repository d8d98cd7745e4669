import type { AuditEntry } from "../../platform/auth/audit/model.ts";
import type { Job, JobClaim, JobEnd } from "../../platform/jobs/model.ts";
import type { CloneQuality, VoiceClone, VoiceEngineName, VoiceSample } from "./model.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

/** Limits per user. */
export type VoiceLimits = { maxClones: number; maxBytes: number };

export type NewClone = {
  clone: VoiceClone;
  samples: VoiceSample[];
  job: Job;
  limits: VoiceLimits;
  /** Stored in the same transaction. */
  audit?: AuditEntry;
};
export type CreateOutcome =
  | { kind: "created" }
  | { kind: "tooMany"; count: number }
  /** The files would exceed the user's `maxBytes`. */
  | { kind: "noRoom"; usedBytes: number };

/** `job` retrains the clone and replaces a training that is still running, which ends as failed. */
export type Retraining = {
  workspaceId: WorkspaceId;
  cloneId: string;
  job: Job;
  engine: VoiceEngineName;
  /** Limit that applies because a failed clone counts again once it is retrained. */
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
  /** The clone already has this file. */
  | { kind: "duplicate"; sha256: string; fileName: string };

export type TrainedArtefact = { engine: VoiceEngineName; artefact: string };

/** How a training ends. `trained` is the resulting voice, or null. */
export type TrainingEnd = {
  claim: JobClaim;
  quality: CloneQuality | null;
  trained: TrainedArtefact | null;
  end: JobEnd;
};
