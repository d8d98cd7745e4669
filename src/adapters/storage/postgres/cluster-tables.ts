import { integer, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import type { PoolUse } from "../../../platform/cluster/model.ts";
import { whole } from "./tables.ts";

export const rateCounters = pgTable("rate_counters", {
  subject: text().primaryKey(),
  minuteStartedAt: whole("minute_started_at").notNull(),
  minuteUsed: whole("minute_used").notNull(),
  hourStartedAt: whole("hour_started_at").notNull(),
  hourUsed: whole("hour_used").notNull(),
  dayStartedAt: whole("day_started_at").notNull(),
  dayUsed: whole("day_used").notNull(),
});

export const nodes = pgTable("nodes", {
  id: text().primaryKey(),
  host: text().notNull(),
  pid: integer().notNull(),
  role: text().$type<"all" | "api" | "worker">().notNull(),
  state: text().$type<"running" | "draining">().notNull(),
  version: text().notNull(),
  files: text().notNull(),
  startedAt: whole("started_at").notNull(),
  seenAt: whole("seen_at").notNull(),
  clockAheadMs: whole("clock_ahead_ms").notNull(),
  keysVersion: whole("keys_version").notNull(),
  pool: jsonb().$type<PoolUse>(),
});

export const keysVersion = pgTable("keys_version", {
  onlyOne: integer("only_one").primaryKey(),
  version: whole("version").notNull(),
});

export const clusterLead = pgTable("cluster_lead", {
  onlyOne: integer("only_one").primaryKey(),
  holder: text().notNull(),
  until: whole("until").notNull(),
});
