import { Type, type Static } from "@sinclair/typebox";
import { parseInstant } from "../../platform/base/clock.ts";
import { invalid, type FieldError } from "../../platform/base/errors.ts";
import type { UserId } from "../../platform/base/ids.ts";
import { leadStatuses, type LeadFilter, type LeadStatus } from "./model.ts";

/** Names of the tool layer (specification, "States and transitions") that cover several states. */
const statusGroups: Record<string, readonly LeadStatus[]> = {
  active: ["new", "contacted", "qualified"],
  inactive: ["converted", "unqualified"],
};
const statusWords = [...leadStatuses, ...Object.keys(statusGroups)];

const text = (description: string) => Type.Optional(Type.String({ maxLength: 300, description }));
const instant = (description: string) =>
  Type.Optional(Type.String({ maxLength: 40, description: `${description} ISO 8601 or Unix time.` }));

/** Filters of lists and exports. */
export const leadFilterFields = {
  status: text(`One or more of ${statusWords.join(", ")}; parted by commas.`),
  tag: text("Has this tag."),
  campaignId: text(
    "Leads that are enrolled in this campaign, or that were uploaded with this campaign_id of your own.",
  ),
  email: text("Has this email address."),
  company: text("Works for this company; case does not matter."),
  source: text("Leads from this source. Case does not matter."),
  q: text("This text is in the name, email address, company, title or source."),
  assignedTo: text("Is assigned to this member (user ID), to `me`, or to `none`."),
  createdAfter: instant("Created at or after."),
  createdBefore: instant("Created before."),
  updatedAfter: instant("Changed at or after."),
  updatedBefore: instant("Changed before."),
};
export const LeadFilterQuery = Type.Object(leadFilterFields);

/**
 * Parses the filter of a query by the user `me`; VALIDATION_ERROR for unknown states and invalid times. `prefix`: of the
 * paths of errors.
 */
export function filterOf(query: Static<typeof LeadFilterQuery>, me: UserId | null, prefix = ""): LeadFilter {
  const errors: FieldError[] = [];
  const filter: LeadFilter = {};
  const { status, tag, campaignId, email, company, source, q, assignedTo } = query;
  if (status) filter.statuses = statusesIn(status, errors);
  if (tag) filter.tag = tag;
  if (campaignId) filter.campaignId = campaignId.trim();
  if (email) filter.email = email.trim();
  if (company) filter.company = company;
  if (source) filter.source = source;
  if (q) filter.text = q;
  if (assignedTo) filter.assignedTo = assigneeIn(assignedTo.trim(), me, errors);
  for (const name of ["createdAfter", "createdBefore", "updatedAfter", "updatedBefore"] as const) {
    const value = query[name];
    if (!value) continue;
    const at = parseInstant(value);
    if (at === null)
      errors.push({ path: name, message: `Expected a time such as 2026-01-31T00:00:00Z, got "${value}".` });
    else filter[name] = at;
  }
  if (errors.length > 0) throw invalid(errors.map((error) => ({ ...error, path: prefix + error.path })));
  return filter;
}

/** Null: unassigned. */
function assigneeIn(word: string, me: UserId | null, errors: FieldError[]): UserId | null {
  if (word === "none") return null;
  if (word !== "me") return word;
  if (me === null)
    errors.push({
      path: "assignedTo",
      message: "`me` stands for the user of the API key, and this key has none. Send a user ID.",
    });
  return me;
}

function statusesIn(words: string, errors: FieldError[]): LeadStatus[] {
  const found = words.split(",").flatMap((word) => {
    const name = word.trim();
    const group = statusGroups[name] ?? leadStatuses.filter((status) => status === name);
    if (group.length === 0)
      errors.push({ path: "status", message: `"${name}" is not a status. Choose from: ${statusWords.join(", ")}.` });
    return group;
  });
  return [...new Set(found)];
}
