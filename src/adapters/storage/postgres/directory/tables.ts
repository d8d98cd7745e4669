import { integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { FieldError } from "../../../../platform/base/errors.ts";
import type { WorkspaceId } from "../../../../platform/base/ids.ts";
import type { ProspectOutcome, ProspectSourceName, SearchFilters } from "../../../../features/prospecting/model.ts";
import { bytes, whole } from "../tables.ts";

export const directories = pgTable("prospect_directories", {
  owner: whole("owner").primaryKey(),
  nextNumber: whole("next_number").notNull().default(0),
  lastChange: whole("last_change").notNull().default(0),
  foldedTo: whole("folded_to").notNull().default(0),
  unfolded: whole("unfolded").notNull().default(0),
  rules: integer().notNull(),
  rebuiltTo: whole("rebuilt_to"),
});

export const prospects = pgTable(
  "prospects",
  {
    owner: whole("owner").notNull(),
    number: whole("number").notNull(),
    content: text().notNull(),
    leadId: text("lead_id"),
    createdAt: whole("created_at").notNull(),
    updatedAt: whole("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.number] })],
);

export const prospectKeys = pgTable(
  "prospect_keys",
  { owner: whole("owner").notNull(), key: whole("key").notNull(), number: whole("number").notNull() },
  (table) => [primaryKey({ columns: [table.owner, table.key, table.number] })],
);

export const aliases = pgTable(
  "prospect_aliases",
  { owner: whole("owner").notNull(), number: whole("number").notNull(), intoNumber: whole("into_number").notNull() },
  (table) => [primaryKey({ columns: [table.owner, table.number] })],
);

export const reveals = pgTable(
  "prospect_reveals",
  { owner: whole("owner").notNull(), number: whole("number").notNull(), at: whole("at").notNull() },
  (table) => [primaryKey({ columns: [table.owner, table.number] })],
);

export const companies = pgTable(
  "prospect_companies",
  {
    owner: whole("owner").notNull(),
    key: text().notNull(),
    nameKey: text("name_key"),
    content: text().notNull(),
    createdAt: whole("created_at").notNull(),
    updatedAt: whole("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.key] })],
);

export const terms = pgTable(
  "prospect_terms",
  {
    owner: whole("owner").notNull(),
    facet: text().notNull(),
    value: text().notNull(),
    id: whole("id").notNull().generatedAlwaysAsIdentity(),
    label: text().notNull(),
    prospects: whole("prospects").notNull(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.facet, table.value] })],
);

export const postings = pgTable(
  "prospect_postings",
  {
    owner: whole("owner").notNull(),
    term: whole("term").notNull(),
    block: integer().notNull(),
    bits: bytes("bits").notNull(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.term, table.block] })],
);

export const blocks = pgTable(
  "prospect_blocks",
  { owner: whole("owner").notNull(), block: integer().notNull(), version: whole("version").notNull() },
  (table) => [primaryKey({ columns: [table.owner, table.block] })],
);

export const changes = pgTable(
  "prospect_changes",
  { owner: whole("owner").notNull(), n: whole("n").notNull(), terms: text().notNull() },
  (table) => [primaryKey({ columns: [table.owner, table.n] })],
);

export const importRows = pgTable(
  "prospect_import_rows",
  {
    jobId: text("job_id").notNull(),
    row: whole("row").notNull(),
    outcome: text().$type<ProspectOutcome>().notNull(),
    prospect: whole("prospect"),
    errors: jsonb().$type<FieldError[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.jobId, table.row] })],
);

export const importCreated = pgTable(
  "prospect_import_created",
  {
    jobId: text("job_id").notNull(),
    row: whole("row").notNull(),
    prospect: whole("prospect").notNull(),
    prospects: whole("prospects").notNull(),
  },
  (table) => [primaryKey({ columns: [table.jobId, table.row] })],
);

export const savedSearches = pgTable("saved_searches", {
  id: text().primaryKey(),
  workspaceId: text("workspace_id").$type<WorkspaceId>().notNull(),
  name: text().notNull(),
  source: text().$type<ProspectSourceName>().notNull(),
  filters: jsonb().$type<SearchFilters>().notNull(),
  createdAt: whole("created_at").notNull(),
  updatedAt: whole("updated_at").notNull(),
});
