import { pgTable, text } from "drizzle-orm/pg-core";
import { whole } from "./tables.ts";

/** Which node does a recurring chore. */
export const choreLeases = pgTable("chore_leases", {
  name: text().primaryKey(),
  holder: text().notNull(),
  until: whole("until").notNull(),
  epoch: whole("epoch").notNull(),
});

/** `numbered`: the last event that has a position. `webhooks`: the last event whose deliveries were created. */
export const eventPositions = pgTable("event_positions", {
  name: text().$type<"numbered" | "webhooks">().primaryKey(),
  event: whole("event").notNull(),
});
