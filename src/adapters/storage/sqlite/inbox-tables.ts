import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Label, MessageKind, MessageState } from "../../../features/inbox/model.ts";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";

export const conversations = sqliteTable("conversations", {
  seq: integer().primaryKey(),
  id: text().notNull(),
  workspaceId: text("workspace_id").$type<WorkspaceId>().notNull(),
  account: integer().notNull(),
  profileKey: text("profile_key").notNull(),
  profileUrl: text("profile_url").notNull(),
  personName: text("person_name"),
  leadId: text("lead_id"),
  unread: integer().notNull(),
  readTo: integer("read_to").notNull(),
  assignedTo: text("assigned_to").$type<UserId>(),
  label: text().$type<Label>(),
  snoozedUntil: integer("snoozed_until"),
  lastAt: integer("last_at").notNull(),
  lastState: text("last_state").$type<MessageState>().notNull(),
  lastText: text("last_text"),
  receivedAt: integer("received_at"),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});
export type ConversationRow = typeof conversations.$inferSelect;

export const messages = sqliteTable("messages", {
  seq: integer().primaryKey(),
  id: text().notNull(),
  workspaceId: text("workspace_id").$type<WorkspaceId>().notNull(),
  conversation: integer().notNull(),
  profileKey: text("profile_key").notNull(),
  kind: text().$type<MessageKind>().notNull(),
  state: text().$type<MessageState>().notNull(),
  text: text(),
  at: integer().notNull(),
  userId: text("user_id").$type<UserId>(),
  createdAt: integer("created_at").notNull(),
});

export const snippets = sqliteTable("snippets", {
  id: text().primaryKey(),
  workspaceId: text("workspace_id").$type<WorkspaceId>().notNull(),
  name: text().notNull(),
  text: text().notNull(),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});
