import { and, asc, count, desc, eq, gt, lt, sql, type SQL } from "drizzle-orm";
import type { MatchingLead, MatchingRequest } from "../../../features/leads/bulk-job-model.ts";
import type { StoredLead } from "../../../features/leads/decisions.ts";
import type { LeadFilter, LeadSortField } from "../../../features/leads/model.ts";
import { pageOf } from "../../../features/leads/pages.ts";
import type { LeadPage, LeadPageRequest, LeadStore } from "../../../features/leads/store.ts";
import type { KeyIndex } from "../../../lib/key-index/key-index.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import type { Engine } from "./engine.ts";
import { createLeadFilters } from "./lead-filters.ts";
import { storedLead } from "./lead-rows.ts";
import type { Owners } from "./owners.ts";
import { limitOf, valueOf } from "./parameter.ts";
import { lazy } from "./prepared.ts";
import { leadCounts, leads } from "./tables.ts";

/** Larger offsets are skipped in the reader thread: each row takes about a microsecond. */
const maxOffsetOnMainThread = 1000;

/**
 * Lists and counts of leads. Queries that an index answers run in this thread; for all others, the reader thread finds the
 * rows, which are then loaded here.
 */
export function createLeadQueries(
  { orm, reader }: Engine,
  owners: Owners,
  keys: Pick<KeyIndex, "unmerged">,
): Pick<LeadStore, "page" | "count" | "matching"> {
  const indexedPage = createIndexedPages(orm);
  const filtered = createLeadFilters(keys);
  const ofOwner = eq(leads.owner, sql.placeholder("owner"));
  const bySeq = lazy(() =>
    orm
      .select()
      .from(leads)
      .where(and(isAmong(sql.placeholder("list")), ofOwner))
      .prepare(),
  );
  const countsOfUser = lazy(() =>
    orm
      .select()
      .from(leadCounts)
      .where(eq(leadCounts.owner, sql.placeholder("owner")))
      .prepare(),
  );

  async function page(request: LeadPageRequest): Promise<LeadPage> {
    const owner = owners(request.workspaceId);
    if (owner === null) return { leads: [], next: null };
    // One more than requested shows whether another page follows.
    const wanted = { ...request, limit: request.limit + 1 };
    const found = isIndexed(wanted) ? indexedPage(owner, wanted) : await searchedPage(owner, wanted);
    return pageOf(found, request);
  }

  async function searchedPage(owner: number, request: LeadPageRequest): Promise<StoredLead[]> {
    const { workspaceId, sort, limit, offset, after } = request;
    const where = and(filtered({ owner, workspaceId }, request.filter), after ? isBehind(request) : undefined);
    const direction = sort.descending ? desc : asc;
    const query = orm.select({ seq: leads.seq }).from(leads).where(where);
    const ordered = query
      .orderBy(direction(sortExpression(sort.field)), direction(leads.seq))
      .limit(limit)
      .offset(offset);
    const found = await reader.all<{ seq: number }>(ordered.toSQL());
    const list = JSON.stringify(found.map(({ seq }) => seq));
    const loaded = bySeq()
      .values({ list, owner })
      .map((row) => storedLead(row, workspaceId));
    const places = new Map(loaded.map((stored) => [stored.seq, stored]));
    // Between the two reads, a lead may have been deleted and its number reused.
    return found.map(({ seq }) => places.get(seq)).filter((stored) => stored !== undefined);
  }

  async function countLeads(workspaceId: WorkspaceId, filter: LeadFilter): Promise<number> {
    const owner = owners(workspaceId);
    if (owner === null) return 0;
    if (Object.keys(filter).every((key) => key === "statuses")) return countByStatus(owner, filter.statuses);
    const query = orm
      .select({ n: count().as("n") })
      .from(leads)
      .where(filtered({ owner, workspaceId }, filter));
    const [row] = await reader.all<{ n: number }>(query.toSQL());
    return row?.n ?? 0;
  }

  async function matching(request: MatchingRequest): Promise<MatchingLead[]> {
    const { workspaceId, filter, createdUntil, afterLead, limit } = request;
    const owner = owners(workspaceId);
    if (owner === null) return [];
    const { seq, id, version, createdAt } = leads;
    const query = orm
      .select({ seq, id, version })
      .from(leads)
      .where(and(filtered({ owner, workspaceId }, filter), gt(seq, afterLead), lt(createdAt, createdUntil)))
      .orderBy(asc(seq))
      .limit(limit);
    return await reader.all<MatchingLead>(query.toSQL());
  }

  function countByStatus(owner: number, statuses: LeadFilter["statuses"]): number {
    const counted = countsOfUser()
      .all({ owner })
      .filter(({ status }) => statuses?.includes(status) ?? true);
    return counted.reduce((sum, { leads: n }) => sum + n, 0);
  }

  return { page, count: countLeads, matching };
}

