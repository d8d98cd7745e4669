import { boolean, integer, json, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { AuditAction, AuditDetails, AuditWay } from "../../../platform/auth/audit/model.ts";
import type { Grant, KeyRateLimits, Permission } from "../../../platform/auth/key-model.ts";
import type { MemberRole } from "../../../platform/auth/member-role.ts";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";
import { bytes, whole } from "./tables.ts";

export const apiKeys = pgTable("api_keys", {
  id: text().primaryKey(),
  workspaceId: text("workspace_id").$type<WorkspaceId>(),
  userId: text("user_id").$type<UserId>(),
  name: text().notNull(),
  hash: text().notNull(),
  hint: text().notNull(),
  permissions: jsonb().$type<Grant[]>().notNull(),
  requiresApproval: boolean("requires_approval").notNull(),
  expiresAt: whole("expires_at"),
  expiresInDays: integer("expires_in_days"),
  rateLimits: jsonb("rate_limits").$type<KeyRateLimits>(),
  allowedNetworks: jsonb("allowed_networks").$type<string[]>(),
  isActive: boolean("is_active").notNull(),
  usageCount: whole("usage_count").notNull(),
  lastUsedAt: whole("last_used_at"),
  createdAt: whole("created_at").notNull(),
  updatedAt: whole("updated_at").notNull(),
});

/** Requests of a key on a day. */
export const keyUsage = pgTable(
  "key_usage",
  { keyId: text("key_id").notNull(), day: integer().notNull(), uses: whole("uses").notNull() },
  (table) => [primaryKey({ columns: [table.keyId, table.day] })],
);

/** What a member has read of their notifications. */
export const notificationReads = pgTable(
  "notification_reads",
  {
    workspaceId: text("workspace_id").$type<WorkspaceId>().notNull(),
    userId: text("user_id").$type<UserId>().notNull(),
    readUntil: whole("read_until").notNull(),
    alsoRead: jsonb("also_read").$type<number[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.userId] })],
);

/** The expiry time that a key's owner was last warned of. */
export const keyWarnings = pgTable("key_warnings", {
  keyId: text("key_id").primaryKey(),
  expiresAt: whole("expires_at").notNull(),
});

export const sessions = pgTable("sessions", {
  id: text().primaryKey(),
  hash: text().notNull(),
  keyId: text("key_id").notNull(),
  keyHash: text("key_hash").notNull(),
  address: text(),
  userAgent: text("user_agent"),
  createdAt: whole("created_at").notNull(),
  lastUsedAt: whole("last_used_at").notNull(),
  expiresAt: whole("expires_at").notNull(),
});

export const signInLinks = pgTable("sign_in_links", {
  hash: text().primaryKey(),
  keyId: text("key_id").notNull(),
  keyHash: text("key_hash").notNull(),
  createdAt: whole("created_at").notNull(),
  expiresAt: whole("expires_at").notNull(),
});

export const userIdentities = pgTable("user_identities", {
  id: text().primaryKey(),
  userId: text("user_id").$type<UserId>().notNull(),
  issuer: text().notNull(),
  subject: text().notNull(),
  email: text().notNull(),
  createdAt: whole("created_at").notNull(),
  lastUsedAt: whole("last_used_at").notNull(),
});

export const invitations = pgTable("invitations", {
  id: text().primaryKey(),
  workspaceId: text("workspace_id").$type<WorkspaceId>().notNull(),
  email: text().notNull(),
  emailKey: text("email_key").notNull(),
  role: text().$type<MemberRole>().notNull(),
  permissions: jsonb().$type<Permission[]>(),
  hash: text().notNull(),
  invitedBy: text("invited_by").$type<UserId>(),
  createdAt: whole("created_at").notNull(),
  expiresAt: whole("expires_at").notNull(),
});

export const auditLog = pgTable("audit_log", {
  seq: whole("seq").primaryKey(),
  at: whole("at").notNull(),
  action: text().$type<AuditAction>().notNull(),
  workspaceId: text("workspace_id").$type<WorkspaceId>(),
  via: text().$type<AuditWay>().notNull(),
  actorId: text("actor_id"),
  keyId: text("key_id"),
  keyName: text("key_name"),
  address: text(),
  userAgent: text("user_agent"),
  requestId: text("request_id"),
  targetType: text("target_type"),
  targetId: text("target_id"),
  details: json().$type<AuditDetails>().notNull(),
  hash: bytes("hash").notNull(),
});

export const auditStart = pgTable("audit_start", {
  onlyOne: integer("only_one").primaryKey(),
  seq: whole("seq").notNull(),
  hash: bytes("hash").notNull(),
});

export const auditEnd = pgTable("audit_end", {
  onlyOne: integer("only_one").primaryKey(),
  seq: whole("seq").notNull(),
  hash: bytes("hash").notNull(),
});
