import { integer, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import type { Mail, MailKind, MailPreferences } from "../../../features/mail/model.ts";
import type { UserId } from "../../../platform/base/ids.ts";
import { whole } from "./tables.ts";

export const mailOutbox = pgTable("mail_outbox", {
  id: text().primaryKey(),
  dedupe: text().notNull(),
  kind: text().$type<MailKind>().notNull(),
  userId: text("user_id").$type<UserId>(),
  recipient: text().notNull(),
  subject: text().notNull(),
  body: text(),
  state: text().$type<Mail["state"]>().notNull(),
  tries: integer().notNull(),
  dueAt: whole("due_at").notNull(),
  reason: text(),
  createdAt: whole("created_at").notNull(),
  endedAt: whole("ended_at"),
});

export const mailPreferences = pgTable("mail_preferences", {
  userId: text("user_id").$type<UserId>().primaryKey(),
  kinds: jsonb().$type<MailPreferences>().notNull(),
  updatedAt: whole("updated_at").notNull(),
});

export const mailPosition = pgTable("mail_position", {
  onlyOne: integer("only_one").primaryKey(),
  event: whole("event").notNull(),
});
