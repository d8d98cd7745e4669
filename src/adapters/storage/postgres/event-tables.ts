import { pgTable, text } from "drizzle-orm/pg-core";
import { whole } from "./tables.ts";

/** Which node does a recurring chore. */
export const choreLeases = pgTable("chore_leases", {
  name: text().primaryKey(),
  holder: text().notNull(),
  until: whole("until").notNull(),
  epoch: whole("epoch").notNull(),
});
