import { leadCsvHeader, leadCsvRow } from "./lead-csv.ts";
import type { Lead } from "./model.ts";
import { leadView } from "./service.ts";

export const exportFormats = ["csv", "ndjson"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const exportMediaTypes: Record<ExportFormat, string> = {
  csv: "text/csv; charset=utf-8",
  ndjson: "application/x-ndjson",
};

/** The text of an export, page by page: memory stays constant, no matter how many leads there are. */
export async function* exportPieces(
  pages: AsyncGenerator<Lead[], void, void>,
  format: ExportFormat,
): AsyncGenerator<Uint8Array, void, void> {
  let head = format === "csv" ? leadCsvHeader() : "";
  for await (const leads of pages) {
    yield Buffer.from(head + leads.map((lead) => lineOf(lead, format)).join(""));
    head = "";
  }
  if (head !== "") yield Buffer.from(head);
}

function lineOf(lead: Lead, format: ExportFormat): string {
  const view = leadView(lead);
  return format === "csv" ? leadCsvRow(view) : `${JSON.stringify(view)}\n`;
}
