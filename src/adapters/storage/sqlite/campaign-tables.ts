import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { AssignedVariants } from "../../../features/campaigns/variants.ts";
import type {
  CampaignSettings,
  CampaignState,
  CampaignStep,
  EnrollmentState,
} from "../../../features/campaigns/model.ts";

export const campaigns = sqliteTable("campaigns", {
  id: text().primaryKey(),
  workspaceId: text("workspace_id").notNull(),
  name: text().notNull(),
  state: text().$type<CampaignState>().notNull(),
  steps: text({ mode: "json" }).$type<CampaignStep[]>().notNull(),
  accountIds: text("account_ids", { mode: "json" }).$type<string[]>().notNull(),
  settings: text({ mode: "json" }).$type<CampaignSettings>().notNull(),
  startedAt: integer("started_at"),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

export const campaignEnrollments = sqliteTable("campaign_enrollments", {
  id: text().primaryKey(),
  campaignId: text("campaign_id").notNull(),
  workspaceId: text("workspace_id").notNull(),
  leadId: text("lead_id").notNull(),
  accountId: text("account_id").notNull(),
  profileKey: text("profile_key").notNull(),
  state: text().$type<EnrollmentState>().notNull(),
  reason: text(),
  atStep: integer("at_step").notNull(),
  sinceAt: integer("since_at").notNull(),
  wakeAt: integer("wake_at"),
  jobId: text("job_id"),
  connectedAt: integer("connected_at"),
  repliedAt: integer("replied_at"),
  variants: text({ mode: "json" }).$type<AssignedVariants>().notNull(),
  version: integer().notNull(),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});
