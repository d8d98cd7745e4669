import { boolean, integer, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { bytes, whole } from "./tables.ts";

export const idempotentRequests = pgTable("idempotent_requests", {
  id: bytes("id").primaryKey(),
  attempt: uuid().notNull(),
  owner: whole("owner"),
  startedAt: whole("started_at").notNull(),
  fingerprint: bytes("fingerprint"),
  bytes: whole("bytes").notNull(),
  status: integer(),
  headers: jsonb().$type<Record<string, string>>(),
  body: bytes("body"),
  isEncrypted: boolean("is_encrypted").notNull(),
  node: text(),
});

export const serverState = pgTable("server_state", {
  name: text().$type<"backups" | "clock" | "installation" | "maintenance">().primaryKey(),
  value: jsonb().notNull(),
});
