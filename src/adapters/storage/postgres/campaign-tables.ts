import { integer, json, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type {
  CampaignSettings,
  CampaignState,
  CampaignStep,
  EnrollmentState,
} from "../../../features/campaigns/model.ts";
import type { Trail } from "../../../features/campaigns/trail.ts";
import type { AssignedVariants } from "../../../features/campaigns/variants.ts";
import { whole } from "./tables.ts";

export const campaigns = pgTable("campaigns", {
  id: text().primaryKey(),
  workspaceId: text("workspace_id").notNull(),
  name: text().notNull(),
  state: text().$type<CampaignState>().notNull(),
  steps: json().$type<CampaignStep[]>().notNull(),
  accountIds: jsonb("account_ids").$type<string[]>().notNull(),
  settings: jsonb().$type<CampaignSettings>().notNull(),
  winners: jsonb().$type<AssignedVariants>().notNull(),
  version: integer().notNull(),
  firstStep: integer("first_step").notNull(),
  startedAt: whole("started_at"),
  createdAt: whole("created_at").notNull(),
  updatedAt: whole("updated_at").notNull(),
});

export const campaignEarlierSteps = pgTable(
  "campaign_earlier_steps",
  {
    campaignId: text("campaign_id").notNull(),
    firstStep: integer("first_step").notNull(),
    steps: json().$type<CampaignStep[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.campaignId, table.firstStep] })],
);

export const campaignEnrollments = pgTable("campaign_enrollments", {
  id: text().primaryKey(),
  campaignId: text("campaign_id").notNull(),
  workspaceId: text("workspace_id").notNull(),
  leadId: text("lead_id").notNull(),
  accountId: text("account_id").notNull(),
  profileKey: text("profile_key").notNull(),
  state: text().$type<EnrollmentState>().notNull(),
  reason: text(),
  atStep: integer("at_step").notNull(),
  sinceAt: whole("since_at").notNull(),
  wakeAt: whole("wake_at"),
  jobId: text("job_id"),
  connectedAt: whole("connected_at"),
  repliedAt: whole("replied_at"),
  interestedAt: whole("interested_at"),
  variants: jsonb().$type<AssignedVariants>().notNull(),
  trail: jsonb().$type<Trail>().notNull(),
  version: integer().notNull(),
  createdAt: whole("created_at").notNull(),
  updatedAt: whole("updated_at").notNull(),
});

const counter = {
  campaignId: text("campaign_id").notNull(),
  mark: text().notNull(),
  day: integer().notNull(),
  accountId: text("account_id").notNull(),
  step: integer().notNull(),
  variant: text().notNull(),
};

export const campaignFunnel = pgTable(
  "campaign_funnel",
  { ...counter, enrollments: whole("enrollments").notNull() },
  ({ campaignId, mark, day, accountId, step, variant }) => [
    primaryKey({ columns: [campaignId, mark, day, accountId, step, variant] }),
  ],
);

/** Changes of counters that `foldFunnel` has not added to them yet. */
export const campaignFunnelChanges = pgTable("campaign_funnel_changes", {
  n: whole("n").generatedAlwaysAsIdentity().primaryKey(),
  ...counter,
  enrollments: whole("enrollments").notNull(),
});
