import type { TSchema } from "@sinclair/typebox";
import { ValueErrorType, type ValueError } from "@sinclair/typebox/compiler";
import { invalid, type FieldError } from "../base/errors.ts";
import { closest, closestName, suggestions } from "../base/spelling.ts";

/** Names that a route accepts. */
export type Accepted = {
  query: readonly string[];
  /** Null if the route accepts no JSON body; a body is then ignored. */
  body: TSchema | null;
  /** Whether unknown names are rejected or only reported. */
  isStrict: boolean;
};

export const noDryRun = "This cannot be run as a trial. Nothing was changed; omit dryRun to execute it.";

/** More errors do not help, and a body full of them must not produce a response many times its size. */
const maxErrors = 100;

/** Validation errors as field errors, at most one per field: TypeBox reports a missing field twice. */
export function fieldErrors(errors: Iterable<ValueError>): FieldError[] {
  const byPath = new Map<string, FieldError>();
  for (const error of errors) {
    if (byPath.size === maxErrors) break;
    const path = pathOf(error.path);
    if (byPath.has(path)) continue;
    const item = /^[^.]+\.(\d+)/.exec(path)?.[1];
    byPath.set(path, { path, message: messageOf(error), ...(item !== undefined && { index: Number(item) }) });
  }
  return [...byPath.values()];
}

/** Message for an unknown field of an object. */
export function unknownField(name: string, schema: TSchema): string {
  const known = Object.keys(schema["properties"] as object);
  const usual = schema[suggestions] as Record<string, string> | undefined;
  const similar =
    usual !== undefined && Object.hasOwn(usual, name) ? usual[name]! : closestName(name.slice(0, 50), known);
  const hint = similar === null ? "" : ` Did you mean ${similar}?`;
  return `Unknown field. Expected one of ${known.join(", ")}.${hint}`;
}

/** Whether an unknown name is probably a misspelled `dryRun`; also true for `dryRun` itself. */
export function isLikeDryRun(name: string): boolean {
  if (name.length < 4 || name.length > 20) return false;
  const letters = plain(name);
  return letters.includes("dryrun") || closest(letters, ["dryrun"]) !== null;
}

/** The part of `checkNames` for requests with unknown names. `ignored`: the unknown fields of the body. */
export function refuseUnknownNames(
  query: object,
  body: unknown,
  accepted: Accepted & { everywhere: readonly string[] },
  ignored: readonly FieldError[],
  max: number,
): FieldError[] {
  const { everywhere, isStrict } = accepted;
  const ofBody = new Set(["dryRun", ...Object.keys((accepted.body?.["properties"] as object | undefined) ?? {})]);
  const ofRequest = new Set([...accepted.query, ...everywhere, ...ofBody]);
  const refused: FieldError[] = [];
  const others: FieldError[] = [];
  for (const name in query) {
    if (accepted.query.includes(name) || everywhere.includes(name)) continue;
    const isRefused = isStrict || isMisspelled(name, ofRequest);
    const problems = isRefused ? refused : others;
    if (problems.length < max)
      problems.push({ path: shown(name), message: unknownParameter(name, accepted, ofBody, isRefused) });
  }
  if (isPlainObject(body)) {
    const misspelled = Object.keys(body).filter((name) => !ofBody.has(name) && isMisspelled(name, ofBody));
    for (const name of misspelled.slice(0, max - refused.length)) {
      const similar = isLikeDryRun(name) ? "dryRun" : sameName(name, ofBody);
      refused.push({ path: shown(name), message: `Unknown field. Nothing was changed. Did you mean ${similar}?` });
    }
    for (const error of ignored)
      if (!everywhere.includes(error.path) && !refused.some(({ path }) => path === error.path))
        (isStrict ? refused : others).push(error);
  }
  if (refused.length > 0) throw invalid(refused);
  return others;
}

