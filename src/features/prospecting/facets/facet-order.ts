import type { FacetName } from "../model.ts";
import { companySizes } from "./ranges.ts";
import { seniorities } from "./seniority.ts";

const sizes: readonly string[] = companySizes.map(({ label }) => label);
const levels: readonly string[] = seniorities;

/**
 * Ranges from small to large and levels from high to low, as people look for them. Values of other facets, and names
 * that are no level or range, stay in their order, which is by frequency.
 */
export function inFacetOrder<V extends { value: string }>(facet: FacetName, values: readonly V[]): V[] {
  const place = placeIn[facet];
  return place === undefined ? [...values] : values.toSorted((one, other) => place(one.value) - place(other.value));
}

const placeIn: { [F in FacetName]?: (value: string) => number } = {
  revenue: Number,
  size: (value) => placeAmong(sizes, value),
  seniority: (value) => placeAmong(levels, value),
};

function placeAmong(names: readonly string[], value: string): number {
  const place = names.indexOf(value);
  return place === -1 ? names.length : place;
}
