import { leadCells, leadColumns, leadCsvHeader, leadCsvRow } from "./lead-csv.ts";
import type { Lead } from "./model.ts";
import { leadView } from "./service.ts";

export const exportFormats = ["csv", "ndjson", "xlsx"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const exportMediaTypes: Record<ExportFormat, string> = {
  csv: "text/csv; charset=utf-8",
  ndjson: "application/x-ndjson",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};

/** The format that an Accept header names first; CSV if it names none, as those of browsers. */
export function acceptedFormat(accept: string | null): ExportFormat {
  for (const range of (accept ?? "").toLowerCase().split(",")) {
    const type = range.split(";", 1)[0]!.trim();
    const format = exportFormats.find((each) => exportMediaTypes[each].split(";", 1)[0] === type);
    if (format !== undefined) return format;
  }
  return "csv";
}

/** The content of an export, page by page: memory stays constant, no matter how many leads there are. */
export async function* exportPieces(
  pages: AsyncGenerator<Lead[], void, void>,
  format: ExportFormat,
): AsyncGenerator<Uint8Array, void, void> {
  if (format === "xlsx") {
    // Loaded only for workbooks.
    const { workbookPieces } = await import("../../lib/workbook/workbook-writer.ts");
    return yield* workbookPieces(leadColumns, rowsOf(pages), "Leads");
  }
  let head = format === "csv" ? leadCsvHeader() : "";
  for await (const leads of pages) {
    yield Buffer.from(head + leads.map((lead) => lineOf(lead, format)).join(""));
    head = "";
  }
  if (head !== "") yield Buffer.from(head);
}

async function* rowsOf(pages: AsyncGenerator<Lead[], void, void>) {
  for await (const leads of pages) yield leads.map((lead) => leadCells(leadView(lead)));
}

function lineOf(lead: Lead, format: Exclude<ExportFormat, "xlsx">): string {
  const view = leadView(lead);
  return format === "csv" ? leadCsvRow(view) : `${JSON.stringify(view)}\n`;
}
