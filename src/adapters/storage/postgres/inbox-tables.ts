import { customType, integer, pgTable, text } from "drizzle-orm/pg-core";
import type { Label, MessageKind, MessageState } from "../../../features/inbox/model.ts";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";
import { assigned, whole } from "./tables.ts";

/** Derived by the database: never written. */
const tsvector = customType<{ data: string }>({ dataType: () => "tsvector" });

export const conversations = pgTable("conversations", {
  seq: assigned("seq").primaryKey(),
  id: text().notNull(),
  workspaceId: text("workspace_id").$type<WorkspaceId>().notNull(),
  account: whole("account").notNull(),
  profileKey: text("profile_key").notNull(),
  profileUrl: text("profile_url").notNull(),
  personName: text("person_name"),
  leadId: text("lead_id"),
  unread: integer().notNull(),
  readTo: whole("read_to").notNull(),
  assignedTo: text("assigned_to").$type<UserId>(),
  label: text().$type<Label>(),
  snoozedUntil: whole("snoozed_until"),
  lastAt: whole("last_at").notNull(),
  lastState: text("last_state").$type<MessageState>().notNull(),
  lastText: text("last_text"),
  receivedAt: whole("received_at"),
  createdAt: whole("created_at").notNull(),
  updatedAt: whole("updated_at").notNull(),
  search: tsvector("search").generatedAlwaysAs(""),
});
export type ConversationRow = Omit<typeof conversations.$inferSelect, "search">;

export const messages = pgTable("messages", {
  seq: assigned("seq").primaryKey(),
  id: text().notNull(),
  workspaceId: text("workspace_id").$type<WorkspaceId>().notNull(),
  conversation: whole("conversation").notNull(),
  profileKey: text("profile_key").notNull(),
  kind: text().$type<MessageKind>().notNull(),
  state: text().$type<MessageState>().notNull(),
  text: text(),
  at: whole("at").notNull(),
  userId: text("user_id").$type<UserId>(),
  createdAt: whole("created_at").notNull(),
  search: tsvector("search").generatedAlwaysAs(""),
});

export const snippets = pgTable("snippets", {
  id: text().primaryKey(),
  workspaceId: text("workspace_id").$type<WorkspaceId>().notNull(),
  name: text().notNull(),
  text: text().notNull(),
  createdAt: whole("created_at").notNull(),
  updatedAt: whole("updated_at").notNull(),
});
