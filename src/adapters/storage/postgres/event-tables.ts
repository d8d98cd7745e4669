import { pgTable, text } from "drizzle-orm/pg-core";
import { whole } from "./tables.ts";

/** `numbered`: the last event that has a position. `webhooks`: the last event whose deliveries were created. */
export const eventPositions = pgTable("event_positions", {
  name: text().$type<"numbered" | "webhooks">().primaryKey(),
  event: whole("event").notNull(),
});
