import type { TSchema } from "@sinclair/typebox";
import { invalid, type FieldError } from "../base/errors.ts";
import { closest } from "../base/spelling.ts";
import { unknownFields } from "./unknown-fields.ts";

/** What any route that changes something takes: a global key names its user, and nobody who asks for a dry run is misunderstood. */
const everywhere = ["userId", "dryRun"];
const maxErrors = 20;
export const noDryRun = "This can't be tried out. Nothing was done; leave dryRun out to do it.";

/** What a route takes. */
export type NameRules = {
  query: readonly string[];
  /** Null if the route takes no JSON body; what is sent is ignored then. */
  body: TSchema | null;
  /** Whether unknown names are refused, or only reported. */
  isStrict: boolean;
  /** Whether the route has a dry run. */
  hasDryRun: () => boolean;
};

/** Throws VALIDATION_ERROR for a dry run of something that has none. */
export function requireDryRunKnown(method: string, query: Record<string, unknown>, rules: NameRules): void {
  const asked = query["dryRun"];
  if (method === "GET" || asked === undefined || ["0", "false", false].includes(asked as string)) return;
  if (!rules.hasDryRun()) throw invalid([{ path: "dryRun", message: noDryRun }]);
}

/**
 * The unknown names of a valid request. Throws VALIDATION_ERROR for them on a route that is strict, and on every route
 * for those that another sign or capital sets apart from a known one (`not_before`), or that were likely meant to be
 * `dryRun`: what is done is done, and `?dryrun=true` must not be ignored. Returns the others for a warning.
 */
export function checkNames(query: object, body: unknown, taken: NameRules): FieldError[] {
  const ignored = taken.body === null ? [] : unknownFields(taken.body, body, maxErrors);
  if (ignored.length === 0 && namesNothingElse(query, body, taken)) return ignored;
  const ofBody = new Set(["dryRun", ...Object.keys((taken.body?.["properties"] as object | undefined) ?? {})]);
  const refused: FieldError[] = [];
  const others: FieldError[] = [];
  for (const name in query) {
    if (taken.query.includes(name) || everywhere.includes(name)) continue;
    const isRefused = taken.isStrict || isMistaken(name, new Set([...taken.query, ...everywhere, ...ofBody]));
    const problems = isRefused ? refused : others;
    if (problems.length < maxErrors)
      problems.push({ path: shown(name), message: sentence(name, taken.query, ofBody, isRefused) });
  }
  if (isPlainObject(body)) {
    const mistaken = Object.keys(body).filter((name) => !ofBody.has(name) && isMistaken(name, ofBody));
    for (const name of mistaken.slice(0, maxErrors - refused.length)) {
      const meant = isLikeDryRun(name) ? "dryRun" : sameName(name, ofBody);
      refused.push({ path: shown(name), message: `Did you mean ${meant}? Nothing was done.` });
    }
    for (const error of ignored)
      if (!everywhere.includes(error.path) && !refused.some(({ path }) => path === error.path))
        (taken.isStrict ? refused : others).push(error);
  }
  if (refused.length > 0) throw invalid(refused);
  return others;
}

/** True of nearly every request whose body has no unknown fields. */
function namesNothingElse(query: object, body: unknown, taken: NameRules): boolean {
  for (const name in query) if (!taken.query.includes(name) && !everywhere.includes(name)) return false;
  const takesAnyName = taken.body === null || taken.body["additionalProperties"] === true;
  return !takesAnyName || !isPlainObject(body);
}

function isMistaken(name: string, known: ReadonlySet<string>): boolean {
  return isLikeDryRun(name) || sameName(name, known) !== null;
}

/** Whether an unknown name was likely meant to be `dryRun`; also that itself, where a form has it. */
export function isLikeDryRun(name: string): boolean {
  if (name.length < 4 || name.length > 20) return false;
  const letters = plain(name);
  return letters.includes("dryrun") || closest(letters, ["dryrun"]) !== null;
}

function sentence(name: string, ofQuery: readonly string[], ofBody: ReadonlySet<string>, isRefused: boolean): string {
  const none = `There is no such query parameter${isRefused ? ", and nothing was done" : ""}.`;
  const near = nearest(name, [...new Set([...ofQuery, ...everywhere])]);
  if (near !== null) return `${none} Did you mean ${near}?`;
  const field = sameName(name, ofBody);
  if (field !== null) return `${none} Send ${field} in the body.`;
  return ofQuery.length === 0 ? `${none} Leave it out.` : `${none} This route takes ${ofQuery.join(", ")}.`;
}

/** The name that another one is but for capitals and signs: notBefore, of `not_before`. */
function sameName(name: string, known: ReadonlySet<string>): string | null {
  return [...known].find((each) => plain(each) === plain(name)) ?? null;
}

/** Also where only capitals and dashes differ, of which there may be many. */
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
