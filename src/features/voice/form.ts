import { invalid } from "../../platform/base/errors.ts";
import type { CloneForm } from "./model.ts";

/**
 * Validates values against the form schema. Throws VALIDATION_ERROR. If `isWhole` is false, required fields may still
 * follow.
 */
export type FormCheck = (values: Record<string, unknown>, isWhole: boolean) => Partial<CloneForm>;

const jsonFields = ["settings", "labels", "consent"] as const;
const textFields = ["name", "description"] as const;

/** Parses form fields. Objects are JSON; settings may also be sent individually (`settings[clarity]`). */
export function formValues(fields: ReadonlyMap<string, string>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const name of textFields) if (fields.has(name)) values[name] = fields.get(name);
  for (const name of jsonFields) {
    const json = fields.get(name);
    if (json !== undefined && json.trim() !== "") values[name] = objectIn(name, json);
  }
  for (const [name, value] of fields) {
    const [, field] = /^settings(?:\[(\w+)\]|\.(\w+))$/.exec(name)?.filter((part) => part !== undefined) ?? [];
    if (field !== undefined) values["settings"] = { ...(values["settings"] as object), [field]: scalar(value) };
    // Unknown fields are kept so that the check can report them.
    else if (!isKnown(name)) values[name] = value;
  }
  return values;
}

function isKnown(name: string): boolean {
  return [...textFields, ...jsonFields].some((known) => known === name);
}

function objectIn(name: string, json: string): unknown {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // reported below
  }
  const example =
    name === "settings"
      ? '{"stability":0.5}'
      : name === "labels"
        ? '{"language":"en"}'
        : '{"attested":true,"speakerName":"Ada"}';
  throw invalid([{ path: name, message: `Expected a JSON object such as ${example}.` }]);
}

function scalar(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
