/** Formats a text as a CSV cell: quoted if necessary, and never a formula for a spreadsheet. */
export function csvCell(text: string): string {
  return quoted(guardedCell(text));
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

// Spreadsheets run a cell that starts like this as a formula; a leading quote turns it into text (OWASP, CSV
// Injection). Cells that already start with quotes get another one, so that removing one always restores the original.
const formula = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

function guardedCell(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

/** Removes the quote that an export added to a text that looks like a formula. */
export function unguardedCell(text: string): string {
  return text.startsWith("'") && formula.test(text) ? text.slice(1) : text;
}
