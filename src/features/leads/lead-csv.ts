import { csvCell } from "../../lib/table-file/csv-cell.ts";
import { leadTextFields, type LeadView } from "./model.ts";

/** The columns of an export. An import recognizes all of them and ignores the last four. */
export const leadColumns = [
  ...leadTextFields,
  "status",
  "tags",
  "customFields",
  "id",
  "createdAt",
  "updatedAt",
  "assignedTo",
] as const;

/** The first line of an export, including its line break. CSV as in RFC 4180, UTF-8. */
export function leadCsvHeader(): string {
  return `${leadColumns.join(",")}\r\n`;
}

/**
 * The line of one lead, including its line break. Tags are separated by semicolons; custom fields are a JSON object.
 * Importing it restores the texts, status, tags, and custom fields.
 */
export function leadCsvRow(lead: LeadView): string {
  return `${leadColumns.map((column) => csvCell(cell(lead, column))).join(",")}\r\n`;
}

/** The cells of one lead for a workbook, with its times as dates. */
export function leadCells(lead: LeadView): (string | Date)[] {
  return leadColumns.map((column) => {
    const text = cell(lead, column);
    return column === "createdAt" || column === "updatedAt" ? new Date(text) : text;
  });
}

function cell(lead: LeadView, column: (typeof leadColumns)[number]): string {
  if (column === "tags") return joinedTags(lead.tags);
  if (column === "customFields")
    return Object.keys(lead.customFields).length === 0 ? "" : JSON.stringify(lead.customFields);
  return lead[column] ?? "";
}

/** A JSON array if a tag contains a separator. */
function joinedTags(tags: string[]): string {
  const joined = tags.join(";");
  return joined.startsWith("[") || tags.some((tag) => /[;,]/.test(tag)) ? JSON.stringify(tags) : joined;
}
