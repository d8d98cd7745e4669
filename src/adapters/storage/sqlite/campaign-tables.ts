import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Trail } from "../../../features/campaigns/trail.ts";
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
  winners: text({ mode: "json" }).$type<AssignedVariants>().notNull(),
  version: integer().notNull(),
  firstStep: integer("first_step").notNull(),
  startedAt: integer("started_at"),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

export const campaignEarlierSteps = sqliteTable(
  "campaign_earlier_steps",
  {
    campaignId: text("campaign_id").notNull(),
    firstStep: integer("first_step").notNull(),
    steps: text({ mode: "json" }).$type<CampaignStep[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.campaignId, table.firstStep] })],
);

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
  interestedAt: integer("interested_at"),
  variants: text({ mode: "json" }).$type<AssignedVariants>().notNull(),
  trail: text({ mode: "json" }).$type<Trail>().notNull(),
  version: integer().notNull(),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

export const campaignFunnel = sqliteTable(
  "campaign_funnel",
  {
    campaignId: text("campaign_id").notNull(),
    mark: text().notNull(),
    day: integer().notNull(),
    accountId: text("account_id").notNull(),
    step: integer().notNull(),
    variant: text().notNull(),
    enrollments: integer().notNull(),
  },
  ({ campaignId, mark, day, accountId, step, variant }) => [
    primaryKey({ columns: [campaignId, mark, day, accountId, step, variant] }),
  ],
);
