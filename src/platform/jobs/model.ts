import { Type, type Static } from "@sinclair/typebox";
import type { UserId, WorkspaceId } from "../base/ids.ts";

export const jobStatuses = ["pending", "running", "completed", "failed"] as const;
export type JobStatus = (typeof jobStatuses)[number];
/** Of jobs that are not claimed again, unless their user retries them. */
export const endedStatuses = ["completed", "failed"] as const satisfies readonly JobStatus[];

/** Wire names; `linkedin_action` is fixed by the specification. */
export const jobTypes = [
  "linkedin_action",
  "data_enrichment",
  "lead_import",
  "lead_bulk",
  "prospect_import",
  "voice_training",
  "person_erasure",
] as const;
export type JobType = (typeof jobTypes)[number];

/** JSON object for clients; its keys depend on the type. */
export type JobMetadata = Record<string, unknown>;

export type Job = {
  id: string;
  workspaceId: WorkspaceId;
  /** Who began it; null for what the server does by itself, and for a global key that acts for a workspace. */
  userId: UserId | null;
  type: JobType;
  status: JobStatus;
  /** Earliest time to run. */
  runAt: number;
  /** Number of claims so far, which fences off writes of earlier claims. */
  attempt: number;
  /** Failed claims since the job was created or last retried by its user. Postponements don't count. */
  failures: number;
  /** Number of failures after which the job fails. */
  maxAttempts: number;
  /** Expiry of the claim; null if the job is not running. */
  leaseUntil: number | null;
  message: string;
  /** Percent. */
  progress: number;
  metadata: JobMetadata;
  /** For the handler only; never shown. */
  payload: Record<string, unknown>;
  createdAt: number;
  updatedAt: number;
  completedAt: number | null;
  /** Message set by a client, shown instead of `message` until the job ends. */
  editedMessage?: string | null;
};

export const JobView = Type.Object(
  {
    id: Type.String(),
    userId: Type.Union([Type.String(), Type.Null()], {
      description:
        "User who began it. null for what the server does by itself, and for a global key that acts for a workspace.",
    }),
    type: Type.Union(jobTypes.map((type) => Type.Literal(type))),
    status: Type.Union(jobStatuses.map((status) => Type.Literal(status))),
    createdAt: Type.String({ format: "date-time" }),
    completedAt: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
    message: Type.String({ description: "Human-readable progress or result." }),
    progress: Type.Number({ minimum: 0, maximum: 100, description: "Percent." }),
    metadata: Type.Record(Type.String(), Type.Unknown(), {
      description:
        "Details, depending on the type. `linkedin_action`: actionType, profileUrl, delay (milliseconds from creation to the planned time; 0 if there is none), scheduledFor, pendingReason, nextEligibleAt, outcome. `lead_import`: rows, created, updated, skipped, failed, dryRun. `lead_bulk`: operation (update, delete, or enroll), total, processed, changed, unchanged, skipped (counts by reason). `prospect_import`: rows, created, updated, skipped, failed, companies, ignoredColumns. Both imports: columns (field of each CSV column), onDuplicate, encoding (if not UTF-8), sheet (of a workbook). `lead_import`: format (if NDJSON). `data_enrichment`: batchSize, processed, enriched, failed, creditsUsed, results (URL of the results). `voice_training`: voiceId, name, engine. `person_erasure`: scope, subject (hashes), records, waiting.",
    }),
  },
  { $id: "Job", description: "A background job." },
);
export type JobView = Static<typeof JobView>;

export type JobStatistics = Record<JobStatus | "total" | "successRate", number>;
export const JobStatisticsView = Type.Object(
  {
    total: Type.Integer(),
    pending: Type.Integer(),
    running: Type.Integer(),
    completed: Type.Integer(),
    failed: Type.Integer(),
    successRate: Type.Number({ description: "Percentage of finished jobs that completed. 0 if none has finished." }),
  },
  { $id: "JobStatistics" },
);

export const JobDay = Type.Object(
  {
    date: Type.String({ format: "date", description: "A day in your time zone." }),
    pending: Type.Integer(),
    running: Type.Integer(),
    completed: Type.Integer(),
    failed: Type.Integer(),
  },
  { $id: "JobDay", description: "Number of jobs of a day, by their current status." },
);
export type JobDay = Static<typeof JobDay>;

/** What the day of a job is: when it was created, or when it was executed. */
export const jobDayBases = ["created", "executed"] as const;
export type JobDayBasis = (typeof jobDayBases)[number];

export type JobFilter = { status?: JobStatus; type?: JobType; createdFrom?: number; createdTo?: number };
/** Position of a page: the last job of the previous one. */
export type JobPlace = { createdAt: number; id: string };

/** The claim that a runner uses for its writes. A later attempt makes it void. */
export type JobClaim = { id: string; attempt: number };

/** How a claim of a job ends. `metadata` is merged with the existing metadata. */
export type JobEnd =
  | { kind: "completed"; message: string; metadata: JobMetadata; at: number }
  | { kind: "failed"; message: string; metadata: JobMetadata; at: number }
  | { kind: "again"; message: string; metadata: JobMetadata; at: number; runAt: number; countsAsAttempt: boolean }
  | { kind: "parked"; message: string; metadata: JobMetadata; at: number };
