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
  const errors: FieldError[] = [];
  const problem = (message: string): string => {
    errors.push({ path, message });
    return "";
  };
  const filled = text.replace(variable, (_whole, inner: string) => {
    const [name = "", ...rest] = inner.split("|");
    const key = name.trim();
    const fallback = rest.length > 0 ? rest.join("|").trim() : null;
    if (!isKnown(key))
      return problem(
        `Unknown variable {{${key}}}. Choose one of: ${templateFields.join(", ")}, or customFields.NAME for a custom field.`,
      );
    const value = values === null ? "" : valueOf(values, key);
    if (value !== "") return value;
    if (fallback !== null) return fallback;
    return problem(
      values === null
        ? `{{${key}}} has no value because the action has no lead. Send leadId, or add a fallback such as {{${key}|there}}.`
        : `{{${key}}} has no value for this lead. Update the lead, or add a fallback such as {{${key}|there}}.`,
    );
  });
  if (errors.length === 0 && /\{\{|\}\}/.test(filled))
    problem("Unmatched double braces. Variables are written as {{firstName|there}}.");
  return errors.length > 0 ? { errors } : { text: filled };
}

const variable = /\{\{([^{}]*)\}\}/g;
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
