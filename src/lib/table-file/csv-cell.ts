/** A text as a cell of a CSV file: quoted where it must be, and no formula to a spreadsheet. */
export function csvCell(text: string): string {
  return quoted(guardedCell(text));
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

// A spreadsheet runs a cell that begins so as a formula; a quote in front makes it a text (OWASP, CSV Injection).
// Cells that already have quotes there get one more, so that taking one away always gives back what was written.
const formula = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

function guardedCell(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

/** Takes away the quote that an export put in front of a text that looks like a formula. */
export function unguardedCell(text: string): string {
  return text.startsWith("'") && formula.test(text) ? text.slice(1) : text;
}
