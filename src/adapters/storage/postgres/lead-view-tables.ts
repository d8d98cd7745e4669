import { jsonb, pgTable, text } from "drizzle-orm/pg-core";
import type { SavedLeadView } from "../../../features/leads/views/model.ts";
import { whole } from "./tables.ts";

export const leadViews = pgTable("lead_views", {
  id: text().primaryKey(),
  workspaceId: text("workspace_id").notNull(),
  ownerId: text("owner_id"),
  name: text().notNull(),
  filters: jsonb().$type<SavedLeadView["filters"]>().notNull(),
  columns: jsonb().$type<string[]>().notNull(),
  sort: text().notNull(),
  createdAt: whole("created_at").notNull(),
  updatedAt: whole("updated_at").notNull(),
});
