import { invalid, type FieldError } from "../errors.ts";
import { closest } from "../spelling.ts";

/** What any route that changes something takes: a global key names its user, and nobody who asks for a dry run is misunderstood. */
const everywhere = ["userId", "dryRun"];
const maxErrors = 20;
export const noDryRun = "This can't be tried out. Nothing was done; leave dryRun out to do it.";

/**
 * Of a request that changes something, throws VALIDATION_ERROR for query parameters that the route does not have, and for
 * fields of its body that are written otherwise there (`not_before`), or were likely meant to be `dryRun`: what is done
 * is done, and nobody sees that `?dryrun=true` was not heeded. Other unknown fields of a body are ignored, and so are
 * unknown parameters of what only reads.
 */
export function refuseUnknownNames(
  query: object,
  body: unknown,
  ofQuery: readonly string[],
  ofBody: ReadonlySet<string>,
) {
  const errors: FieldError[] = [];
  for (const name in query)
    if (!ofQuery.includes(name) && !everywhere.includes(name) && errors.length < maxErrors)
      errors.push({ path: shown(name), message: sentence(name, ofQuery, ofBody) });
  if (isPlainObject(body))
    for (const name in body)
      if (!ofBody.has(name) && errors.length < maxErrors) {
        const meant = isLikeDryRun(name) ? "dryRun" : sameName(name, ofBody);
        if (meant !== null) errors.push({ path: shown(name), message: `Did you mean ${meant}? Nothing was done.` });
      }
  if (errors.length > 0) throw invalid(errors);
}

/** Whether an unknown name was likely meant to be `dryRun`; also that itself, where a form has it. */
export function isLikeDryRun(name: string): boolean {
  if (name.length < 4 || name.length > 20) return false;
  const letters = plain(name);
  return letters.includes("dryrun") || closest(letters, ["dryrun"]) !== null;
}

function sentence(name: string, ofQuery: readonly string[], ofBody: ReadonlySet<string>): string {
  const none = "There is no such query parameter, and nothing was done.";
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
