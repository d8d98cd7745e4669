import { boolean, doublePrecision, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { AccountState, Caps, ConnectorName, Spacing, WarmUp } from "../../../features/network/account-model.ts";
import type { Holiday, Sessions, WorkingHours } from "../../../features/network/governor/calendar.ts";
import type { Tier } from "../../../features/network/meter-model.ts";
import type { ActionType } from "../../../features/network/action-kinds.ts";
import type { ActionDetails, ActionState, PendingReason } from "../../../features/network/action-model.ts";
import type { Relation } from "../../../features/network/contact-model.ts";
import { assigned, whole } from "./tables.ts";

export const networkAccounts = pgTable("network_accounts", {
  seq: assigned("seq").primaryKey(),
  id: text().notNull(),
  workspaceId: text("workspace_id").notNull(),
  name: text().notNull(),
  connector: text().$type<ConnectorName>().notNull(),
  connectorSettings: jsonb("connector_settings").$type<Record<string, string>>().notNull(),
  tier: text().$type<Tier>().notNull(),
  timeZone: text("time_zone").notNull(),
  workingHours: jsonb("working_hours").$type<WorkingHours>().notNull(),
  holidays: jsonb().$type<readonly Holiday[]>().notNull(),
  caps: jsonb().$type<Caps>().notNull(),
  warmUp: jsonb("warm_up").$type<WarmUp>(),
  spacing: jsonb().$type<Spacing>().notNull(),
  sessions: jsonb().$type<Sessions>(),
  jitterPercent: integer("jitter_percent").notNull(),
  state: text().$type<AccountState>().notNull(),
  stateReason: text("state_reason"),
  requiresApproval: boolean("requires_approval").notNull(),
  withdrawAfterDays: integer("withdraw_after_days"),
  memberId: text("member_id"),
  isShared: boolean("is_shared").notNull().default(true),
  needsPlan: boolean("needs_plan").notNull().default(false),
  queueVersion: whole("queue_version").notNull().default(0),
  messagesReadTo: whole("messages_read_to"),
  createdAt: whole("created_at").notNull(),
  updatedAt: whole("updated_at").notNull(),
});

export const networkActions = pgTable("network_actions", {
  seq: assigned("seq").primaryKey(),
  jobId: text("job_id").notNull(),
  workspaceId: text("workspace_id").notNull(),
  account: whole("account").notNull(),
  actionType: text("action_type").$type<ActionType>().notNull(),
  meter: integer().notNull(),
  hasNote: boolean("has_note").notNull(),
  profileUrl: text("profile_url").notNull(),
  profileKey: text("profile_key").notNull(),
  targetKey: text("target_key").notNull(),
  message: text(),
  details: jsonb().$type<ActionDetails>().notNull(),
  leadId: text("lead_id"),
  enrollmentId: text("enrollment_id"),
  campaignId: text("campaign_id"),
  campaignStep: integer("campaign_step"),
  state: text().$type<ActionState>().notNull(),
  pendingReason: text("pending_reason").$type<PendingReason>(),
  used: integer().notNull(),
  slotAt: whole("slot_at"),
  notBefore: whole("not_before").notNull(),
  draw: doublePrecision().notNull(),
  reference: text(),
  createdAt: whole("created_at").notNull(),
  updatedAt: whole("updated_at").notNull(),
  mayBeOpen: boolean("may_be_open").notNull(),
  carriedOutAt: whole("carried_out_at"),
  isUrgent: boolean("is_urgent").notNull().default(false),
});
export type ActionRow = typeof networkActions.$inferSelect;

export const networkMeters = pgTable(
  "network_meters",
  {
    account: whole("account").notNull(),
    meter: integer().notNull(),
    frontierAt: whole("frontier_at"),
    freeAt: whole("free_at"),
    coolUntil: whole("cool_until"),
    coolLevel: integer("cool_level"),
    coolReason: text("cool_reason"),
    coolSince: whole("cool_since"),
  },
  (table) => [primaryKey({ columns: [table.account, table.meter] })],
);

export const networkContacts = pgTable(
  "network_contacts",
  {
    account: whole("account").notNull(),
    profileKey: text("profile_key").notNull(),
    profileUrl: text("profile_url").notNull(),
    relation: text().$type<Relation>().notNull(),
    invitedAt: whole("invited_at"),
    withdrawnAt: whole("withdrawn_at"),
    connectedAt: whole("connected_at"),
    messagedAt: whole("messaged_at"),
    repliedAt: whole("replied_at"),
    reference: text(),
    updatedAt: whole("updated_at").notNull(),
    leadId: text("lead_id"),
    campaignId: text("campaign_id"),
  },
  (table) => [primaryKey({ columns: [table.account, table.profileKey] })],
);