function unknownParameter(
  name: string,
  { query, everywhere }: { query: readonly string[]; everywhere: readonly string[] },
  ofBody: ReadonlySet<string>,
  isRefused: boolean,
): string {
  const problem = `Unknown query parameter.${isRefused ? " Nothing was changed." : ""}`;
  const near = nearest(name, [...new Set([...query, ...everywhere])]);
  if (near !== null) return `${problem} Did you mean ${near}?`;
  const field = sameName(name, ofBody);
  if (field !== null) return `${problem} Send ${field} in the body.`;
  return query.length === 0 ? `${problem} Omit it.` : `${problem} Expected one of ${query.join(", ")}.`;
}

function isMisspelled(name: string, known: ReadonlySet<string>): boolean {
  return isLikeDryRun(name) || sameName(name, known) !== null;
}

/** The known name that differs only in case and punctuation: notBefore for `not_before`. */
function sameName(name: string, known: ReadonlySet<string>): string | null {
  return [...known].find((each) => plain(each) === plain(name)) ?? null;
}

/** The nearest known name, ignoring case and punctuation. */
function nearest(name: string, known: readonly string[]): string | null {
  const found = closest(plain(name).slice(0, 50), known.map(plain));
  return known.find((each) => plain(each) === found) ?? null;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\da-z]/g, "");
}

function shown(name: string): string {
  return name.slice(0, 100);
}

function isPlainObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON Pointer (RFC 6901) to dotted path. */
function pathOf(pointer: string): string {
  const names = pointer.split("/").slice(1);
  return names.map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~")).join(".");
}

function messageOf(error: ValueError): string {
  const { schema, value } = error;
  switch (error.type) {
    case ValueErrorType.ObjectRequiredProperty:
      return "This field is required.";
    case ValueErrorType.ObjectAdditionalProperties:
      return unknownField(pathOf(error.path.slice(error.path.lastIndexOf("/"))), schema);
    case ValueErrorType.Union:
      return unionMessage(error);
    case ValueErrorType.StringPattern:
      return `Expected ${lowered(schema.description) ?? `text that matches ${schema.pattern}`}, got ${excerpt(value)}`;
    case ValueErrorType.StringMinLength:
      return schema.minLength === 1 ? "Must not be empty." : `Expected at least ${schema.minLength} characters.`;
    case ValueErrorType.StringMaxLength:
      return `Expected at most ${schema.maxLength} characters, got ${(value as string).length}.`;
    case ValueErrorType.IntegerMinimum:
    case ValueErrorType.IntegerMaximum:
    case ValueErrorType.NumberMinimum:
    case ValueErrorType.NumberMaximum:
      return `Expected ${rangeOf(schema)}, got ${excerpt(value)}`;
    case ValueErrorType.Integer:
      return `Expected ${rangeOf(schema)}, got ${excerpt(value)}`;
    case ValueErrorType.ArrayMaxItems:
      return `Expected at most ${schema.maxItems} items, got ${(value as unknown[]).length}.`;
    case ValueErrorType.ArrayMinItems:
      return `Expected at least ${schema.minItems} item${schema.minItems === 1 ? "" : "s"}.`;
    default:
      return `${error.message}, got ${excerpt(value)}`;
  }
}

function unionMessage(error: ValueError): string {
  const variants = error.schema.anyOf as TSchema[];
  if (variants.every((variant) => variant.const !== undefined))
    return `Expected one of ${variants.map((variant) => variant.const).join(", ")}, got ${excerpt(error.value)}`;
  // The variant that fails for a reason other than its type is the intended one.
  const intended = error.errors.map((nested) => [...nested][0]).find((first) => first && !isTypeMismatch(first));
  if (intended) return messageOf(intended);
  return `Expected ${variants.map((variant) => variant.type).join(" or ")}, got ${excerpt(error.value)}`;
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

function excerpt(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return `${text.length > 60 ? `${text.slice(0, 60)}…` : text}.`;
}
