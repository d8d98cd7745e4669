import { Kind, OptionalKind, type Static, type TObject, type TSchema } from "@sinclair/typebox";
import { TypeCompiler, type TypeCheck, ValueErrorType, type ValueError } from "@sinclair/typebox/compiler";
import { invalid, type FieldError } from "../base/errors.ts";
import { noSuchField } from "./unknown-fields.ts";

/** A TypeBox schema as Elysia takes any validator: by the Standard Schema interface (standardschema.dev). */
export type Input<T extends TSchema> = {
  readonly schema: T;
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "typebox";
    readonly validate: (value: unknown) => { value: Static<T> };
    readonly types?: { readonly input: Static<T>; readonly output: Static<T> };
  };
};

/**
 * Checks a JSON body against a schema. Throws VALIDATION_ERROR with a sentence for each field.
 * Elysia's own validation is not used: its messages lose the names of fields, and its range checks go missing without
 * a word once a build renames identifiers.
 */
export function body<T extends TSchema>(schema: T): Input<T> {
  return input(schema, (value) => value ?? undefined);
}

/** As `body`, for one item of what other routes take lists of: each error has the index 0. */
export function itemBody<T extends TSchema>(schema: T): Input<T> {
  return input(schema, (value) => value ?? undefined, 0);
}

/** As `body`, for routes that can do without one: nothing is as good as {}. */
export function optionalBody<T extends TObject>(schema: T): Input<T> {
  return input(schema, (value) => value ?? {});
}

/** Checks query or path parameters: as `body`, but first reads numbers, booleans and lists out of their texts. */
export function params<T extends TObject>(schema: T): Input<T> {
  return input(schema, (value) => readTexts(schema, value as Record<string, unknown>));
}

/**
 * The query parameters of a URL as texts, those that come more than once as lists. Elysia's own reading is not used: it
 * takes a comma for a list and brackets for JSON, also in a company's name.
 */
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

function input<T extends TSchema>(schema: T, prepare: (value: unknown) => unknown, index?: number): Input<T> {
  const placed = (errors: FieldError[]) =>
    invalid(index === undefined ? errors : errors.map((error) => ({ ...error, index })));
  // Compiled with the first request: all of them together would take a fifth of the start.
  let compiled: TypeCheck<T> | null = null;
  function validate(raw: unknown): { value: Static<T> } {
    const value = prepare(raw);
    const check = (compiled ??= TypeCompiler.Compile(schema));
    if (check.Check(value)) return { value };
    if (value === undefined) throw placed([{ path: "", message: "Send a JSON body." }]);
    throw placed(fieldErrors(check.Errors(value)));
  }
  return { schema, "~standard": { version: 1, vendor: "typebox", validate } };
}

function readTexts(schema: TObject, raw: Record<string, unknown>): Record<string, unknown> {
  const read: Record<string, unknown> = { ...raw };
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = raw[name];
    if (value === undefined) continue;
    // `?limit=` means that the client left it out, as forms do.
    if (value === "" && property[OptionalKind] !== undefined) delete read[name];
    else read[name] = readText(property, value);
  }
  return read;
}

function readText(schema: TSchema, value: unknown): unknown {
  const kind = schema[Kind];
  if (kind === "Array") return Array.isArray(value) ? value : [value];
  if (typeof value !== "string") return value;
  // A number that JavaScript can't hold exactly is none that a store could work with: it stays a text and is refused.
  if (kind === "Integer" && /^[+-]?\d+(\.0+)?$/.test(value) && Number.isSafeInteger(Number(value)))
    return Number(value);
  if (kind === "Number" && /^[+-]?\d+(\.\d+)?$/.test(value)) return Number(value);
  if (kind === "Boolean" && (value === "true" || value === "1")) return true;
  if (kind === "Boolean" && (value === "false" || value === "0")) return false;
  return value;
}

