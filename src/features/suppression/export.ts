import { csvCell } from "../../lib/table-file/csv-cell.ts";
import { hashText } from "./key.ts";
import type { Suppression } from "./model.ts";
import { suppressionView } from "./service.ts";

const columns = ["value", "kind", "scope", "reason", "source", "createdAt"] as const;

export const exportFormats = ["csv", "xlsx"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const exportMediaTypes: Record<ExportFormat, string> = {
  csv: "text/csv; charset=utf-8",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};

/** Exports entries page by page and in constant memory. The file can be imported again. */
export async function* exportPieces(
  pages: AsyncGenerator<Suppression[], void, void>,
  format: ExportFormat,
): AsyncGenerator<Uint8Array, void, void> {
  if (format === "xlsx") {
    // Loaded only for workbooks.
    const { workbookPieces } = await import("../../lib/workbook/workbook-writer.ts");
    return yield* workbookPieces(columns, rowsOf(pages), "Do not contact");
  }
  let head = `${columns.join(",")}\r\n`;
  for await (const entries of pages) {
    yield Buffer.from(head + entries.map(lineOf).join(""));
    head = "";
  }
  if (head !== "") yield Buffer.from(head);
}

async function* rowsOf(pages: AsyncGenerator<Suppression[], void, void>) {
  for await (const entries of pages) yield entries.map(cellsOf);
}

function cellsOf(entry: Suppression): (string | null)[] {
  const view = suppressionView(entry);
  return columns.map((column) => (column === "value" ? valueOf(entry) : view[column]));
}

function valueOf({ value, kind, key }: Suppression): string {
  return value ?? hashText(kind, key);
}

function lineOf(entry: Suppression): string {
  const view = suppressionView(entry);
  const value = valueOf(entry);
  // "@example.com" and "+49…" are harmless as formulas, and other programs expect them without a leading quote.
  const isPlain = entry.kind === "domain" || entry.kind === "phone";
  const cells = columns.map((column) =>
    column === "value" ? (isPlain ? value : csvCell(value)) : csvCell(view[column] ?? ""),
  );
  return `${cells.join(",")}\r\n`;
}
