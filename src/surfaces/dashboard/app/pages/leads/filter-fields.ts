import { leadStatusLabels } from "../../ui/badge.tsx";
import type { Filters } from "./lead-query.ts";

export type FilterField = {
  /** Name in the URL and in the API. */
  name: string;
  label: string;
} & (
  | { kind: "values"; field: string; isPart: boolean; isList: boolean }
  | { kind: "choices"; choices: Record<string, string>; isList: boolean }
  | { kind: "campaign" }
  | { kind: "owner" }
  | { kind: "customField" }
  | { kind: "date" }
);

const part = (field: string, label: string): FilterField => ({
  ...{ name: `${field}Contains`, label, kind: "values", field },
  ...{ isPart: true, isList: true },
});
const whole = (field: string, label: string): FilterField => ({
  ...{ name: field, label, kind: "values", field },
  ...{ isPart: false, isList: false },
});
const flag = (name: string, label: string, yes: string, no: string): FilterField => ({
  ...{ name, label, kind: "choices", isList: false, choices: { true: yes, false: no } },
});

const statuses = {
  active: "Active",
  inactive: "Inactive",
  ...Object.fromEntries(Object.entries(leadStatusLabels).map(([status, { label }]) => [status, label])),
};

/** Filters to choose from, in the order of the menu. */
export const offeredFields: readonly FilterField[] = [
  { name: "status", label: "Status", kind: "choices", choices: statuses, isList: true },
  { name: "assignedTo", label: "Owner", kind: "owner" },
  part("company", "Company"),
  part("title", "Job title"),
  part("industry", "Industry"),
  part("location", "Location"),
  part("source", "Source"),
  { name: "tags", label: "Tag", kind: "values", field: "tag", isPart: false, isList: true },
  { name: "list", label: "List", kind: "values", field: "list", isPart: false, isList: false },
  { name: "campaignId", label: "Campaign", kind: "campaign" },
  {
    ...{ name: "relation", label: "Relation", kind: "choices", isList: true },
    choices: {
      connected: "Connected",
      pending: "Invited",
      messaged: "Messaged",
      replied: "Replied",
      none: "No relation",
    },
  },
  flag("inCampaign", "Any campaign", "Was enrolled", "Never enrolled"),
  flag("hasEmail", "Email", "Has an email", "No email"),
  flag("hasProfile", "Profile", "Has a profile", "No profile"),
  flag("hasPhone", "Phone", "Has a phone number", "No phone number"),
  { name: "customField", label: "Custom field", kind: "customField" },
  { name: "createdAfter", label: "Created since", kind: "date" },
  { name: "createdBefore", label: "Created before", kind: "date" },
  { name: "updatedAfter", label: "Updated since", kind: "date" },
  { name: "updatedBefore", label: "Updated before", kind: "date" },
];

/** Those of links and programs, which compare whole texts, come after those that people choose. */
const allFields: readonly FilterField[] = [
  ...offeredFields,
  whole("tag", "Tag is"),
  whole("company", "Company is"),
  whole("title", "Job title is"),
  whole("industry", "Industry is"),
  whole("location", "Location is"),
  whole("source", "Source is"),
];

/** The fields that are set, in the order of the menu. */
export function activeFields(filters: Filters): FilterField[] {
  return allFields.filter(({ name }) => name in filters);
}

/** The values of a filter. Several choices are parted by commas in the URL. */
export function valuesOf(field: FilterField, filters: Filters): string[] {
  const value = filters[field.name] ?? [];
  return typeof value === "string" ? (field.kind === "choices" ? value.split(",") : [value]) : value;
}
