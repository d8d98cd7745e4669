import type { LeadView } from "../../features/leads/model.ts";
import type { SavedLeadViewView } from "../../features/leads/views/model.ts";
import { formatCount } from "./progress.ts";
import { renderTable } from "./table.ts";

export type LeadList = { leads: LeadView[]; total: number; nextCursor: string | null };
export type DuplicateList = { groups: { reason: string; leads: LeadView[] }[]; total: number };

/** The path of a lead below /api/v2. */
export function pathOfLead(leadId: string): string {
  return `/leads/${encodeURIComponent(leadId)}`;
}

export function nameOfLead({ firstName, lastName, email, networkUrl, id }: LeadView): string {
  const name = [firstName, lastName].filter(Boolean).join(" ");
  return shortened(name || (email ?? networkUrl ?? id));
}

const headings = ["NAME", "COMPANY", "STATUS", "EMAIL", "TAGS", "ID"];

export function leadsText({ leads, total }: LeadList): string {
  if (leads.length === 0) return "No leads match.";
  const table = renderTable(headings, leads.map(rowOf));
  return total > leads.length ? `${table}\n\n${formatCount(leads.length)} of ${formatCount(total)}.` : table;
}

export function duplicatesText({ groups, total }: DuplicateList): string {
  if (groups.length === 0) return "No leads look like the same person.";
  const tables = groups.map(({ reason, leads }) => `Same ${reason}:\n${renderTable(headings, leads.map(rowOf))}`);
  const rest = total > groups.length ? [`${formatCount(groups.length)} of ${formatCount(total)} groups.`] : [];
  return [...tables, ...rest].join("\n\n");
}

export function leadText(lead: LeadView): string {
  const { id, tags, customFields, doNotContact, ...fields } = lead;
  const rows = [
    ...Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
    ...(tags.length === 0 ? [] : [["tags", tags.join(", ")]]),
    ...Object.entries(customFields).map(([name, value]) => [`customFields.${name}`, textOf(value)]),
    ...(doNotContact === true ? [["doNotContact", "true"]] : []),
  ];
  return renderTable(["FIELD", "VALUE"], [["id", id], ...rows.map(([name = "", value = ""]) => [name, value])]);
}

export function viewsText(views: readonly SavedLeadViewView[]): string {
  if (views.length === 0) return "No saved views.";
  const rows = views.map(({ name, filters, columns, sort, id }) => [
    ...[shortened(name), shortened(filtersText(filters)), columns.length === 0 ? "default" : `${columns.length}`],
    ...[sort, id],
  ]);
  return renderTable(["NAME", "FILTERS", "COLUMNS", "SORT", "ID"], rows);
}

export function filtersText(filters: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(filters).map(([name, value]) => `${name}=${textOf(value)}`);
  return parts.length === 0 ? "all leads" : parts.join(", ");
}

function rowOf(lead: LeadView): string[] {
  const { company, status, email, tags, doNotContact, id } = lead;
  const state = doNotContact === true ? `${status} (do not contact)` : status;
  return [nameOfLead(lead), shortened(company ?? ""), state, email ?? "", shortened(tags.join(", ")), id];
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join("|");
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Terminals break long lines, which tears a table apart. */
function shortened(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length <= 40 ? line : `${line.slice(0, 39)}…`;
}
