import { leadCsvHeader, leadCsvRow } from "./lead-csv.ts";
import type { Lead } from "./model.ts";
import { leadView } from "./service.ts";

export const exportFormats = ["csv", "ndjson"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const exportMediaTypes: Record<ExportFormat, string> = {
  csv: "text/csv; charset=utf-8",
  ndjson: "application/x-ndjson",
};

/** The text of an export, page by page as it is read: constant memory, however many leads. */
export function exportStream(
  pages: AsyncGenerator<Lead[], void, void>,
  format: ExportFormat,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let isFirst = true;
  return new ReadableStream({
    async pull(controller) {
      const page = await pages.next();
      const leads = page.done ? [] : page.value;
      const head = isFirst && format === "csv" ? leadCsvHeader() : "";
      isFirst = false;
      const text = head + leads.map((lead) => lineOf(lead, format)).join("");
      if (text !== "") controller.enqueue(encoder.encode(text));
      if (page.done) controller.close();
    },
    async cancel() {
      await pages.return();
    },
  });
}

function lineOf(lead: Lead, format: ExportFormat): string {
  const view = leadView(lead);
  return format === "csv" ? leadCsvRow(view) : `${JSON.stringify(view)}\n`;
}
