import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Mail, MailKind, MailPreferences } from "../../../features/mail/model.ts";
import type { UserId } from "../../../platform/base/ids.ts";

export const mailOutbox = sqliteTable("mail_outbox", {
  id: text().primaryKey(),
  dedupe: text().notNull(),
  kind: text().$type<MailKind>().notNull(),
  userId: text("user_id").$type<UserId>(),
  recipient: text().notNull(),
  subject: text().notNull(),
  body: text(),
  state: text().$type<Mail["state"]>().notNull(),
  tries: integer().notNull(),
  dueAt: integer("due_at").notNull(),
  reason: text(),
  createdAt: integer("created_at").notNull(),
  endedAt: integer("ended_at"),
});

export const mailPreferences = sqliteTable("mail_preferences", {
  userId: text("user_id").$type<UserId>().primaryKey(),
  kinds: text({ mode: "json" }).$type<MailPreferences>().notNull(),
  updatedAt: integer("updated_at").notNull(),
});

export const mailPosition = sqliteTable("mail_position", {
  onlyOne: integer("only_one").primaryKey(),
  event: integer().notNull(),
});
