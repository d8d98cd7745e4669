import type { Database } from "bun:sqlite";
import type { NamedBlob } from "../../../features/backup/snapshot-store.ts";
import { folderOfImports, retryableMs } from "../../../platform/imports/job-files.ts";
import { voiceFiles } from "../../../features/voice/files.ts";

/** The blobs that rows name. Kept speech is not among them: it is spoken again when it is missing. */
export function* namedBlobs(database: Database, now: number): Generator<NamedBlob> {
  for (const { id, type } of database.query<ImportJob, [number]>(openImports).iterate(now - retryableMs))
    yield { name: `${folderOfImports[type]}/${id}`, required: true };
  for (const { id, hasRecording } of database.query<Clone, []>(clones).iterate()) {
    if (hasRecording) yield { name: voiceFiles.consent(id), required: true };
    yield { name: voiceFiles.reference(id), required: false };
  }
  for (const { id, cloneId, hasOriginal } of database.query<Sample, []>(samples).iterate()) {
    if (hasOriginal) yield { name: voiceFiles.original(cloneId, id), required: true };
    yield { name: voiceFiles.clip(cloneId, id), required: !hasOriginal };
    yield { name: voiceFiles.frames(cloneId, id), required: false };
  }
}

type ImportJob = { id: string; type: keyof typeof folderOfImports };
const openImports = `SELECT id, type FROM jobs WHERE type IN ('lead_import', 'prospect_import')
  AND (status IN ('pending', 'running') OR (status = 'failed' AND updated_at > ?))`;

type Clone = { id: string; hasRecording: number };
const clones = "SELECT id, json_extract(consent, '$.recording') IS NOT NULL AS hasRecording FROM voice_clones";

type Sample = { id: string; cloneId: string; hasOriginal: number };
const samples = "SELECT id, clone_id AS cloneId, has_original AS hasOriginal FROM voice_samples";
