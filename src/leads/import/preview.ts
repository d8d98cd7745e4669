import { Type, type Static } from "@sinclair/typebox";
import { invalid } from "../../errors.ts";
import { columnTargets } from "./columns.ts";
import { inspectLeadBytes, LeadFileError, type LeadFileFormatOptions, type LeadFileRow } from "./lead-file.ts";

const text = Type.Union([Type.String(), Type.Null()]);

export const ImportPreview = Type.Object(
  {
    problem: Type.Union([Type.String(), Type.Null()], {
      description: "Why it can't be imported like this. Map its columns to fields, and it may.",
    }),
    format: Type.Union([Type.Literal("csv"), Type.Literal("ndjson")]),
    encoding: text,
    delimiter: text,
    columns: Type.Array(
      Type.Object({
        header: Type.String(),
        target: Type.Union([Type.String(), Type.Null()], { description: "Where its values go." }),
      }),
    ),
    targets: Type.Array(Type.String(), { description: "What a column can be mapped to, besides customFields.NAME." }),
    rows: Type.Array(
      Type.Object({
        row: Type.Integer({ description: "Line as a spreadsheet numbers it." }),
        lead: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
          description: "As it would be stored; null when the row can't be a lead.",
        }),
        errors: Type.Array(Type.Object({ path: Type.String(), message: Type.String() })),
      }),
      { description: "The first few." },
    ),
  },
  { $id: "LeadImportPreview" },
);
export type ImportPreview = Static<typeof ImportPreview>;

/** How the beginning of a file would be read. VALIDATION_ERROR for what is no list of people at all. */
export async function previewOf(
  start: Uint8Array,
  options: LeadFileFormatOptions,
  signal: AbortSignal,
): Promise<ImportPreview> {
  try {
    const { firstRows, headerRow: _row, ...layout } = await inspectLeadBytes(start, options, signal);
    return { problem: null, ...layout, targets: [...columnTargets], rows: firstRows.map(rowView) };
  } catch (error) {
    if (!(error instanceof LeadFileError)) throw error;
    const { headers } = error.details;
    if (!Array.isArray(headers) || headers.length === 0) throw invalid([{ path: "", message: error.message }]);
    const columns = (headers as string[]).map((header) => ({ header, target: null }));
    const nothing = { encoding: null, delimiter: null, rows: [] };
    return { problem: error.message, format: "csv", ...nothing, columns, targets: [...columnTargets] };
  }
}

function rowView(row: LeadFileRow): ImportPreview["rows"][number] {
  if ("errors" in row) return { row: row.row, lead: null, errors: row.errors };
  return { row: row.row, lead: row.content, errors: [] };
}
