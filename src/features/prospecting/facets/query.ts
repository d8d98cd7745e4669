import type { SearchFilters } from "../model.ts";
import { departmentNamed } from "./department.ts";
import { folded } from "../../../platform/identity/names.ts";
import { wantedPlace } from "./places.ts";
import { companySizesTouching, stepsOfRevenue } from "./ranges.ts";
import { senioritiesNamed } from "./seniority.ts";
import { technologyValue, termKey, type TermFacet } from "./terms.ts";
import { wantedTitle } from "./title-words.ts";

/**
 * Index query: a prospect must match, in every group, at least one alternative with all of its terms, and no term of
 * `none`. Terms are identified by `termKey`. An empty group matches nothing.
 */
export type TermQuery = { groups: string[][][]; none: string[] };

/** Converts filters to an index query. Empty lists are ignored; unknown values match nothing. */
export function termQuery({ company = {}, person = {}, technology = {} }: SearchFilters): TermQuery {
  const groups: string[][][] = [];
  const add = (values: readonly string[] | undefined, alternatives: (value: string) => string[][]): void => {
    if (values === undefined || values.length === 0) return;
    groups.push(unique(values.flatMap(alternatives).filter((terms) => terms.length > 0)));
  };
  const one = (facet: TermFacet, value: string): string[][] => (value === "" ? [] : [[termKey({ facet, value })]]);
  const all = (facet: TermFacet, values: string[]): string[][] => [values.map((value) => termKey({ facet, value }))];

  add(company.industry, (value) => one("industry", folded(value)));
  add(company.size, (value) => companySizesTouching(value).flatMap((label) => one("size", label)));
  add(company.location, (value) => all("location", wantedPlace(value)));
  const { min = null, max = null } = company.revenue ?? {};
  if (min !== null || max !== null)
    groups.push(stepsOfRevenue({ min: min ?? 0, max }).flatMap((from) => one("revenue", String(from))));
  add(person.title, (value) => all("title", wantedTitle(value)));
  add(person.seniority, (value) => {
    const levels = senioritiesNamed(value);
    return levels.length === 0 ? one("seniority", folded(value)) : levels.flatMap((level) => one("seniority", level));
  });
  add(person.department, (value) => one("department", departmentNamed(value) ?? folded(value)));
  add(technology.using, (value) => one("technology", technologyValue(value)));
  for (const value of technology.usingAll ?? []) groups.push(one("technology", technologyValue(value)));
  const none = (technology.notUsing ?? []).flatMap((value) => one("technology", technologyValue(value)).flat());
  return { groups, none: [...new Set(none)] };
}

function unique(alternatives: string[][]): string[][] {
  const byKey = new Map(alternatives.map((terms) => [terms.join("\n"), terms]));
  return [...byKey.values()];
}
