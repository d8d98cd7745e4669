import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { AudioFormat } from "../../../lib/audio/pcm.ts";
import type {
  CloneQuality,
  Consent,
  SampleQuality,
  VoiceEngineName,
  VoiceSettings,
} from "../../../features/voice/model.ts";

export const voiceClones = sqliteTable("voice_clones", {
  id: text().primaryKey(),
  workspaceId: text("workspace_id").notNull(),
  name: text().notNull(),
  description: text().notNull(),
  labels: text({ mode: "json" }).$type<Record<string, string>>().notNull(),
  settings: text({ mode: "json" }).$type<VoiceSettings>().notNull(),
  isActive: integer("is_active", { mode: "boolean" }).notNull(),
  engine: text().$type<VoiceEngineName>().notNull(),
  consent: text({ mode: "json" }).$type<Consent>(),
  quality: text({ mode: "json" }).$type<CloneQuality>(),
  jobId: text("job_id").notNull(),
  trainedAt: integer("trained_at"),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

export const voiceSamples = sqliteTable("voice_samples", {
  id: text().primaryKey(),
  cloneId: text("clone_id").notNull(),
  fileName: text("file_name").notNull(),
  format: text().$type<AudioFormat>().notNull(),
  bytes: integer().notNull(),
  sha256: text().notNull(),
  hasOriginal: integer("has_original", { mode: "boolean" }).notNull(),
  derivedBytes: integer("derived_bytes").notNull(),
  quality: text({ mode: "json" }).$type<SampleQuality>(),
  createdAt: integer("created_at").notNull(),
});

export const voiceArtefacts = sqliteTable("voice_artefacts", {
  cloneId: text("clone_id").primaryKey(),
  engine: text().$type<VoiceEngineName>().notNull(),
  artefact: text().notNull(),
});

export const voiceRemovals = sqliteTable("voice_removals", {
  id: integer().primaryKey({ autoIncrement: true }),
  engine: text().$type<VoiceEngineName>().notNull(),
  artefact: text().notNull(),
  failures: integer().notNull(),
  retryAt: integer("retry_at").notNull(),
});
