import { csvCell } from "../leads/lead-csv.ts";
import { hashText } from "./key.ts";
import type { Suppression } from "./model.ts";
import { suppressionView } from "./service.ts";

const columns = ["value", "kind", "scope", "reason", "source", "createdAt"] as const;

/** The entries as CSV, page by page as they are read: constant memory, however many. An import takes it back. */
export function exportCsv(pages: AsyncGenerator<Suppression[], void, void>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let head = `${columns.join(",")}\r\n`;
  return new ReadableStream({
    async pull(controller) {
      const page = await pages.next();
      const entries = page.done ? [] : page.value;
      const text = head + entries.map(lineOf).join("");
      head = "";
      if (text !== "") controller.enqueue(encoder.encode(text));
      if (page.done) controller.close();
    },
    async cancel() {
      await pages.return();
    },
  });
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
