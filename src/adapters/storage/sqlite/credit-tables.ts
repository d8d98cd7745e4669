import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { CreditPurpose } from "../../../features/credits/model.ts";

// creditLedger is in tables.ts.

export const creditBalances = sqliteTable("credit_balances", {
  workspaceId: text("workspace_id").primaryKey(),
  balance: integer().notNull(),
});

export const creditKeyMonths = sqliteTable(
  "credit_key_months",
  { keyId: text("key_id").notNull(), month: integer().notNull(), used: integer().notNull() },
  (table) => [primaryKey({ columns: [table.keyId, table.month] })],
);

export const creditBudgets = sqliteTable("credit_budgets", {
  keyId: text("key_id").primaryKey(),
  monthly: integer().notNull(),
  ceiling: integer(),
});

export const creditReservations = sqliteTable("credit_reservations", {
  id: text().primaryKey(),
  workspaceId: text("workspace_id").notNull(),
  request: text().notNull(),
  purpose: text().$type<CreditPurpose>().notNull(),
  keyId: text("key_id"),
  jobId: text("job_id"),
  held: integer().notNull(),
  heldUntil: integer("held_until"),
});
