import { blob, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { SuppressionKind, SuppressionSource } from "../../../features/suppression/model.ts";

export const suppressions = sqliteTable("suppressions", {
  seq: integer().primaryKey(),
  id: text().notNull(),
  /** Null: the team's. */
  owner: integer(),
  kind: text().$type<SuppressionKind>().notNull(),
  key: blob({ mode: "buffer" }).notNull(),
  value: text(),
  reason: text(),
  source: text().$type<SuppressionSource>().notNull(),
  createdAt: integer("created_at").notNull(),
});
