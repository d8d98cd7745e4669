import { Type, type Static } from "@sinclair/typebox";
import { parseInstant } from "../../platform/base/clock.ts";
import { invalid, type FieldError } from "../../platform/base/errors.ts";
import type { UserId } from "../../platform/base/ids.ts";
import {
  leadRelations,
  leadSearchFields,
  leadStatuses,
  listTag,
  maxListName,
  type CustomFieldFilter,
  type LeadFilter,
  type LeadRelation,
  type LeadSearchField,
  type LeadStatus,
} from "./model.ts";

/** Names of the tool layer (specification, "States and transitions") that cover several states. */
const statusGroups: Record<string, readonly LeadStatus[]> = {
  active: ["new", "contacted", "qualified"],
  inactive: ["converted", "unqualified"],
};
const statusWords = [...leadStatuses, ...Object.keys(statusGroups)];

const text = (description: string) => Type.Optional(Type.String({ maxLength: 300, description }));
const instant = (description: string) =>
  Type.Optional(Type.String({ maxLength: 40, description: `${description} ISO 8601 or Unix time.` }));

const maxTexts = 20;
const texts = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
      maxItems: maxTexts,
      description: `${description} Repeat the parameter for several.`,
    }),
  );
const part = (what: string) => texts(`This text is in the ${what}; case does not matter. Of several, any.`);
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

/** Filters of lists and exports. */
export const leadFilterFields = {
  status: text(`One or more of ${statusWords.join(", ")}; parted by commas.`),
  tag: text("Has this tag."),
  tags: texts("Has these tags."),
  tagMatch: Type.Optional(
    Type.Union([Type.Literal("all"), Type.Literal("any")], {
      default: "all",
      description: "Whether a lead needs all of `tags`, or any.",
    }),
  ),
  list: Type.Optional(
    Type.String({ maxLength: maxListName, description: "Is in this list: has the tag `list:NAME`." }),
  ),
  campaignId: text(
    "Leads that are enrolled in this campaign, or that were uploaded with this campaign_id of your own.",
  ),
  email: text("Has this email address."),
  company: text("Works for this company; case does not matter."),
  source: text("Leads from this source. Case does not matter."),
  title: text("Has exactly this title; case does not matter."),
  industry: text("Has exactly this industry; case does not matter."),
  location: text("Has exactly this location; case does not matter."),
  companyContains: part("company"),
  titleContains: part("title"),
  industryContains: part("industry"),
  locationContains: part("location"),
  sourceContains: part("source"),
  customField: texts(
    "Custom field, as `NAME:TEXT`: this text is in its value, case does not matter; as `NAME`: the lead has it. Of several, all.",
  ),
  hasEmail: flag("Has an email address, or has none."),
  hasProfile: flag("Has a profile URL, or has none."),
  hasPhone: flag("Has a phone number, or has none."),
  relation: text(
    `Relation with any of your accounts: one or more of ${leadRelations.join(", ")}; parted by commas. \`none\`: neither connected nor invited.`,
  ),
  inCampaign: flag("Is or was enrolled in a campaign, or never was."),
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
  if (query.tags?.length) filter.tags = { names: query.tags, match: query.tagMatch ?? "all" };
  if (query.list) filter.tags = withTag(filter.tags, listTag(query.list.trim()), errors);
  const contains = partsOf(query);
  if (Object.keys(contains).length > 0) filter.contains = contains;
  const { title, industry, location, hasEmail, hasProfile, hasPhone, relation, customField, inCampaign } = query;
  if (title || industry || location)
    filter.equals = { ...(title && { title }), ...(industry && { industry }), ...(location && { location }) };
  if (customField?.length) filter.customFields = customField.map(customFieldIn);
  if ([hasEmail, hasProfile, hasPhone].some((has) => has !== undefined))
    filter.has = {
      ...(hasEmail !== undefined && { email: hasEmail }),
      ...(hasProfile !== undefined && { networkUrl: hasProfile }),
      ...(hasPhone !== undefined && { phone: hasPhone }),
    };
  if (relation) filter.relations = relationsIn(relation, errors);
  if (inCampaign !== undefined) filter.inCampaign = inCampaign;
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

/** A list is one of all tags, so it cannot be one of any. */
function withTag(tags: LeadFilter["tags"], tag: string, errors: FieldError[]): NonNullable<LeadFilter["tags"]> {
  if (tags?.match === "any" && tags.names.length > 1)
    errors.push({ path: "list", message: "Cannot be combined with tagMatch=any. Add `list:NAME` to the tags." });
  return { names: [...(tags?.names ?? []), tag], match: "all" };
}

function partsOf(query: Static<typeof LeadFilterQuery>): Partial<Record<LeadSearchField, string[]>> {
  return Object.fromEntries(
    leadSearchFields.flatMap((field) => {
      const parts = query[`${field}Contains`]?.map((each) => each.trim()).filter((each) => each !== "") ?? [];
      return parts.length === 0 ? [] : [[field, parts]];
    }),
  );
}

function customFieldIn(text: string): CustomFieldFilter {
  const end = text.indexOf(":");
  if (end === -1) return { name: text.trim(), text: null };
  const value = text.slice(end + 1).trim();
  return { name: text.slice(0, end).trim(), text: value === "" ? null : value };
}

function relationsIn(words: string, errors: FieldError[]): LeadRelation[] {
  const found = words.split(",").flatMap((word) => {
    const known = leadRelations.filter((relation) => relation === word.trim());
    if (known.length === 0)
      errors.push({
        path: "relation",
        message: `"${word.trim()}" is not a relation. Choose from: ${leadRelations.join(", ")}.`,
      });
    return known;
  });
  return [...new Set(found)];
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
