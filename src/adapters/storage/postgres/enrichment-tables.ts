import { doublePrecision, integer, json, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { ItemOutcome } from "../../../features/enrichment/change-model.ts";
import type { LeadToEnrich, Merged } from "../../../features/enrichment/model.ts";
import { assigned, bytes, whole } from "./tables.ts";

export const enrichmentResults = pgTable("enrichment_results", {
  n: assigned("n").primaryKey(),
  owner: whole("owner").notNull(),
  email: text(),
  network: text(),
  name: text(),
  asked: json().$type<string[]>().notNull(),
  fields: json().$type<Merged>().notNull(),
  at: whole("at").notNull(),
});

export const enrichmentResultKeys = pgTable(
  "enrichment_result_keys",
  { key: whole("key").notNull(), result: whole("result").notNull() },
  (table) => [primaryKey({ columns: [table.key, table.result] })],
);

export const enrichmentItems = pgTable(
  "enrichment_items",
  {
    jobId: text("job_id").notNull(),
    n: integer().notNull(),
    input: json().$type<LeadToEnrich>().notNull(),
    outcome: json().$type<ItemOutcome>(),
  },
  (table) => [primaryKey({ columns: [table.jobId, table.n] })],
);

export const enrichmentSettings = pgTable("enrichment_settings", {
  workspaceId: text("workspace_id").primaryKey(),
  providers: jsonb().$type<string[]>().notNull(),
});

export const providerSpending = pgTable(
  "provider_spending",
  { provider: text().notNull(), month: integer().notNull(), spent: doublePrecision().notNull() },
  (table) => [primaryKey({ columns: [table.provider, table.month] })],
);

export const emailVerdicts = pgTable(
  "email_verdicts",
  {
    owner: whole("owner").notNull(),
    key: bytes("key").notNull(),
    provider: text().notNull(),
    confidence: doublePrecision().notNull(),
    at: whole("at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.key, table.provider] })],
);

export const leadHints = pgTable(
  "lead_hints",
  { key: whole("key").notNull(), lead: whole("lead").notNull() },
  (table) => [primaryKey({ columns: [table.key, table.lead] })],
);

export const leadHintsDone = pgTable("lead_hints_done", {
  owner: whole("owner").primaryKey(),
  updatedAt: whole("updated_at").notNull(),
  lead: whole("lead").notNull(),
});
