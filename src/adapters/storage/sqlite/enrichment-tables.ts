import { integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { LeadToEnrich, Merged } from "../../../features/enrichment/model.ts";
import type { ItemOutcome } from "../../../features/enrichment/change-model.ts";

// lead_hints and lead_hints_done are used by lead-hints.ts only, enrichment_result_keys by enrichment-results.ts.

export const enrichmentResults = sqliteTable("enrichment_results", {
  n: integer().primaryKey(),
  owner: integer().notNull(),
  email: text(),
  network: text(),
  name: text(),
  asked: text({ mode: "json" }).$type<string[]>().notNull(),
  fields: text({ mode: "json" }).$type<Merged>().notNull(),
  at: integer().notNull(),
});

export const enrichmentItems = sqliteTable(
  "enrichment_items",
  {
    jobId: text("job_id").notNull(),
    n: integer().notNull(),
    input: text({ mode: "json" }).$type<LeadToEnrich>().notNull(),
    outcome: text({ mode: "json" }).$type<ItemOutcome>(),
  },
  (table) => [primaryKey({ columns: [table.jobId, table.n] })],
);

export const enrichmentSettings = sqliteTable("enrichment_settings", {
  workspaceId: text("workspace_id").primaryKey(),
  providers: text({ mode: "json" }).$type<string[]>().notNull(),
});

export const providerSpending = sqliteTable(
  "provider_spending",
  { provider: text().notNull(), month: integer().notNull(), spent: real().notNull() },
  (table) => [primaryKey({ columns: [table.provider, table.month] })],
);
