import type { FieldError } from "../../../platform/base/errors.ts";
import { splitFullName } from "../../../platform/identity/full-name.ts";
import { placeOfColumns } from "../facets/place-columns.ts";
import { revenueRange, revenueRangeOfNamed, revenueRangeOfThousands } from "../facets/ranges.ts";
import type { RawFacet, RawValue } from "../facets/terms.ts";
import type { RevenueRange } from "../model.ts";
import { memoize } from "../../../platform/base/text.ts";
import type { ProspectTarget } from "./prospect-targets.ts";

/** Values of the columns of a row. */
export type Values = Partial<Record<ProspectTarget, string>>;
/** A raw value with its number, which is valid within one epoch of reading a file. */
export class NumberedRaw implements RawValue {
  number = 0;
  epoch = -1;

  constructor(
    readonly facet: RawFacet,
    readonly raw: string,
  ) {}
}

/** Result of the full rules for a row: its content as JSON with its keys, or the errors. */
export type ReadProspect =
  | { kind: "person" | "company"; content: string; keys: number[]; beside: number }
  | { errors: FieldError[] };

export const revenueOf = memoize(revenueRange);
export const revenueOfNamed = memoize(revenueRangeOfNamed);
export const revenueOfThousands = memoize(revenueRangeOfThousands);
const splitName = memoize(splitFullName);

export function namesOf(values: Values): Pick<Values, "firstName" | "lastName"> {
  const { fullName, firstName } = values;
  return fullName !== undefined && firstName === undefined ? splitName(fullName) : values;
}

export function placeOf({ location, city, state, country }: Values): string | undefined {
  return location ?? placeOfColumns(city, state, country);
}

export function companyPlaceOf(values: Values): string | undefined {
  return values.companyLocation ?? placeOfColumns(values.companyCity, values.companyState, values.companyCountry);
}

/** If a file has both, the revenue in thousands is more precise. */
export function revenueIn({ revenue, revenueThousands, revenueNamed }: Values): RevenueRange | null {
  const close = revenueThousands === undefined ? null : revenueOfThousands(revenueThousands);
  const usual = close ?? (revenue === undefined ? null : revenueOf(revenue));
  return usual ?? (revenueNamed === undefined ? null : revenueOfNamed(revenueNamed));
}

/** 0.8, 80, and 80 % are equal. Text that is not a number is ignored. */
export function confidenceIn(text: string): number | undefined {
  const number = Number.parseFloat(text.replace(",", "."));
  if (!(number >= 0 && number <= 100)) return undefined;
  return number > 1 || text.includes("%") ? number / 100 : number;
}

export function confidenceOf({ confidence, likelihood }: Values): number | undefined {
  if (confidence !== undefined) return confidenceIn(confidence);
  return likelihood === undefined ? undefined : likelihoodIn(likelihood);
}

/** People Data Labs uses a scale from 1 to 10. */
export function likelihoodIn(text: string): number | undefined {
  return /^(10|[1-9])(\.0)?$/.test(text) ? Number(text) / 10 : confidenceIn(text);
}

/**
 * Parses a list of names: in JSON, Python, or PostgreSQL notation, or separated by semicolons and bars, or else by
 * commas. Line breaks always separate; slashes do only if there is no other separator.
 */
export function namesIn(text: string): string[] {
  if (text.startsWith("["))
    try {
      const list = JSON.parse(text) as unknown;
      if (Array.isArray(list)) return list.filter((name) => typeof name === "string");
    } catch {
      // Not JSON after all.
    }
  const inside = /^\[(.*)\]$|^\{(.*)\}$/s.exec(text);
  if (inside === null) return parted(text);
  return parted(inside[1] ?? inside[2]!).map((name) => name.trim().replace(/^(["'])(.*)\1$/s, "$2"));
}

function parted(text: string): string[] {
  if (/[;|]/.test(text)) return text.split(/[;|\r\n]/);
  return /[,\r\n]/.test(text) ? text.split(/[,\r\n]/) : text.split(besideBlank).flatMap(partedBySlashes);
}

const besideBlank = /\s+\/\s*|\/\s+/;

/**
 * A slash without spaces is part of many names: PL/SQL, TCP/IP, A/B Testing, S/4HANA, AS/400. It separates only names
 * with at least four letters, or three or more names.
 */
function partedBySlashes(text: string): string[] {
  const names = text.split("/");
  return names.length > 2 && names.every((name) => name.length > 1) ? names : text.split(betweenLongNames);
}

const betweenLongNames = /(?<=[\p{L}\p{N}.+#-]{4})\/(?=[\p{L}\p{N}.+#-]{4})/u;
