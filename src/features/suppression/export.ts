import { csvCell } from "../../lib/table-file/csv-cell.ts";
import { hashText } from "./key.ts";
import type { Suppression } from "./model.ts";
import { suppressionView } from "./service.ts";

const columns = ["value", "kind", "scope", "reason", "source", "createdAt"] as const;

/** The entries as CSV, page by page as they are read: constant memory, however many. An import takes it back. */
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
  // "@example.com" and "+49…" are harmless as formulas, and other programs want them without a quote in front.
  const isPlain = entry.kind === "domain" || entry.kind === "phone";
  const cells = columns.map((column) =>
    column === "value" ? (isPlain ? value : csvCell(value)) : csvCell(view[column] ?? ""),
  );
  return `${cells.join(",")}\r\n`;
}
