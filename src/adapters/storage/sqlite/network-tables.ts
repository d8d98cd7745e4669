import { integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { AccountState, Caps, ConnectorName, Spacing, WarmUp } from "../../../features/network/account-model.ts";
import type { Holiday, Sessions, WorkingHours } from "../../../features/network/governor/calendar.ts";
import type { Tier } from "../../../features/network/meter-model.ts";
import type { ActionType } from "../../../features/network/action-kinds.ts";
import type { ActionDetails, ActionState, PendingReason } from "../../../features/network/action-model.ts";
import type { Relation } from "../../../features/network/contact-model.ts";

export const networkAccounts = sqliteTable("network_accounts", {
  seq: integer().primaryKey(),
  id: text().notNull(),
  workspaceId: text("workspace_id").notNull(),
  name: text().notNull(),
  connector: text().$type<ConnectorName>().notNull(),
  connectorSettings: text("connector_settings", { mode: "json" }).$type<Record<string, string>>().notNull(),
  tier: text().$type<Tier>().notNull(),
  timeZone: text("time_zone").notNull(),
  workingHours: text("working_hours", { mode: "json" }).$type<WorkingHours>().notNull(),
  holidays: text({ mode: "json" }).$type<readonly Holiday[]>().notNull(),
  caps: text({ mode: "json" }).$type<Caps>().notNull(),
  warmUp: text("warm_up", { mode: "json" }).$type<WarmUp>(),
  spacing: text({ mode: "json" }).$type<Spacing>().notNull(),
  sessions: text({ mode: "json" }).$type<Sessions>(),
  jitterPercent: integer("jitter_percent").notNull(),
  state: text().$type<AccountState>().notNull(),
  stateReason: text("state_reason"),
  requiresApproval: integer("requires_approval", { mode: "boolean" }).notNull(),
  withdrawAfterDays: integer("withdraw_after_days"),
  memberId: text("member_id"),
  isShared: integer("is_shared", { mode: "boolean" }).notNull().default(true),
  needsPlan: integer("needs_plan", { mode: "boolean" }).notNull().default(false),
  queueVersion: integer("queue_version").notNull().default(0),
  messagesReadTo: integer("messages_read_to"),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

export const networkActions = sqliteTable("network_actions", {
  seq: integer().primaryKey(),
  jobId: text("job_id").notNull(),
  workspaceId: text("workspace_id").notNull(),
  account: integer().notNull(),
  actionType: text("action_type").$type<ActionType>().notNull(),
  meter: integer().notNull(),
  hasNote: integer("has_note", { mode: "boolean" }).notNull(),
  profileUrl: text("profile_url").notNull(),
  profileKey: text("profile_key").notNull(),
  targetKey: text("target_key").notNull(),
  message: text(),
  details: text({ mode: "json" }).$type<ActionDetails>().notNull(),
  leadId: text("lead_id"),
  enrollmentId: text("enrollment_id"),
  campaignId: text("campaign_id"),
  campaignStep: integer("campaign_step"),
  state: text().$type<ActionState>().notNull(),
  pendingReason: text("pending_reason").$type<PendingReason>(),
  used: integer().notNull(),
  slotAt: integer("slot_at"),
  notBefore: integer("not_before").notNull(),
  draw: real().notNull(),
  reference: text(),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
  mayBeOpen: integer("may_be_open", { mode: "boolean" }).notNull(),
  carriedOutAt: integer("carried_out_at"),
  isUrgent: integer("is_urgent", { mode: "boolean" }).notNull().default(false),
});
/** The condition of the partial index of actions waiting for a user. Queries must repeat it literally to use the index. */
export const waitsForSomebody = "(state = 'awaitingApproval' OR state = 'awaiting' OR state = 'unknown')";
export type ActionRow = typeof networkActions.$inferSelect;

export const networkMeters = sqliteTable(
  "network_meters",
  {
    account: integer().notNull(),
    meter: integer().notNull(),
    frontierAt: integer("frontier_at"),
    freeAt: integer("free_at"),
    coolUntil: integer("cool_until"),
    coolLevel: integer("cool_level"),
    coolReason: text("cool_reason"),
    coolSince: integer("cool_since"),
  },
  (table) => [primaryKey({ columns: [table.account, table.meter] })],
);

export const networkContacts = sqliteTable(
  "network_contacts",
  {
    account: integer().notNull(),
    profileKey: text("profile_key").notNull(),
    profileUrl: text("profile_url").notNull(),
    relation: text().$type<Relation>().notNull(),
    invitedAt: integer("invited_at"),
    withdrawnAt: integer("withdrawn_at"),
    connectedAt: integer("connected_at"),
    messagedAt: integer("messaged_at"),
    repliedAt: integer("replied_at"),
    reference: text(),
    updatedAt: integer("updated_at").notNull(),
    leadId: text("lead_id"),
    campaignId: text("campaign_id"),
  },
  (table) => [primaryKey({ columns: [table.account, table.profileKey] })],
);
