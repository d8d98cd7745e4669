/** Renders rows under headings. Columns are as wide as their widest cell and separated by two spaces. */
export function renderTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => Bun.stringWidth(line[column] ?? ""))));
  return lines
    .map((line) =>
      line
        .map((cell, column) => padded(cell, widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** `padEnd` counts code units, but names contain letters that take two of them, or two columns. */
function padded(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(0, width - Bun.stringWidth(cell)));
}

/** A timestamp for a table: "2030-01-31 09:30", in UTC as the API returns it. */
export function shortTime(at: string): string {
  return at.slice(0, 16).replace("T", " ");
}
