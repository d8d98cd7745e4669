import type { LeadView } from "../../../features/leads/model.ts";
import { fillVariables } from "../../../lib/message-text/message-text.ts";

/** Variables of every lead, with a fallback for those without a value. */
export const variables = [
  ["firstName", "First name", "there"],
  ["lastName", "Last name", ""],
  ["company", "Company", "your company"],
  ["title", "Job title", "your work"],
  ["industry", "Industry", "your industry"],
  ["location", "Location", "your area"],
  ["email", "Email", ""],
  ["phone", "Phone", ""],
  ["source", "Source", ""],
  ["networkUrl", "Profile URL", ""],
] as const;
export const variableNames: readonly string[] = variables.map(([name]) => name);

/** The value of a variable for a lead: "" without one, null if there is no such variable. */
export function valueOf(lead: LeadView, name: string): string | null {
  if (name.startsWith("customFields.")) {
    const value = lead.customFields[name.slice("customFields.".length)];
    return typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
  }
  if (!variableNames.includes(name)) return null;
  const value = lead[name as (typeof variables)[number][0]];
  return typeof value === "string" ? value.trim() : "";
}

export function isVariable(name: string): boolean {
  return variableNames.includes(name) || /^customFields\../.test(name);
}

/** The text as this lead would receive it, and what is wrong with its variables. Null: a lead without values. */
export function fillForLead(text: string, lead: LeadView | null): ReturnType<typeof fillVariables> {
  return fillVariables(text, (name) => {
    if (lead !== null) return valueOf(lead, name);
    return isVariable(name) ? "" : null;
  });
}
