import { integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { JobMetadata, JobStatus, JobType } from "../../../platform/jobs/model.ts";
import type { Grant, KeyRateLimits, Permission } from "../../../platform/auth/key-model.ts";
import type { MemberRole } from "../../../platform/auth/member-role.ts";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";
import type { ImportOutcome, LeadStatus } from "../../../features/leads/model.ts";
import type { ImportRowError } from "../../../features/leads/change-model.ts";
import type { CreditPurpose, LedgerKind } from "../../../features/credits/model.ts";
import type { Role } from "../../../platform/auth/user-model.ts";

// The tables as drizzle queries them. The migrations create them, with constraints and indexes; a test compares the two.

export const workspaces = sqliteTable("workspaces", {
  seq: integer().primaryKey(),
  id: text().$type<WorkspaceId>().notNull(),
  name: text().notNull(),
  timeZone: text("time_zone").notNull(),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

export const users = sqliteTable("users", {
  seq: integer().primaryKey(),
  id: text().$type<UserId>().notNull(),
  email: text().notNull(),
  emailKey: text("email_key").notNull(),
  name: text(),
  role: text().$type<Role>().notNull(),
  timeZone: text("time_zone").notNull(),
  isActive: integer("is_active", { mode: "boolean" }).notNull().default(true),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

export const members = sqliteTable(
  "members",
  {
    workspaceId: text("workspace_id").$type<WorkspaceId>().notNull(),
    userId: text("user_id").$type<UserId>().notNull(),
    role: text().$type<MemberRole>().notNull(),
    permissions: text({ mode: "json" }).$type<Permission[]>(),
    isActive: integer("is_active", { mode: "boolean" }).notNull().default(true),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.userId] })],
);

/** What a member has read of their notifications. */
export const notificationReads = sqliteTable(
  "notification_reads",
  {
    workspaceId: text("workspace_id").$type<WorkspaceId>().notNull(),
    userId: text("user_id").$type<UserId>().notNull(),
    readUntil: integer("read_until").notNull(),
    alsoRead: text("also_read", { mode: "json" }).$type<number[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.userId] })],
);

export const apiKeys = sqliteTable("api_keys", {
  id: text().primaryKey(),
  workspaceId: text("workspace_id").$type<WorkspaceId>(),
  userId: text("user_id").$type<UserId>(),
  name: text().notNull(),
  hash: text().notNull(),
  hint: text().notNull(),
  permissions: text({ mode: "json" }).$type<Grant[]>().notNull(),
  requiresApproval: integer("requires_approval", { mode: "boolean" }).notNull(),
  expiresAt: integer("expires_at"),
  expiresInDays: integer("expires_in_days"),
  rateLimits: text("rate_limits", { mode: "json" }).$type<KeyRateLimits>(),
  allowedNetworks: text("allowed_networks", { mode: "json" }).$type<string[]>(),
  isActive: integer("is_active", { mode: "boolean" }).notNull(),
  usageCount: integer("usage_count").notNull(),
  lastUsedAt: integer("last_used_at"),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

/** Requests of a key on a day. */
export const keyUsage = sqliteTable(
  "key_usage",
  { keyId: text("key_id").notNull(), day: integer().notNull(), uses: integer().notNull() },
  (table) => [primaryKey({ columns: [table.keyId, table.day] })],
);

/** The expiry time that a key's owner was last warned of. */
export const keyWarnings = sqliteTable("key_warnings", {
  keyId: text("key_id").primaryKey(),
  expiresAt: integer("expires_at").notNull(),
});

export const sessions = sqliteTable("sessions", {
  id: text().primaryKey(),
  hash: text().notNull(),
  keyId: text("key_id").notNull(),
  keyHash: text("key_hash").notNull(),
  address: text(),
  userAgent: text("user_agent"),
  createdAt: integer("created_at").notNull(),
  lastUsedAt: integer("last_used_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
});

export const signInLinks = sqliteTable("sign_in_links", {
  hash: text().primaryKey(),
  keyId: text("key_id").notNull(),
  keyHash: text("key_hash").notNull(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
});

export const userIdentities = sqliteTable("user_identities", {
  id: text().primaryKey(),
  userId: text("user_id").$type<UserId>().notNull(),
  issuer: text().notNull(),
  subject: text().notNull(),
  email: text().notNull(),
  createdAt: integer("created_at").notNull(),
  lastUsedAt: integer("last_used_at").notNull(),
});

export const invitations = sqliteTable("invitations", {
  id: text().primaryKey(),
  workspaceId: text("workspace_id").$type<WorkspaceId>().notNull(),
  email: text().notNull(),
  emailKey: text("email_key").notNull(),
  role: text().$type<MemberRole>().notNull(),
  permissions: text({ mode: "json" }).$type<Permission[]>(),
  hash: text().notNull(),
  invitedBy: text("invited_by").$type<UserId>(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
});

export const creditLedger = sqliteTable("credit_ledger", {
  id: text().primaryKey(),
  workspaceId: text("workspace_id").notNull(),
  kind: text().$type<LedgerKind>().notNull(),
  amount: integer().notNull(),
  note: text(),
  createdAt: integer("created_at").notNull(),
  purpose: text().$type<CreditPurpose>(),
  request: text(),
  item: text(),
  keyId: text("key_id"),
});

export const leads = sqliteTable("leads", {
  seq: integer().primaryKey(),
  id: text().notNull(),
  owner: integer().notNull(),
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
  tags: text({ mode: "json" }).$type<string[]>().notNull(),
  customFields: text("custom_fields", { mode: "json" }).$type<Record<string, unknown>>().notNull(),
  folded: text().notNull(),
  version: integer().notNull(),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
  assignedTo: text("assigned_to").$type<UserId>(),
});

export const leadTags = sqliteTable(
  "lead_tags",
  { owner: integer().notNull(), tag: text().notNull(), lead: integer().notNull() },
  (table) => [primaryKey({ columns: [table.owner, table.tag, table.lead] })],
);

/** The lead into which another one was merged, by the ID of the other one. */
export const mergedLeads = sqliteTable("merged_leads", { id: text().primaryKey(), leadId: text("lead_id").notNull() });

export const leadCounts = sqliteTable(
  "lead_counts",
  { owner: integer().notNull(), status: text().$type<LeadStatus>().notNull(), leads: integer().notNull() },
  (table) => [primaryKey({ columns: [table.owner, table.status] })],
);

export const jobs = sqliteTable("jobs", {
  id: text().primaryKey(),
  workspaceId: text("workspace_id").notNull(),
  type: text().$type<JobType>().notNull(),
  status: text().$type<JobStatus>().notNull(),
  runAt: integer("run_at").notNull(),
  attempt: integer().notNull(),
  failures: integer().notNull(),
  maxAttempts: integer("max_attempts").notNull(),
  leaseUntil: integer("lease_until"),
  message: text().notNull(),
  progress: real().notNull(),
  metadata: text({ mode: "json" }).$type<JobMetadata>().notNull(),
  payload: text({ mode: "json" }).$type<Record<string, unknown>>().notNull(),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
  completedAt: integer("completed_at"),
  editedMessage: text("edited_message"),
  userId: text("user_id"),
});

export const leadImportRows = sqliteTable(
  "lead_import_rows",
  {
    jobId: text("job_id").notNull(),
    row: integer().notNull(),
    outcome: text().$type<ImportOutcome>().notNull(),
    leadId: text("lead_id"),
    errors: text({ mode: "json" }).$type<ImportRowError[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.jobId, table.row] })],
);
