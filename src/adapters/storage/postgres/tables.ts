import {
  bigint,
  boolean,
  customType,
  doublePrecision,
  integer,
  json,
  jsonb,
  pgTable,
  primaryKey,
  text,
} from "drizzle-orm/pg-core";
import type { ImportOutcome, LeadStatus } from "../../../features/leads/model.ts";
import type { ImportRowError } from "../../../features/leads/change-model.ts";
import type { SuppressionKind, SuppressionSource } from "../../../features/suppression/model.ts";
import type { Permission } from "../../../platform/auth/key-model.ts";
import type { MemberRole } from "../../../platform/auth/member-role.ts";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";
import type { Role } from "../../../platform/auth/user-model.ts";
import type { EventType } from "../../../platform/events/model.ts";
import type { JobMetadata, JobStatus, JobType } from "../../../platform/jobs/model.ts";

// The tables as drizzle queries them. The migrations create them, with constraints and indexes; a test compares the two.

/** For milliseconds since 1970, row numbers, and 53-bit hashes. */
export const whole = (name: string) => bigint(name, { mode: "number" });
/** A number that PostgreSQL assigns. */
export const assigned = (name: string) => whole(name).generatedByDefaultAsIdentity();
export const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "bytea" });

export const workspaces = pgTable("workspaces", {
  seq: assigned("seq").primaryKey(),
  id: text().$type<WorkspaceId>().notNull(),
  name: text().notNull(),
  timeZone: text("time_zone").notNull(),
  createdAt: whole("created_at").notNull(),
  updatedAt: whole("updated_at").notNull(),
});

export const users = pgTable("users", {
  seq: assigned("seq").primaryKey(),
  id: text().$type<UserId>().notNull(),
  email: text().notNull(),
  emailKey: text("email_key").notNull(),
  name: text(),
  role: text().$type<Role>().notNull(),
  timeZone: text("time_zone").notNull(),
  isActive: boolean("is_active").notNull().default(true),
  createdAt: whole("created_at").notNull(),
  updatedAt: whole("updated_at").notNull(),
});

export const members = pgTable(
  "members",
  {
    workspaceId: text("workspace_id").$type<WorkspaceId>().notNull(),
    userId: text("user_id").$type<UserId>().notNull(),
    role: text().$type<MemberRole>().notNull(),
    permissions: jsonb().$type<Permission[]>(),
    isActive: boolean("is_active").notNull().default(true),
    createdAt: whole("created_at").notNull(),
    updatedAt: whole("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.userId] })],
);

export const jobs = pgTable("jobs", {
  id: text().primaryKey(),
  workspaceId: text("workspace_id").notNull(),
  type: text().$type<JobType>().notNull(),
  status: text().$type<JobStatus>().notNull(),
  runAt: whole("run_at").notNull(),
  attempt: integer().notNull(),
  failures: integer().notNull(),
  maxAttempts: integer("max_attempts").notNull(),
  leaseUntil: whole("lease_until"),
  message: text().notNull(),
  progress: doublePrecision().notNull(),
  metadata: jsonb().$type<JobMetadata>().notNull(),
  payload: jsonb().$type<Record<string, unknown>>().notNull(),
  createdAt: whole("created_at").notNull(),
  updatedAt: whole("updated_at").notNull(),
  completedAt: whole("completed_at"),
  editedMessage: text("edited_message"),
  userId: text("user_id"),
});

export const events = pgTable("events", {
  id: whole("id").generatedAlwaysAsIdentity().primaryKey(),
  /** Null until the event is numbered, after its commit. */
  position: whole("position"),
  owner: whole("owner"),
  type: text().$type<EventType>().notNull(),
  at: whole("at").notNull(),
  leadId: text("lead_id"),
  jobId: text("job_id"),
  campaignId: text("campaign_id"),
  accountId: text("account_id"),
  voiceId: text("voice_id"),
  data: jsonb().$type<Record<string, unknown>>().notNull(),
  actorId: text("actor_id"),
});

export const suppressions = pgTable("suppressions", {
  seq: assigned("seq").primaryKey(),
  id: text().notNull(),
  /** Null: applies to every user. */
  owner: whole("owner"),
  kind: text().$type<SuppressionKind>().notNull(),
  key: bytes("key").notNull(),
  value: text(),
  reason: text(),
  source: text().$type<SuppressionSource>().notNull(),
  createdAt: whole("created_at").notNull(),
});

export const leads = pgTable("leads", {
  seq: assigned("seq").primaryKey(),
  id: text().notNull(),
  owner: whole("owner").notNull(),
  firstName: text("first_name"),
  lastName: text("last_name"),
  email: text(),
  company: text(),
  title: text(),
  phone: text(),
  networkUrl: text("network_url"),
  industry: text(),
  location: text(),
  source: text(),
  notes: text(),
  status: text().$type<LeadStatus>().notNull(),
  tags: jsonb().$type<string[]>().notNull(),
  customFields: json("custom_fields").$type<Record<string, unknown>>().notNull(),
  folded: text().notNull(),
  version: integer().notNull(),
  createdAt: whole("created_at").notNull(),
  updatedAt: whole("updated_at").notNull(),
  assignedTo: text("assigned_to").$type<UserId>(),
});

export const leadKeys = pgTable(
  "lead_keys",
  { key: whole("key").notNull(), lead: whole("lead").notNull() },
  (table) => [primaryKey({ columns: [table.key, table.lead] })],
);

export const leadTags = pgTable(
  "lead_tags",
  { owner: whole("owner").notNull(), tag: text().notNull(), lead: whole("lead").notNull() },
  (table) => [primaryKey({ columns: [table.owner, table.tag, table.lead] })],
);

/** The lead into which another one was merged, by the ID of the other one. */
export const mergedLeads = pgTable("merged_leads", { id: text().primaryKey(), leadId: text("lead_id").notNull() });

/** Changes in the number of leads; their sum is the count. */
export const leadCounts = pgTable("lead_counts", {
  n: whole("n").generatedAlwaysAsIdentity().primaryKey(),
  owner: whole("owner").notNull(),
  status: text().$type<LeadStatus>().notNull(),
  leads: whole("leads").notNull(),
});

export const leadImportRows = pgTable(
  "lead_import_rows",
  {
    jobId: text("job_id").notNull(),
    row: whole("row").notNull(),
    outcome: text().$type<ImportOutcome>().notNull(),
    leadId: text("lead_id"),
    errors: jsonb().$type<ImportRowError[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.jobId, table.row] })],
);

export const leadImportCreated = pgTable(
  "lead_import_created",
  {
    jobId: text("job_id").notNull(),
    row: whole("row").notNull(),
    lead: whole("lead").notNull(),
    leads: whole("leads").notNull(),
    createdAt: whole("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.jobId, table.row] })],
);

export const leadImportNotes = pgTable(
  "lead_import_notes",
  {
    jobId: text("job_id").notNull(),
    n: whole("n").notNull(),
    lead: whole("lead"),
    leadId: text("lead_id"),
    texts: jsonb().$type<Record<string, string | null>>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.jobId, table.n] })],
);

export const leadImportNoteKeys = pgTable(
  "lead_import_note_keys",
  { jobId: text("job_id").notNull(), key: whole("key").notNull(), n: whole("n").notNull() },
  (table) => [primaryKey({ columns: [table.jobId, table.key, table.n] })],
);