type IndexedShape = {
  sort: "createdAt" | "updatedAt";
  descending: boolean;
  after: boolean;
  status: boolean;
  assignee: boolean;
};

/** Whether an index returns the rows in order, so that only the rows of the page are read. */
function isIndexed({ filter, sort, offset }: LeadPageRequest): boolean {
  const filters = Object.keys(filter);
  const isInOrder = sort.field === "createdAt" || sort.field === "updatedAt";
  const oneStatus = filters.length === 1 && filter.statuses?.length === 1 && sort.field === "createdAt";
  const oneMember = filters.length === 1 && typeof filter.assignedTo === "string" && sort.field === "createdAt";
  return isInOrder && offset <= maxOffsetOnMainThread && (filters.length === 0 || oneStatus || oneMember);
}

/** Runs queries of indexed pages; each of their few shapes is prepared once. */
function createIndexedPages(orm: Engine["orm"]): (owner: number, request: LeadPageRequest) => StoredLead[] {
  const prepared = new Map<string, ReturnType<typeof prepare>>();

  function prepare({ sort, descending, after, status, assignee }: IndexedShape) {
    const behind = sql`(${leads[sort]}, ${leads.seq}) ${sql.raw(descending ? "<" : ">")} (${valueOf("value")}, ${valueOf("tie")})`;
    const isOne = status ? sql`${leads.status} = ${valueOf("status")}` : undefined;
    const isOfMember = assignee ? sql`${leads.assignedTo} = ${valueOf("assignee")}` : undefined;
    const direction = descending ? desc : asc;
    return orm
      .select()
      .from(leads)
      .where(and(sql`${leads.owner} = ${valueOf("owner")}`, isOne, isOfMember, after ? behind : undefined))
      .orderBy(direction(leads[sort]), direction(leads.seq))
      .limit(limitOf("limit"))
      .offset(limitOf("offset"))
      .prepare();
  }

  return (owner, { workspaceId, filter, sort, limit, offset, after }) => {
    const shape: IndexedShape = {
      sort: sort.field === "updatedAt" ? "updatedAt" : "createdAt",
      descending: sort.descending,
      after: after !== null,
      status: filter.statuses !== undefined,
      assignee: filter.assignedTo !== undefined,
    };
    const name = Object.values(shape).join();
    let statement = prepared.get(name);
    if (statement === undefined) prepared.set(name, (statement = prepare(shape)));
    const values = {
      ...{ owner, limit, offset, status: filter.statuses?.[0], assignee: filter.assignedTo },
      ...{ value: after?.value, tie: after?.tie },
    };
    return statement.values(values).map((row) => storedLead(row, workspaceId));
  };
}

function isBehind({ sort, after }: LeadPageRequest): SQL {
  const beyond = sort.descending ? sql`<` : sql`>`;
  return sql`(${sortExpression(sort.field)}, ${leads.seq}) ${beyond} (${after?.value}, ${after?.tie})`;
}

/** The sort key of a page; its value in the last lead is the start of the next page. */
function sortExpression(field: LeadSortField): SQL {
  if (field === "createdAt" || field === "updatedAt") return sql`${leads[field]}`;
  return sql`coalesce(lower(${leads[field]}), '')`;
}

function isAmong(list: unknown): SQL {
  return sql`${leads.seq} IN (SELECT value FROM json_each(${list}))`;
}
