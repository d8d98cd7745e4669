import type { JobView } from "../../../../../platform/jobs/model.ts";
import type { ImportPreview } from "../../../../../features/leads/import/preview-model.ts";
import type { ImportOnDuplicate } from "../../../../../features/leads/model.ts";
import { api } from "../../api.ts";

/** As much as the server looks at to find out how a file is to be read. */
const previewBytes = 65_536;

export type ImportOptions = { onDuplicate: ImportOnDuplicate; tags: string; source: string };

/** Headers that the person mapped otherwise than they were recognised. */
export type ColumnChoices = Record<string, string>;

export function previewFile(file: File, columns: ColumnChoices): Promise<ImportPreview> {
  return api.post<ImportPreview>("/leads/import/preview", file.slice(0, previewBytes, typeOf(file)), {
    query: { columns: columnsText(columns) },
  });
}

/** Sends the whole file; the job that reads it is answered at once. */
export function startImport(
  file: File,
  columns: ColumnChoices,
  { onDuplicate, tags, source }: ImportOptions,
  dryRun: boolean,
): Promise<JobView> {
  return api.post<JobView>("/leads/import", file.slice(0, file.size, typeOf(file)), {
    query: { onDuplicate, dryRun, tags: tagsIn(tags), source: source.trim(), columns: columnsText(columns) },
  });
}

function columnsText(columns: ColumnChoices): string | null {
  return Object.keys(columns).length === 0 ? null : JSON.stringify(columns);
}

function tagsIn(text: string): string[] {
  return text
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}

/** By the name, because browsers give spreadsheets' types to CSV; what is unknown the server finds out. */
function typeOf({ name }: File): string {
  if (/\.(ndjson|jsonl)$/i.test(name)) return "application/x-ndjson";
  return /\.(csv|tsv)$/i.test(name) ? "text/csv" : "application/octet-stream";
}
