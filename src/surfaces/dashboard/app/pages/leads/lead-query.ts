import type { BulkByFilterInput } from "../../../../../features/leads/bulk-model.ts";
import type { LeadView } from "../../../../../features/leads/model.ts";
import type { Query } from "../../api.ts";
import { here, navigate } from "../../router.tsx";

export type LeadPage = { leads: LeadView[]; total: number; limit: number; offset: number; nextCursor: string | null };

export const pageSize = 50;
export const defaultSort = "-createdAt";

const textNames = [
  ...["q", "status", "tag", "company", "source", "title", "industry", "location", "list", "campaignId"],
  ...["assignedTo", "relation", "tagMatch", "createdAfter", "createdBefore", "updatedAfter", "updatedBefore"],
] as const;
const flagNames = ["hasEmail", "hasProfile", "hasPhone", "inCampaign"] as const;
const listNames = [
  ...["tags", "companyContains", "titleContains", "industryContains", "locationContains", "sourceContains"],
  "customField",
] as const;

/** Filters of the list, with the same names in the URL and in the API. Repeated parameters are lists. */
export type Filters = Record<string, string | string[]>;

export function filtersIn(query: URLSearchParams): Filters {
  const single = [...textNames, ...flagNames].map((name) => [name, query.get(name) ?? ""]);
  const lists = listNames.map((name) => [name, query.getAll(name).filter((value) => value !== "")]);
  return Object.fromEntries([...single, ...lists].filter(([, value]) => value!.length > 0)) as Filters;
}

export function offsetIn(query: URLSearchParams): number {
  const offset = Number(query.get("offset") ?? 0);
  return Number.isSafeInteger(offset) && offset > 0 ? offset : 0;
}

export function listQuery(query: URLSearchParams): Query {
  return { ...filtersIn(query), sort: query.get("sort") ?? defaultSort, limit: pageSize, offset: offsetIn(query) };
}

/** The filters as the body of a request has them. */
export function filterBody(filters: Filters): BulkByFilterInput["filter"] {
  const isFlag = (name: string) => flagNames.some((flag) => flag === name);
  return Object.fromEntries(
    Object.entries(filters).map(([name, value]) => [name, isFlag(name) ? value === "true" : value]),
  );
}

/** Sets or, if the value is empty, removes a filter, and returns to the first page. */
export function setFilter(name: string, value: string | readonly string[]): void {
  const query = new URLSearchParams(here.value.query);
  query.delete(name);
  for (const each of [value].flat()) if (each !== "") query.append(name, each);
  query.delete("offset");
  const text = query.toString();
  navigate(here.value.path + (text && `?${text}`), { replace: true });
}
