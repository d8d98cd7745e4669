import type { JobView } from "../../../../../platform/jobs/model.ts";
import type { ImportPreview } from "../../../../../features/leads/import/preview-model.ts";
import type { ImportOnDuplicate } from "../../../../../features/leads/model.ts";
import { api } from "../../api.ts";

/** The part of a text file that the server uses to detect its format. */
const previewBytes = 65_536;

export type ImportOptions = { onDuplicate: ImportOnDuplicate; tags: string; source: string; assignTo: string };

/** Columns whose mapping the user changed. */
export type ColumnChoices = Record<string, string>;

/** `sheet`: of a workbook; null is the first. */
export function previewFile(file: File, sheet: string | null, columns: ColumnChoices): Promise<ImportPreview> {
  const type = typeOf(file);
  // The directory of a workbook is at its end.
  const bytes = type === workbookType ? file.size : previewBytes;
  return api.post<ImportPreview>("/leads/import/preview", file.slice(0, bytes, type), {
    query: { sheet, columns: columnsText(columns) },
  });
}

/** Uploads the file. Returns the import job immediately. */
export function startImport(
  file: File,
  sheet: string | null,
  columns: ColumnChoices,
  { onDuplicate, tags, source, assignTo }: ImportOptions,
  dryRun: boolean,
): Promise<JobView> {
  return api.post<JobView>("/leads/import", file.slice(0, file.size, typeOf(file)), {
    query: {
      ...{ onDuplicate, dryRun, tags: tagsIn(tags), source: source.trim(), assignTo },
      ...{ sheet, columns: columnsText(columns) },
    },
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

const workbookType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

export function isWorkbook(file: File): boolean {
  return typeOf(file) === workbookType;
}

/** Based on the file name, because browsers report spreadsheet types for CSV. The server detects unknown types. */
export function typeOf({ name }: File): string {
  if (/\.xls[xm]$/i.test(name)) return workbookType;
  if (/\.(ndjson|jsonl)$/i.test(name)) return "application/x-ndjson";
  return /\.(csv|tsv)$/i.test(name) ? "text/csv" : "application/octet-stream";
}
