import { integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { CreditPurpose, LedgerKind } from "../../../features/credits/model.ts";
import { assigned, whole } from "./tables.ts";

export const creditLedger = pgTable("credit_ledger", {
  id: text().primaryKey(),
  workspaceId: text("workspace_id").notNull(),
  kind: text().$type<LedgerKind>().notNull(),
  amount: whole("amount").notNull(),
  note: text(),
  createdAt: whole("created_at").notNull(),
  purpose: text().$type<CreditPurpose>(),
  request: text(),
  item: text(),
  keyId: text("key_id"),
  seq: assigned("seq"),
});

export const creditBalances = pgTable("credit_balances", {
  workspaceId: text("workspace_id").primaryKey(),
  balance: whole("balance").notNull(),
});

export const creditKeyMonths = pgTable(
  "credit_key_months",
  { keyId: text("key_id").notNull(), month: integer().notNull(), used: whole("used").notNull() },
  (table) => [primaryKey({ columns: [table.keyId, table.month] })],
);

export const creditBudgets = pgTable("credit_budgets", {
  keyId: text("key_id").primaryKey(),
  monthly: whole("monthly").notNull(),
  ceiling: whole("ceiling"),
});

export const creditReservations = pgTable("credit_reservations", {
  id: text().primaryKey(),
  workspaceId: text("workspace_id").notNull(),
  request: text().notNull(),
  purpose: text().$type<CreditPurpose>().notNull(),
  keyId: text("key_id"),
  jobId: text("job_id"),
  held: whole("held").notNull(),
  heldUntil: whole("held_until"),
});
