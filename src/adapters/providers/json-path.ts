/**
 * Returns the value at a path in JSON: names and indexes separated by dots, as in `data.emails.0.value`. Undefined if
 * there is none, whatever the JSON looks like. The name `[]` selects all items of a list.
 */
export function valueAt(json: unknown, path: string): unknown {
  let value: unknown = json;
  const names = path.split(".").filter((name) => name !== "");
  for (const [index, name] of names.entries()) {
    if (name === "[]") {
      const rest = names.slice(index + 1).join(".");
      return Array.isArray(value) ? value.map((item) => valueAt(item, rest)) : undefined;
    }
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** Returns a string, or a number as a string; null for anything else, and for an empty string. */
export function textAt(json: unknown, path: string): string | null {
  const value = valueAt(json, path);
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
}

/** Returns the strings in a list. A single string counts as a list of one. */
export function textsAt(json: unknown, path: string): string[] {
  return [valueAt(json, path)]
    .flat(2)
    .filter((item): item is string => typeof item === "string" && item.trim() !== "")
    .map((item) => item.trim());
}

/** Returns a finite number, even if it is written as a string; null for anything else. */
export function numberAt(json: unknown, path: string): number | null {
  const text = textAt(json, path);
  return text !== null && Number.isFinite(Number(text)) ? Number(text) : null;
}
