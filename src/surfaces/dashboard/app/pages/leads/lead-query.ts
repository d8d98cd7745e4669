import type { LeadView } from "../../../../../features/leads/model.ts";
import type { Query } from "../../api.ts";

export type LeadPage = { leads: LeadView[]; total: number; limit: number; offset: number; nextCursor: string | null };

export const pageSize = 50;
export const defaultSort = "-createdAt";

/** Filters of the list, with the same names in the URL and in the API. */
export const filterNames = ["q", "status", "tag", "company", "source", "assignedTo", "createdAfter"] as const;
export type FilterName = (typeof filterNames)[number];

export function filtersIn(query: URLSearchParams): Partial<Record<FilterName, string>> {
  return Object.fromEntries(filterNames.map((name) => [name, query.get(name) ?? ""]).filter(([, value]) => value));
}

export function offsetIn(query: URLSearchParams): number {
  const offset = Number(query.get("offset") ?? 0);
  return Number.isSafeInteger(offset) && offset > 0 ? offset : 0;
}

export function listQuery(query: URLSearchParams): Query {
  return { ...filtersIn(query), sort: query.get("sort") ?? defaultSort, limit: pageSize, offset: offsetIn(query) };
}
