import type { FacetName, ProspectSourceName, SearchFilters } from "../../../../../features/prospecting/model.ts";
import { here, setQuery } from "../../router.tsx";

export const facetLabels: Record<FacetName, string> = {
  title: "Job title",
  seniority: "Seniority",
  department: "Department",
  industry: "Industry",
  size: "Employees",
  location: "Company location",
  revenue: "Revenue",
  technology: "Technology",
};

export const sourceLabels: Record<ProspectSourceName, string> = {
  directory: "Your directory",
  apollo: "Apollo",
  pdl: "People Data Labs",
  fullenrich: "FullEnrich",
};

/** Facets whose values are selected from a list. Revenue is a range. */
export type ListFacet = Exclude<FacetName, "revenue">;
export const listFacets = ["title", "seniority", "department", "industry", "size", "location", "technology"] as const;

export function chosenOf({ company, person, technology }: SearchFilters, facet: ListFacet): readonly string[] {
  const lists: Record<ListFacet, readonly string[] | undefined> = {
    title: person?.title,
    seniority: person?.seniority,
    department: person?.department,
    industry: company?.industry,
    size: company?.size,
    location: company?.location,
    technology: technology?.using,
  };
  return lists[facet] ?? [];
}

/** The filters with the values of one facet replaced. */
export function withChosen(filters: SearchFilters, facet: ListFacet, values: readonly string[]): SearchFilters {
  const list = [...values];
  if (facet === "title" || facet === "seniority" || facet === "department")
    return tidy({ ...filters, person: { ...filters.person, [facet]: list } });
  if (facet === "technology") return tidy({ ...filters, technology: { ...filters.technology, using: list } });
  return tidy({ ...filters, company: { ...filters.company, [facet]: list } });
}

export function withRevenue(
  filters: SearchFilters,
  revenue: { min: number | null; max: number | null },
): SearchFilters {
  return tidy({ ...filters, company: { ...filters.company, revenue } });
}

export function withoutTechnologies(filters: SearchFilters, notUsing: readonly string[]): SearchFilters {
  return tidy({ ...filters, technology: { ...filters.technology, notUsing: [...notUsing] } });
}

/** Removes empty lists and groups, so that equal filters have equal URLs. */
function tidy(filters: SearchFilters): SearchFilters {
  const groups = Object.entries(filters).map(([group, lists]) => {
    const kept = Object.entries(lists).filter(([, value]) =>
      Array.isArray(value)
        ? value.length > 0
        : Object.values((value ?? {}) as Record<string, number | null>).some((end) => end !== null),
    );
    return [group, Object.fromEntries(kept)] as const;
  });
  return Object.fromEntries(groups.filter(([, lists]) => Object.keys(lists).length > 0));
}

export type Search = { filters: SearchFilters; source: ProspectSourceName };

/** The search in the URL. Invalid parts are omitted. */
export function currentSearch(): Search {
  const { query } = here.value;
  const source = Object.keys(sourceLabels).find((name) => name === query.get("source")) ?? "directory";
  return { filters: filtersIn(query.get("filters")), source: source as ProspectSourceName };
}

export function setSearch({ filters, source }: Search): void {
  setQuery({
    filters: Object.keys(filters).length === 0 ? null : JSON.stringify(filters),
    source: source === "directory" ? null : source,
  });
}

function filtersIn(text: string | null): SearchFilters {
  try {
    const parsed: unknown = JSON.parse(text ?? "{}");
    return typeof parsed === "object" && parsed !== null ? tidy(withKnownNames({ ...parsed })) : {};
  } catch {
    return {};
  }
}

const knownNames: { [G in keyof SearchFilters]-?: readonly (keyof NonNullable<SearchFilters[G]>)[] } = {
  company: ["industry", "size", "location", "revenue"],
  person: ["title", "seniority", "department"],
  technology: ["using", "usingAll", "notUsing"],
};

/** Removes names that the API rejects, which an old link or saved search may contain. */
function withKnownNames(filters: { [group: string]: { [name: string]: unknown } | undefined }): SearchFilters {
  const groups = Object.entries(knownNames).map(([group, names]) => {
    const lists = filters[group] ?? {};
    return [
      group,
      Object.fromEntries(names.map((name) => [name, lists[name]]).filter(([, list]) => list !== undefined)),
    ];
  });
  return Object.fromEntries(groups) as SearchFilters;
}