/** More errors help nobody, and a body full of them must not make an answer many times its size. */
const maxErrors = 100;

/** At most one error a field: TypeBox tells of a missing one twice. */
function fieldErrors(errors: Iterable<ValueError>): FieldError[] {
  const byPath = new Map<string, FieldError>();
  for (const error of errors) {
    if (byPath.size === maxErrors) break;
    const path = pathOf(error.path);
    if (byPath.has(path)) continue;
    const item = /^[^.]+\.(\d+)/.exec(path)?.[1];
    byPath.set(path, { path, message: sentence(error), ...(item !== undefined && { index: Number(item) }) });
  }
  return [...byPath.values()];
}

/** JSON Pointer (RFC 6901) to dotted path. */
function pathOf(pointer: string): string {
  const names = pointer.split("/").slice(1);
  return names.map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~")).join(".");
}

function sentence(error: ValueError): string {
  const { schema, value } = error;
  switch (error.type) {
    case ValueErrorType.ObjectRequiredProperty:
      return "This field is required.";
    case ValueErrorType.ObjectAdditionalProperties:
      return noSuchField(pathOf(error.path.slice(error.path.lastIndexOf("/"))), schema);
    case ValueErrorType.Union:
      return unionSentence(error);
    case ValueErrorType.StringPattern:
      return `Expected ${lowered(schema.description) ?? `text that matches ${schema.pattern}`}, got ${shown(value)}`;
    case ValueErrorType.StringMinLength:
      return schema.minLength === 1
        ? "Expected a text that is not empty."
        : `Expected at least ${schema.minLength} characters.`;
    case ValueErrorType.StringMaxLength:
      return `Expected at most ${schema.maxLength} characters, got ${(value as string).length}.`;
    case ValueErrorType.IntegerMinimum:
    case ValueErrorType.IntegerMaximum:
    case ValueErrorType.NumberMinimum:
    case ValueErrorType.NumberMaximum:
      return `Expected ${rangeOf(schema)}, got ${shown(value)}`;
    case ValueErrorType.Integer:
      return `Expected ${rangeOf(schema)}, got ${shown(value)}`;
    case ValueErrorType.ArrayMaxItems:
      return `Expected at most ${schema.maxItems} items, got ${(value as unknown[]).length}.`;
    case ValueErrorType.ArrayMinItems:
      return `Expected at least ${schema.minItems} item${schema.minItems === 1 ? "" : "s"}.`;
    default:
      return `${error.message}, got ${shown(value)}`;
  }
}

function unionSentence(error: ValueError): string {
  const variants = error.schema.anyOf as TSchema[];
  if (variants.every((variant) => variant.const !== undefined))
    return `Expected one of ${variants.map((variant) => variant.const).join(", ")}, got ${shown(error.value)}`;
  // The variant that fails for another reason than its type is the one that was meant.
  const meant = error.errors.map((nested) => [...nested][0]).find((first) => first && !isTypeMismatch(first));
  if (meant) return sentence(meant);
  return `Expected ${variants.map((variant) => variant.type).join(" or ")}, got ${shown(error.value)}`;
}

function isTypeMismatch({ type }: ValueError): boolean {
  const mismatches = [
    ValueErrorType.String,
    ValueErrorType.Null,
    ValueErrorType.Integer,
    ValueErrorType.Number,
    ValueErrorType.Object,
  ];
  return mismatches.includes(type);
}

function rangeOf({ type, minimum, maximum }: TSchema): string {
  const noun = type === "integer" ? "an integer" : "a number";
  if (minimum !== undefined && maximum !== undefined) return `${noun} from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `${noun} of at least ${minimum}`;
  return maximum === undefined ? noun : `${noun} of at most ${maximum}`;
}

function lowered(text: string | undefined): string | undefined {
  return text && text[0]?.toLowerCase() + text.slice(1);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return `${text.length > 60 ? `${text.slice(0, 60)}…` : text}.`;
}
