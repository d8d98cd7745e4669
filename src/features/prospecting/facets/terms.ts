import type { FacetName, ProspectContent, RevenueRange } from "../model.ts";
import { departmentNamed } from "./department.ts";
import { folded } from "../../../platform/identity/names.ts";
import { placeTerms } from "./places.ts";
import { positionOf, senioritiesOf } from "./position.ts";
import { companySize, revenueStepLabel, stepsOfRevenue } from "./ranges.ts";
import { seniorityNamed } from "./seniority.ts";
import { titleTerms } from "./title-words.ts";

/**
 * Version of the rules in this folder and of `prospectKeys`. Indexes with a different version are rebuilt. Increment
 * with every change to the results of `termsOf` or `prospectKeys`.
 */
export const termRules = 6;

/** In addition to the facets: `all` contains every prospect, and `tier` is the quality of a record. */
export type TermFacet = FacetName | "all" | "tier";

/** An index term of a prospect: a facet value in normalized form, and its label. */
export type Term = { facet: TermFacet; value: string; label: string };

export const everyProspect: Term = { facet: "all", value: "", label: "" };
/** The key of its term, for queries without other conditions. */
export const everyTerm = termKey(everyProspect);

/** Tiers, best first. Results are in this order. */
export const tiers = ["0", "1", "2", "3"] as const;

/** Minimum confidence of each tier. */
const tierBorders = [0.9, 0.7, 0.5];

/**
 * Facets derived from one text field, and `all` for terms derived from numbers. Each reader returns the terms of one
 * raw value, and no two readers produce terms of the same facet.
 */
export type RawFacet = "all" | "industry" | "size" | "location" | "title" | "seniority" | "department" | "technology";
/** A part of the content from which terms are derived. */
export type RawValue = { facet: RawFacet; raw: string };
const readers: Record<RawFacet, (raw: string) => Term[]> = {
  all: (raw) => numberTerms(raw),
  industry: (raw) => plainTerm("industry", raw),
  // Any range is found and counted under the standard range that contains its midpoint.
  size: (raw) => namedTerm("size", companySize(raw), raw),
  location: (raw) => placeTerms(raw).map(({ value, label }) => ({ facet: "location", value, label })),
  title: (raw) => titleTerms(raw).map((value) => ({ facet: "title", value, label: value })),
  seniority: (raw) => namedTerm("seniority", seniorityNamed(raw), raw),
  department: (raw) => raw.split(/[,;|]/).flatMap((name) => namedTerm("department", departmentNamed(name), name)),
  technology: (raw) => technologyTerm(raw),
};

/**
 * Calls `add` with the facet and text of every raw value of a prospect. The caller may cache the results of
 * `termsOfRaw`, because most values recur.
 */
export function eachRaw(content: ProspectContent, add: (facet: RawFacet, raw: string) => void): void {
  const { industry, companySize, location, companyLocation, title, technologies } = content;
  const { department } = positionOf(content);
  add("all", rawNumbers(content.confidence, content.revenue ?? null));
  if (industry !== undefined) add("industry", industry);
  if (companySize !== undefined) add("size", companySize);
  // Filters match the location of the company or, if that is unknown, of its people.
  const place = companyLocation ?? location;
  if (place !== undefined) add("location", place);
  if (title !== undefined) add("title", title);
  for (const level of senioritiesOf(content)) add("seniority", level);
  if (department !== undefined) add("department", department);
  if (technologies !== undefined) for (const technology of technologies) add("technology", technology);
}

export function termsOfRaw(facet: RawFacet, raw: string): Term[] {
  return readers[facet](raw);
}

/** The raw value of `all`. */
export function rawNumbers(confidence: number, revenue: RevenueRange | null): string {
  return revenue === null ? String(confidence) : `${confidence} ${revenue.min} ${revenue.max}`;
}

function numberTerms(raw: string): Term[] {
  const [confidence, min, max] = raw.split(" ");
  const tier = tierBorders.findIndex((border) => Number(confidence) >= border);
  const own: Term[] = [everyProspect, { facet: "tier", value: tiers[tier === -1 ? 3 : tier]!, label: "" }];
  if (min === undefined) return own;
  const steps = stepsOfRevenue({ min: Number(min), max: max === "null" ? null : Number(max) });
  return own.concat(steps.map((from) => ({ facet: "revenue", value: String(from), label: revenueStepLabel(from) })));
}

/** All index terms of a prospect. */
export function termsOf(content: ProspectContent): Term[] {
  const terms: Term[] = [];
  eachRaw(content, (facet, raw) => terms.push(...termsOfRaw(facet, raw)));
  return terms;
}

/**
 * Index terms removed and added by a change. Facets whose source is unchanged are skipped, which for most changes is
 * all but one or two.
 */
export function changedTerms(before: ProspectContent, after: ProspectContent): { removed: Term[]; added: Term[] } {
  const [raws, now] = [rawsOf(before), rawsOf(after)];
  const removed: Term[] = [];
  const added: Term[] = [];
  for (const facet of new Set([...raws.keys(), ...now.keys()])) {
    const [old, own] = [raws.get(facet) ?? [], now.get(facet) ?? []];
    if (old.length === own.length && old.every((raw, at) => raw === own[at])) continue;
    const [terms, termsNow] = [old, own].map((texts) => texts.flatMap((raw) => termsOfRaw(facet, raw)));
    removed.push(...without(terms!, termsNow!));
    added.push(...without(termsNow!, terms!));
  }
  return { removed, added };
}

function rawsOf(content: ProspectContent): Map<RawFacet, string[]> {
  const raws = new Map<RawFacet, string[]>();
  eachRaw(content, (facet, raw) => {
    const known = raws.get(facet);
    if (known === undefined) raws.set(facet, [raw]);
    else known.push(raw);
  });
  return raws;
}

/** The lists are short, so building a set would take longer. */
function without(terms: Term[], others: Term[]): Term[] {
  return terms.filter(({ facet, value }) => !others.some((other) => other.value === value && other.facet === facet));
}

/** Key of a term. Facet names contain no spaces. */
export function termKey({ facet, value }: Pick<Term, "facet" | "value">): string {
  return `${facet} ${value}`;
}

/** Normalized form of a technology: "Node.js" and "NodeJS" are equal; C, C++, and C# are not. */
export function technologyValue(name: string): string {
  return folded(name).replaceAll(" ", "");
}

function technologyTerm(raw: string): Term[] {
  const value = technologyValue(raw);
  return value === "" ? [] : [{ facet: "technology", value, label: raw }];
}

function plainTerm(facet: TermFacet, raw: string): Term[] {
  const value = folded(raw);
  return value === "" ? [] : [{ facet, value, label: raw }];
}

/** The known name or the text as written, because teams may use their own terms. */
function namedTerm(facet: TermFacet, known: string | null, raw: string): Term[] {
  return known === null ? plainTerm(facet, raw.trim()) : [{ facet, value: known, label: known }];
}
