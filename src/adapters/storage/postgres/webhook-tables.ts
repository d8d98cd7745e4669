import { boolean, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { Attempt, DeliveryState } from "../../../features/webhooks/model.ts";
import { assigned, whole } from "./tables.ts";

export const webhookEndpoints = pgTable("webhook_endpoints", {
  seq: assigned("seq").primaryKey(),
  id: text().notNull(),
  owner: whole("owner").notNull(),
  url: text().notNull(),
  description: text(),
  types: jsonb().$type<readonly string[]>(),
  isEnabled: boolean("is_enabled").notNull(),
  disabledAt: whole("disabled_at"),
  disabledReason: text("disabled_reason"),
  secret: text().notNull(),
  oldSecret: text("old_secret"),
  oldSecretUntil: whole("old_secret_until"),
  since: whole("since").notNull(),
  failures: integer().notNull().default(0),
  failingSince: whole("failing_since"),
  restsUntil: whole("rests_until").notNull().default(0),
  lastSuccessAt: whole("last_success_at"),
  lastFailureAt: whole("last_failure_at"),
  dueAt: whole("due_at"),
  createdAt: whole("created_at").notNull(),
  updatedAt: whole("updated_at").notNull(),
  isDeleted: boolean("is_deleted").notNull().default(false),
});

/** `event`: the position of the event. */
export const webhookDeliveries = pgTable(
  "webhook_deliveries",
  {
    endpoint: whole("endpoint").notNull(),
    event: whole("event").notNull(),
    state: text().$type<DeliveryState>().notNull(),
    nextAt: whole("next_at"),
    askedAt: whole("asked_at"),
    tries: integer().notNull(),
    attempts: jsonb().$type<readonly Attempt[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.endpoint, table.event] })],
);
