import { and, asc, desc, gt, lt, sql, type SQL } from "drizzle-orm";
import type { MatchingLead, MatchingRequest } from "../../../features/leads/bulk-job-model.ts";
import type { LeadFilter, LeadSortField } from "../../../features/leads/model.ts";
import { pageOf } from "../../../features/leads/pages.ts";
import type { LeadPageRequest, LeadStore } from "../../../features/leads/store.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import type { Engine } from "./engine.ts";
import { countByStatus } from "./lead-counts.ts";
import { columnsOfStored, storedLead, type StoredRow } from "./lead-facts.ts";
import { filtered } from "./lead-filters.ts";
import { leads } from "./tables.ts";

/** Lists and counts of leads. */
export function createLeadQueries({ orm, ownerOf }: Engine): Pick<LeadStore, "page" | "count" | "matching"> {
  async function page(request: LeadPageRequest) {
    const { workspaceId, filter, sort, limit, offset, after } = request;
    const owner = await ownerOf(workspaceId);
    if (owner === null) return { leads: [], next: null };
    const direction = sort.descending ? desc : asc;
    const isWanted = and(filtered({ owner, workspaceId }, filter), after === null ? undefined : isBehind(request));
    const rows = await orm.execute<StoredRow>(sql`
      SELECT ${columnsOfStored} FROM ${leads} WHERE ${isWanted}
      ORDER BY ${direction(sortExpression(sort.field))}, ${direction(leads.seq)} LIMIT ${limit + 1} OFFSET ${offset}`);
    return pageOf(
      rows.map((row) => storedLead(row, workspaceId)),
      request,
    );
  }

  async function count(workspaceId: WorkspaceId, filter: LeadFilter): Promise<number> {
    const owner = await ownerOf(workspaceId);
    if (owner === null) return 0;
    if (Object.keys(filter).every((key) => key === "statuses")) return await countByStatus(orm, owner, filter.statuses);
    const [row] = await orm
      .select({ n: sql<number>`count(*)` })
      .from(leads)
      .where(filtered({ owner, workspaceId }, filter));
    return row?.n ?? 0;
  }

  async function matching(request: MatchingRequest): Promise<MatchingLead[]> {
    const { workspaceId, filter, createdUntil, afterLead, limit } = request;
    const owner = await ownerOf(workspaceId);
    if (owner === null) return [];
    const { seq, id, version, createdAt } = leads;
    return await orm
      .select({ seq, id, version })
      .from(leads)
      .where(and(filtered({ owner, workspaceId }, filter), gt(seq, afterLead), lt(createdAt, createdUntil)))
      .orderBy(asc(seq))
      .limit(limit);
  }

  return { page, count, matching };
}

function isBehind({ sort, after }: LeadPageRequest): SQL {
  const beyond = sort.descending ? sql`<` : sql`>`;
  const value = typeof after?.value === "number" ? sql`${after.value}::bigint` : sql`${after?.value}::text`;
  return sql`(${sortExpression(sort.field)}, ${leads.seq}) ${beyond} (${value}, ${after?.tie}::bigint)`;
}

/** By bytes, with the case of ASCII letters folded, whatever the locale of the database. */
function sortExpression(field: LeadSortField): SQL {
  if (field === "createdAt" || field === "updatedAt") return sql`${leads[field]}`;
  return sql`coalesce(lower(${leads[field]} COLLATE "C"), '')`;
}
