import { csvCell } from "../../lib/table-file/csv-cell.ts";
import { hashText } from "./key.ts";
import type { Suppression } from "./model.ts";
import { suppressionView } from "./service.ts";

const columns = ["value", "kind", "scope", "reason", "source", "createdAt"] as const;

/** Exports entries as CSV, page by page and in constant memory. The file can be imported again. */
export async function* exportCsv(
  pages: AsyncGenerator<Suppression[], void, void>,
): AsyncGenerator<Uint8Array, void, void> {
  let head = `${columns.join(",")}\r\n`;
  for await (const entries of pages) {
    yield Buffer.from(head + entries.map(lineOf).join(""));
    head = "";
  }
  if (head !== "") yield Buffer.from(head);
}

function lineOf(entry: Suppression): string {
  const view = suppressionView(entry);
  const value = entry.value ?? hashText(entry.kind, entry.key);
  // "@example.com" and "+49…" are harmless as formulas, and other programs expect them without a leading quote.
  const isPlain = entry.kind === "domain" || entry.kind === "phone";
  const cells = columns.map((column) =>
    column === "value" ? (isPlain ? value : csvCell(value)) : csvCell(view[column] ?? ""),
  );
  return `${cells.join(",")}\r\n`;
}
