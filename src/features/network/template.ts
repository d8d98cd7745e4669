import { fillVariables, type VariableProblem } from "../../lib/message-text/message-text.ts";
import type { FieldError } from "../../platform/base/errors.ts";
import type { Lead } from "../leads/model.ts";

/** Variables in double braces: `{{firstName|there}}` is the first name, or "there" if it is unknown. */
export const templateFields = [
  "firstName",
  "lastName",
  "email",
  "company",
  "title",
  "phone",
  "industry",
  "location",
  "source",
  "networkUrl",
] as const;

/** The lead's own fields by name, and custom fields as `customFields.NAME`. */
export type TemplateValues = Pick<Lead, (typeof templateFields)[number] | "customFields">;

/**
 * Replaces the variables of a text. Returns an error for each unknown variable and each one with neither value nor
 * fallback, so that no one ever receives "Hello {{firstName}}" or "Hello ,".
 * Without a lead (`values` null), every variable needs a fallback.
 */
export function fillTemplate(
  text: string,
  values: TemplateValues | null,
  path: string,
): { text: string } | { errors: FieldError[] } {
  const { text: filled, problems } = fillVariables(text, (name) =>
    !isKnown(name) ? null : values === null ? "" : valueOf(values, name),
  );
  if (problems.length === 0) return { text: filled };
  return { errors: problems.map((problem) => ({ path, message: messageFor(problem, values !== null) })) };
}

function messageFor(problem: VariableProblem, hasLead: boolean): string {
  if (problem.kind === "unmatched") return "Unmatched double braces. Variables are written as {{firstName|there}}.";
  const { kind, name } = problem;
  if (kind === "unknown")
    return `Unknown variable {{${name}}}. Choose one of: ${templateFields.join(", ")}, or customFields.NAME for a custom field.`;
  return hasLead
    ? `{{${name}}} has no value for this lead. Update the lead, or add a fallback such as {{${name}|there}}.`
    : `{{${name}}} has no value because the action has no lead. Send leadId, or add a fallback such as {{${name}|there}}.`;
}

const customPrefix = "customFields.";

function isKnown(key: string): boolean {
  return (
    templateFields.some((field) => field === key) || (key.startsWith(customPrefix) && key.length > customPrefix.length)
  );
}

function valueOf(values: TemplateValues, key: string): string {
  const field = templateFields.find((name) => name === key);
  if (field !== undefined) return values[field]?.trim() ?? "";
  const custom = values.customFields[key.slice(customPrefix.length)];
  return typeof custom === "string" || typeof custom === "number" ? String(custom).trim() : "";
}
