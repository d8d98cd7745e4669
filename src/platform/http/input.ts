import { Kind, OptionalKind, type Static, type TObject, type TSchema } from "@sinclair/typebox";
import { TypeCompiler, type TypeCheck } from "@sinclair/typebox/compiler";
import { Value } from "@sinclair/typebox/value";
import { invalid, type FieldError } from "../base/errors.ts";
import { fieldErrors, refuseUnknownNames, unknownField, type Accepted } from "./input-errors.ts";

/** A TypeBox schema with its validator, in the form of the Standard Schema interface (standardschema.dev). */
export type Input<T extends TSchema> = {
  readonly schema: T;
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "typebox";
    readonly validate: (value: unknown) => { value: Static<T> };
    readonly types?: { readonly input: Static<T>; readonly output: Static<T> };
  };
};

/** Names accepted on every route that requires a key: `userId` for global keys, and `dryRun`, which is never ignored. */
export const acceptedEverywhere = ["userId", "dryRun"];
const maxUnknownNames = 20;

/** Validates a JSON body. Throws VALIDATION_ERROR with a message for each field. */
export function body<T extends TSchema>(schema: T): Input<T> {
  return input(schema, (value) => value ?? undefined);
}

/** Like `body`, for a single item of what other routes accept as a list: each error has the index 0. */
export function itemBody<T extends TSchema>(schema: T): Input<T> {
  return input(schema, (value) => value ?? undefined, 0);
}

/** Like `body`, for an optional body: a missing one is read as {}. */
export function optionalBody<T extends TObject>(schema: T): Input<T> {
  return input(schema, (value) => value ?? {});
}

/** Validates query or path parameters. Like `body`, but first parses numbers, booleans, and lists. */
export function params<T extends TObject>(schema: T): Input<T> {
  return input(schema, (value) => parseTexts(schema, value as Record<string, unknown>));
}

/** The value of a valid input; without a schema, the value as it is. */
export function parsed(input: Input<TSchema> | undefined, value: unknown): unknown {
  return input === undefined ? value : input["~standard"].validate(value).value;
}

/** The query parameters of a URL as strings, or as lists if they are repeated. Commas and brackets have no meaning. */
export function queryOf(url: string): Record<string, unknown> {
  const start = url.indexOf("?");
  if (start === -1) return {};
  const byName = Map.groupBy(new URLSearchParams(url.slice(start + 1)), ([name]) => name);
  const entries = [...byName].map(([name, pairs]) => [
    name,
    pairs.length === 1 ? pairs[0]?.[1] : pairs.map(([, value]) => value),
  ]);
  return Object.fromEntries(entries);
}

/**
 * Finds unknown names in a valid request and returns them for warnings. Throws VALIDATION_ERROR for them on a strict
 * route, and on every route for those that differ from a known name only in case or punctuation (`not_before`) or
 * resemble `dryRun`: ignoring `?dryrun=true` would execute a request that was meant as a trial.
 */
export function checkNames(query: object, body: unknown, accepted: Accepted): FieldError[] {
  const ignored = accepted.body === null ? [] : unknownFields(accepted.body, body, maxUnknownNames);
  if (ignored.length === 0 && hasOnlyKnownNames(query, body, accepted)) return ignored;
  return refuseUnknownNames(query, body, { ...accepted, everywhere: acceptedEverywhere }, ignored, maxUnknownNames);
}

/**
 * The fields of a valid value that its schema does not define, at every depth, in order and at most `max`. Object schemas
 * with `additionalProperties: true` and records accept all names.
 */
export function unknownFields(schema: TSchema, value: unknown, max: number): FieldError[] {
  const found: FieldError[] = [];
  collect(schema, value, "", found, max);
  return found;
}

function input<T extends TSchema>(schema: T, prepare: (value: unknown) => unknown, index?: number): Input<T> {
  const withIndex = (errors: FieldError[]) =>
    invalid(index === undefined ? errors : errors.map((error) => ({ ...error, index })));
  // Compiled on first use: compiling all of them takes a fifth of the startup time.
  let compiled: TypeCheck<T> | null = null;
  function validate(raw: unknown): { value: Static<T> } {
    const value = prepare(raw);
    const check = (compiled ??= TypeCompiler.Compile(schema));
    if (check.Check(value)) return { value };
    if (value === undefined) throw withIndex([{ path: "", message: "Send a JSON body." }]);
    throw withIndex(fieldErrors(check.Errors(value)));
  }
  return { schema, "~standard": { version: 1, vendor: "typebox", validate } };
}

function parseTexts(schema: TObject, raw: Record<string, unknown>): Record<string, unknown> {
  const values: Record<string, unknown> = { ...raw };
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = raw[name];
    if (value === undefined) continue;
    // `?limit=` means that the parameter is absent, as in HTML forms.
    if (value === "" && property[OptionalKind] !== undefined) delete values[name];
    else values[name] = parseText(property, value);
  }
  return values;
}

function parseText(schema: TSchema, value: unknown): unknown {
  const kind = schema[Kind];
  if (kind === "Array") return Array.isArray(value) ? value : [value];
  if (typeof value !== "string") return value;
  // Numbers that JavaScript cannot represent exactly stay strings and are rejected.
  if (kind === "Integer" && /^[+-]?\d+(\.0+)?$/.test(value) && Number.isSafeInteger(Number(value)))
    return Number(value);
  if (kind === "Number" && /^[+-]?\d+(\.\d+)?$/.test(value)) return Number(value);
  if (kind === "Boolean" && (value === "true" || value === "1")) return true;
  if (kind === "Boolean" && (value === "false" || value === "0")) return false;
  return value;
}

/** True for nearly every request whose body has no unknown fields. */
function hasOnlyKnownNames(query: object, body: unknown, accepted: Accepted): boolean {
  for (const name in query) if (!accepted.query.includes(name) && !acceptedEverywhere.includes(name)) return false;
  const acceptsAnyName = accepted.body === null || accepted.body["additionalProperties"] === true;
  return !acceptsAnyName || typeof body !== "object" || body === null || Array.isArray(body);
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
      found.push({ path: join(path, name.slice(0, 100)), message: unknownField(name, schema) });
  }
}

/** Schema of the items of a list or the values of a record; null if they cannot contain unknown names. */
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

/** The intended variant: the only structured one, or the matching one that defines the most fields. */
function variantOf(variants: TSchema[], value: object): TSchema | null {
  const candidates = variants.filter(isStructured);
  if (candidates.length < 2) return candidates[0] ?? null;
  const matching = candidates.filter((variant) => Value.Check(variant, value));
  const unknown = (variant: TSchema) => unknownFields(variant, value, Number.POSITIVE_INFINITY).length;
  return matching.toSorted((a, b) => unknown(a) - unknown(b))[0] ?? null;
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
