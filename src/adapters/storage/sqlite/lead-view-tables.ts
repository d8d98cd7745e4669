import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { SavedLeadView } from "../../../features/leads/views/model.ts";

export const leadViews = sqliteTable("lead_views", {
  id: text().primaryKey(),
  workspaceId: text("workspace_id").notNull(),
  ownerId: text("owner_id"),
  name: text().notNull(),
  filters: text({ mode: "json" }).$type<SavedLeadView["filters"]>().notNull(),
  columns: text({ mode: "json" }).$type<string[]>().notNull(),
  sort: text().notNull(),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});
