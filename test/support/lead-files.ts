import { readLeadFile } from "../../src/features/leads/import/lead-file.ts";
import type { LeadFileOptions } from "../../src/features/leads/import/lead-file-batch.ts";
import { unpackedRow, type ImportRow, type PackedRows } from "../../src/features/leads/import/packed-rows.ts";

/** All rows of a file, as whoever stores them sees them. */
export async function readRows(options: LeadFileOptions): Promise<ImportRow[]> {
  const all: ImportRow[] = [];
  for await (const { rows } of readLeadFile(options, new AbortController().signal)) all.push(...unpackedRows(rows));
  return all;
}

export function unpackedRows(rows: PackedRows): ImportRow[] {
  return Array.from(rows.numbers, (_, place) => unpackedRow(rows, place));
}
