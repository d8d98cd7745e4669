import type { FacetName, ProspectContent, RevenueRange } from "../model.ts";
import { departmentNamed } from "./department.ts";
import { folded } from "../../../platform/identity/folded.ts";
import { placeTerms } from "./places.ts";
import { positionOf, senioritiesOf } from "./position.ts";
import { companySize, revenueStepLabel, stepsOfRevenue } from "./ranges.ts";
import { seniorityNamed } from "./seniority.ts";
import { titleTerms } from "./title-words.ts";

/**
 * Names the rules of this folder and of `prospectKeys`: with another number, indexes that were made by other rules are
 * made anew. To be raised with every change of what `termsOf` and `prospectKeys` answer.
 */
export const termRules = 6;

/** Beside the facets: `all` has every prospect, `tier` how good a record is. */
export type TermFacet = FacetName | "all" | "tier";

/** What a prospect is found by: a value of a facet in the form that is compared, and as it is shown. */
export type Term = { facet: TermFacet; value: string; label: string };

export const everyProspect: Term = { facet: "all", value: "", label: "" };

/** Tiers, the best first: results come in this order. */
export const tiers = ["0", "1", "2", "3"] as const;

/** Confidence from which on a record belongs to a tier. */
const tierBorders = [0.9, 0.7, 0.5];

/**
 * Facets that are read from one text of the content, and `all` for what is read from its numbers; each answers the terms
 * of one raw value. No two make terms of the same facet.
 */
export type RawFacet = "all" | "industry" | "size" | "location" | "title" | "seniority" | "department" | "technology";
/** A piece of a content that terms are made of. */
export type RawValue = { facet: RawFacet; raw: string };
const readers: Record<RawFacet, (raw: string) => Term[]> = {
  all: (raw) => numberTerms(raw),
  industry: (raw) => plainTerm("industry", raw),
  // A range of any numbers is found, and counted, by the usual range that its middle is in.
  size: (raw) => namedTerm("size", companySize(raw), raw),
  location: (raw) => placeTerms(raw).map(({ value, label }) => ({ facet: "location", value, label })),
  title: (raw) => titleTerms(raw).map((value) => ({ facet: "title", value, label: value })),
  seniority: (raw) => namedTerm("seniority", seniorityNamed(raw), raw),
  department: (raw) => raw.split(/[,;|]/).flatMap((name) => namedTerm("department", departmentNamed(name), name)),
  technology: (raw) => technologyTerm(raw),
};

/**
 * Every raw value that the terms of a prospect are made of: `add` gets its facet and text, and may remember what
 * `termsOfRaw` answers for them, because most values come again and again.
 */
export function eachRaw(content: ProspectContent, add: (facet: RawFacet, raw: string) => void): void {
  const { industry, companySize, location, companyLocation, title, technologies } = content;
  const { department } = positionOf(content);
  add("all", rawNumbers(content.confidence, content.revenue ?? null));
  if (industry !== undefined) add("industry", industry);
  if (companySize !== undefined) add("size", companySize);
  // Filters ask where the company is; where nobody said so, it is where its people are.
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

/** All that a prospect is found by. */
export function termsOf(content: ProspectContent): Term[] {
  const terms: Term[] = [];
  eachRaw(content, (facet, raw) => terms.push(...termsOfRaw(facet, raw)));
  return terms;
}

/**
 * What a prospect is found by no longer, and what it is found by since. Facets that are read from the same as before are
 * not read at all: of most changes that is all but one or two.
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

/** They are few: to make a set of them takes longer. */
function without(terms: Term[], others: Term[]): Term[] {
  return terms.filter(({ facet, value }) => !others.some((other) => other.value === value && other.facet === facet));
}

/** One text for a term; no facet has a space in it. */
export function termKey({ facet, value }: Pick<Term, "facet" | "value">): string {
  return `${facet} ${value}`;
}

/** A technology in the form that is compared: "Node.js" and "NodeJS" are one, C, C++ and C# are three. */
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

/** By its known name, or as it stands: a team may have words of its own. */
function namedTerm(facet: TermFacet, known: string | null, raw: string): Term[] {
  return known === null ? plainTerm(facet, raw.trim()) : [{ facet, value: known, label: known }];
}
