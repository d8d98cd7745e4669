import { leadTextFields, type LeadView } from "./model.ts";

/** The columns of an export; an import understands them all, and leaves out the last three. */
const columns = [...leadTextFields, "status", "tags", "customFields", "id", "createdAt", "updatedAt"] as const;

/** The first line of an export, with its line break. CSV as in RFC 4180, UTF-8. */
export function leadCsvHeader(): string {
  return `${columns.join(",")}\r\n`;
}

/**
 * The line of one lead, with its line break. Tags are parted by semicolons, custom fields are a JSON object. An
 * import of it gives the same texts, status, tags and custom fields again.
 */
export function leadCsvRow(lead: LeadView): string {
  return `${columns.map((column) => csvCell(cell(lead, column))).join(",")}\r\n`;
}

function cell(lead: LeadView, column: (typeof columns)[number]): string {
  if (column === "tags") return joinedTags(lead.tags);
  if (column === "customFields")
    return Object.keys(lead.customFields).length === 0 ? "" : JSON.stringify(lead.customFields);
  return lead[column] ?? "";
}

/** Tags that the separators of an import would tear apart are written as a JSON list. */
function joinedTags(tags: string[]): string {
  const joined = tags.join(";");
  return joined.startsWith("[") || tags.some((tag) => /[;,]/.test(tag)) ? JSON.stringify(tags) : joined;
}

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
