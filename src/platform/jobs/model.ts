import { Type, type Static } from "@sinclair/typebox";

export const jobStatuses = ["pending", "running", "completed", "failed"] as const;
export type JobStatus = (typeof jobStatuses)[number];

/** Wire names; `linkedin_action` is fixed by the specification. */
export const jobTypes = [
  "linkedin_action",
  "data_enrichment",
  "lead_import",
  "prospect_import",
  "voice_training",
  "person_erasure",
] as const;
export type JobType = (typeof jobTypes)[number];

/** JSON object for clients; its keys differ by type. */
export type JobMetadata = Record<string, unknown>;

export type Job = {
  id: string;
  userId: string;
  type: JobType;
  status: JobStatus;
  /** Not before this moment. */
  runAt: number;
  /** How often it was claimed; the fence of the current claim. */
  attempt: number;
  /** Claims that came to nothing since it was stored or last retried by its owner; postponements don't count. */
  failures: number;
  /** With so many failures it is given up. */
  maxAttempts: number;
  /** Until when the claim holds; null while nobody runs it. */
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
  /** What a client wrote in the place of `message`, which is shown again once the job has ended. */
  editedMessage?: string | null;
};

export const JobView = Type.Object(
  {
    id: Type.String(),
    type: Type.Union(jobTypes.map((type) => Type.Literal(type))),
    status: Type.Union(jobStatuses.map((status) => Type.Literal(status))),
    createdAt: Type.String({ format: "date-time" }),
    completedAt: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
    message: Type.String({ description: "What is going on, or what came out, for a person to read." }),
    progress: Type.Number({ minimum: 0, maximum: 100, description: "Percent." }),
    metadata: Type.Record(Type.String(), Type.Unknown(), {
      description:
        "By type. linkedin_action: actionType, profileUrl, delay (ms from its creation to its planned moment, 0 while it has none), scheduledFor, pendingReason, nextEligibleAt, outcome. lead_import: rows, created, updated, skipped, failed, dryRun. prospect_import: the same without dryRun, and companies, ignoredColumns. Both: columns (where each column of a CSV file went), onDuplicate, encoding, where the file was not UTF-8. data_enrichment: batchSize, processed, enriched, failed, creditsUsed, results (where to read them). voice_training: voiceId, name, engine. person_erasure: scope, subject (hashes), records, waiting.",
    }),
  },
  { $id: "Job", description: "Work that the service does in the background." },
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
    successRate: Type.Number({ description: "Percent of the finished jobs that completed; 0 when none has finished." }),
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
  { $id: "JobDay", description: "Jobs that were created on a day, by where they stand now." },
);
export type JobDay = Static<typeof JobDay>;

export type JobFilter = { status?: JobStatus; type?: JobType; createdFrom?: number; createdTo?: number };
/** The place behind which a page begins: the last job of the page before. */
export type JobPlace = { createdAt: number; id: string };

/** Names the claim under which a runner writes: a later attempt makes it void. */
export type JobClaim = { id: string; attempt: number };

/** What becomes of a running job. `metadata` is merged into what is there. */
export type JobEnd =
  | { kind: "completed"; message: string; metadata: JobMetadata; at: number }
  | { kind: "failed"; message: string; metadata: JobMetadata; at: number }
  | { kind: "again"; message: string; metadata: JobMetadata; at: number; runAt: number; countsAsAttempt: boolean }
  | { kind: "parked"; message: string; metadata: JobMetadata; at: number };
