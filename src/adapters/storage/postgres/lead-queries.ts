import { and, asc, desc, eq, gt, gte, inArray, isNull, lt, or, sql, type SQL } from "drizzle-orm";
import { emailKey, foldedCompany, foldedEmail, foldedSource, foldedText } from "../../../features/leads/identity.ts";
import type { MatchingLead, MatchingRequest } from "../../../features/leads/bulk-job-model.ts";
import { campaignTag, type LeadFilter, type LeadSortField } from "../../../features/leads/model.ts";
import { pageOf } from "../../../features/leads/pages.ts";
import type { LeadPageRequest, LeadStore } from "../../../features/leads/store.ts";
import { canonicalEmail, displayEmail } from "../../../platform/identity/email.ts";
import { campaignEnrollments } from "./campaign-tables.ts";
import type { Engine } from "./engine.ts";
import { countByStatus } from "./lead-counts.ts";
import { storedLead } from "./lead-facts.ts";
import { leadKeys, leads, leadTags } from "./tables.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

/** Lists and counts of leads. */
export function createLeadQueries({ orm, ownerOf }: Engine): Pick<LeadStore, "page" | "count" | "matching"> {
  async function page(request: LeadPageRequest) {
    const { workspaceId, filter, sort, limit, offset, after } = request;
    const owner = await ownerOf(workspaceId);
    if (owner === null) return { leads: [], next: null };
    const direction = sort.descending ? desc : asc;
    const rows = await orm
      .select()
      .from(leads)
      .where(and(filtered(owner, filter), after === null ? undefined : isBehind(request)))
      .orderBy(direction(sortExpression(sort.field)), direction(leads.seq))
      .limit(limit + 1)
      .offset(offset);
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
      .where(filtered(owner, filter));
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
      .where(and(filtered(owner, filter), gt(seq, afterLead), lt(createdAt, createdUntil)))
      .orderBy(asc(seq))
      .limit(limit);
  }

  return { page, count, matching };
}

function filtered(owner: number, filter: LeadFilter): SQL | undefined {
  const { statuses, tag, campaignId, email, company, source, text, assignedTo } = filter;
  const { createdAfter, createdBefore, updatedAfter, updatedBefore } = filter;
  return and(
    eq(leads.owner, owner),
    statuses && inArray(leads.status, statuses),
    tag === undefined ? undefined : hasTag(owner, tag),
    campaignId === undefined ? undefined : or(isEnrolled(campaignId), hasTag(owner, campaignTag(campaignId))),
    email === undefined ? undefined : hasEmail(owner, email),
    company === undefined ? undefined : contains(foldedCompany(company)),
    source === undefined ? undefined : contains(foldedSource(source)),
    text === undefined ? undefined : contains(foldedText(text)),
    assignedTo === undefined
      ? undefined
      : assignedTo === null
        ? isNull(leads.assignedTo)
        : eq(leads.assignedTo, assignedTo),
    createdAfter === undefined ? undefined : gte(leads.createdAt, createdAfter),
    createdBefore === undefined ? undefined : lt(leads.createdAt, createdBefore),
    updatedAfter === undefined ? undefined : gte(leads.updatedAt, updatedAfter),
    updatedBefore === undefined ? undefined : lt(leads.updatedAt, updatedBefore),
  );
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

function isEnrolled(campaignId: string): SQL {
  return sql`${leads.id} IN (SELECT ${campaignEnrollments.leadId} FROM ${campaignEnrollments} WHERE ${campaignEnrollments.campaignId} = ${campaignId})`;
}

function hasTag(owner: number, tag: string): SQL {
  return sql`${leads.seq} IN (SELECT ${leadTags.lead} FROM ${leadTags} WHERE ${leadTags.owner} = ${owner} AND ${leadTags.tag} = ${tag.toLowerCase()})`;
}

/** One person may be stored thousands of times: the key finds them, the text decides. */
function hasEmail(owner: number, email: string): SQL {
  const address = canonicalEmail(email);
  const key = emailKey(owner, address);
  // The domain may be stored in Punycode or in Unicode.
  const spellings = new Set([email, address, displayEmail(address)].map(foldedEmail));
  return sql`${leads.seq} IN (SELECT ${leadKeys.lead} FROM ${leadKeys} WHERE ${leadKeys.key} = ${key}) AND (${or(...[...spellings].map(contains))})`;
}

function contains(folded: string): SQL {
  return sql`strpos(${leads.folded}, ${folded}) > 0`;
}
