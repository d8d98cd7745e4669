import { Kind, type TObject, type TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { FieldError } from "../base/errors.ts";
import { closestName, suggestions } from "../base/spelling.ts";

/**
 * The fields of a valid value that its schema does not know, at every depth, in the order of the value and at most
 * `max`. An object schema with `additionalProperties: true` and a record with any key take all names.
 */
export function unknownFields(schema: TSchema, value: unknown, max: number): FieldError[] {
  const found: FieldError[] = [];
  collect(schema, value, "", found, max);
  return found;
}

/** What is wrong with an unknown field of an object. */
export function noSuchField(name: string, schema: TSchema): string {
  const known = Object.keys(schema["properties"] as object);
  const usual = schema[suggestions] as Record<string, string> | undefined;
  const meant =
    usual !== undefined && Object.hasOwn(usual, name) ? usual[name]! : closestName(name.slice(0, 50), known);
  const hint = meant === null ? "" : ` Did you mean ${meant}?`;
  return `There is no such field. Expected one of ${known.join(", ")}.${hint}`;
}

function collect(schema: TSchema, value: unknown, path: string, found: FieldError[], max: number): void {
  if (typeof value !== "object" || value === null || found.length >= max) return;
  const kind = schema[Kind];
  if (kind === "Object") return collectFields(schema as TObject, value as Record<string, unknown>, path, found, max);
  if (kind === "Union") {
    const variant = variantOf(schema["anyOf"] as TSchema[], value);
    if (variant !== null) collect(variant, value, path, found, max);
    return;
  }
  const items = itemsOf(schema, value);
  if (items === null) return;
  for (const name in value) collect(items, (value as Record<string, unknown>)[name], join(path, name), found, max);
}

function collectFields(
  schema: TObject,
  value: Record<string, unknown>,
  path: string,
  found: FieldError[],
  max: number,
) {
  for (const name in value) {
    if (Object.hasOwn(schema.properties, name)) {
      const field = value[name];
      if (typeof field === "object") collect(schema.properties[name]!, field, join(path, name), found, max);
    } else if (schema["additionalProperties"] !== true && found.length < max)
      found.push({ path: join(path, name.slice(0, 100)), message: noSuchField(name, schema) });
  }
}

/** What the items of a list, or the values of a record, are; null where nothing in them can be unknown. */
function itemsOf(schema: TSchema, value: object): TSchema | null {
  const items = Array.isArray(value)
    ? (schema["items"] as TSchema | undefined)
    : Object.values((schema["patternProperties"] as Record<string, TSchema> | undefined) ?? {})[0];
  return items !== undefined && isStructured(items) ? items : null;
}

function isStructured(schema: TSchema): boolean {
  return structured.has(schema[Kind]);
}

const structured: ReadonlySet<string> = new Set(["Object", "Array", "Record", "Union"]);

/** The variant that was meant: the only one that is not plain, else of those that fit the one that knows the most. */
function variantOf(variants: TSchema[], value: object): TSchema | null {
  const candidates = variants.filter(isStructured);
  if (candidates.length < 2) return candidates[0] ?? null;
  const fitting = candidates.filter((variant) => Value.Check(variant, value));
  const unknown = (variant: TSchema) => unknownFields(variant, value, Number.POSITIVE_INFINITY).length;
  return fitting.toSorted((a, b) => unknown(a) - unknown(b))[0] ?? null;
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
