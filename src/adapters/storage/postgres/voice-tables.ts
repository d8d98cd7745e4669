import { boolean, integer, json, pgTable, text } from "drizzle-orm/pg-core";
import type { AudioFormat } from "../../../lib/audio/pcm.ts";
import type {
  CloneQuality,
  Consent,
  SampleQuality,
  VoiceEngineName,
  VoiceSettings,
} from "../../../features/voice/model.ts";
import { assigned, whole } from "./tables.ts";

export const voiceClones = pgTable("voice_clones", {
  id: text().primaryKey(),
  workspaceId: text("workspace_id").notNull(),
  name: text().notNull(),
  description: text().notNull(),
  labels: json().$type<Record<string, string>>().notNull(),
  settings: json().$type<VoiceSettings>().notNull(),
  isActive: boolean("is_active").notNull(),
  engine: text().$type<VoiceEngineName>().notNull(),
  consent: json().$type<Consent>(),
  quality: json().$type<CloneQuality>(),
  jobId: text("job_id").notNull(),
  trainedAt: whole("trained_at"),
  createdAt: whole("created_at").notNull(),
  updatedAt: whole("updated_at").notNull(),
});

export const voiceSamples = pgTable("voice_samples", {
  id: text().primaryKey(),
  cloneId: text("clone_id").notNull(),
  fileName: text("file_name").notNull(),
  format: text().$type<AudioFormat>().notNull(),
  bytes: whole("bytes").notNull(),
  sha256: text().notNull(),
  hasOriginal: boolean("has_original").notNull(),
  derivedBytes: whole("derived_bytes").notNull(),
  quality: json().$type<SampleQuality>(),
  createdAt: whole("created_at").notNull(),
});

export const voiceArtefacts = pgTable("voice_artefacts", {
  cloneId: text("clone_id").primaryKey(),
  engine: text().$type<VoiceEngineName>().notNull(),
  artefact: text().notNull(),
});

export const voiceRemovals = pgTable("voice_removals", {
  id: assigned("id").primaryKey(),
  engine: text().$type<VoiceEngineName>().notNull(),
  artefact: text().notNull(),
  failures: integer().notNull().default(0),
  retryAt: whole("retry_at").notNull().default(0),
});
