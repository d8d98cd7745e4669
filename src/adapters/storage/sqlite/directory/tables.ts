import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ProspectSourceName, SearchFilters } from "../../../../features/prospecting/model.ts";

// The other tables of directories are used by plain statements: theirs are the hot paths.

export const savedSearches = sqliteTable("saved_searches", {
  id: text().primaryKey(),
  workspaceId: text("workspace_id").notNull(),
  name: text().notNull(),
  source: text().$type<ProspectSourceName>().notNull(),
  filters: text({ mode: "json" }).$type<SearchFilters>().notNull(),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});
