import { and, asc, count, desc, eq, gte, inArray, lt, or, sql, type SQL } from "drizzle-orm";
import type { Lead, LeadFilter, LeadSortField } from "../../leads/model.ts";
import type { LeadPageRequest, LeadStore } from "../../leads/store.ts";
import type { Engine } from "./engine.ts";
import { leadOfValues } from "./lead-row.ts";
import { leadCounts, leads, leadTags } from "./tables.ts";

/** An offset beyond this is walked in the reader thread: each skipped row costs about a microsecond. */
const maxOffsetOnMainThread = 1000;

/**
 * Lists and counts of leads. What an index answers at once runs here and now; everything else is worked out by the
 * reader thread, which finds the ids, and only those rows are then loaded.
 */
export function createLeadQueries({ orm, reader }: Engine): Pick<LeadStore, "page" | "count"> {
  const indexedPage = createIndexedPages(orm);
  const byIds = orm
    .select()
    .from(leads)
    .where(sql`${leads.id} IN (SELECT value FROM json_each(${sql.placeholder("ids")}))`)
    .prepare();
  const countsOfUser = orm
    .select()
    .from(leadCounts)
    .where(eq(leadCounts.userId, sql.placeholder("userId")))
    .prepare();

  async function page(request: LeadPageRequest): Promise<Lead[]> {
    if (isIndexed(request)) return indexedPage(request);
    const query = orm.select({ id: leads.id }).from(leads).where(conditionsOf(request)).orderBy(...orderOf(request));
    const found = await reader.all<{ id: string }>(query.limit(request.limit).offset(request.offset).toSQL());
    const rows = byIds.values({ ids: JSON.stringify(found.map(({ id }) => id)) }).map(leadOfValues);
    const byId = new Map(rows.map((lead) => [lead.id, lead]));
    // A lead may have been deleted between the two looks.
    return found.map(({ id }) => byId.get(id)).filter((lead) => lead !== undefined);
  }

  async function countLeads(userId: string, filter: LeadFilter): Promise<number> {
    if (Object.keys(filter).every((key) => key === "statuses")) return countByStatus(userId, filter.statuses);
    const query = orm.select({ n: count() }).from(leads).where(filtered(userId, filter));
    const [row] = await reader.all<Record<string, number>>(query.toSQL());
    return Object.values(row ?? {})[0] ?? 0;
  }

  function countByStatus(userId: string, statuses: LeadFilter["statuses"]): number {
    const counted = countsOfUser.all({ userId }).filter(({ status }) => statuses?.includes(status) ?? true);
    return counted.reduce((sum, { leads: n }) => sum + n, 0);
  }

  return { page, count: countLeads };
}

type IndexedShape = { sort: "createdAt" | "updatedAt"; descending: boolean; after: boolean; status: boolean; email: boolean };

/** True when an index gives the page's rows in order, so that it costs no more than the page itself. */
function isIndexed({ filter, sort, offset }: LeadPageRequest): boolean {
  const filters = Object.keys(filter);
  const oneStatus = filters.length === 1 && filter.statuses?.length === 1 && sort.field === "createdAt";
  const byEmail = filters.length === 1 && filter.email !== undefined;
  const isInOrder = sort.field === "createdAt" || sort.field === "updatedAt";
  return isInOrder && offset <= maxOffsetOnMainThread && (filters.length === 0 || oneStatus || byEmail);
}

/** Runs indexed pages by statements that are prepared once for each of their few shapes. */
function createIndexedPages(orm: Engine["orm"]): (request: LeadPageRequest) => Lead[] {
  const prepared = new Map<string, ReturnType<typeof prepare>>();
  const at = sql.placeholder;

  function prepare({ sort, descending, after, status, email }: IndexedShape) {
    const place = sql`(${leads[sort]}, ${leads.id}) ${sql.raw(descending ? "<" : ">")} (${at("value")}, ${at("id")})`;
    const direction = descending ? desc : asc;
    return orm
      .select()
      .from(leads)
      .where(
        and(
          eq(leads.userId, at("userId")),
          status ? eq(leads.status, at("status")) : undefined,
          email ? eq(leads.emailKey, at("email")) : undefined,
          after ? place : undefined,
        ),
      )
      .orderBy(direction(leads[sort]), direction(leads.id))
      .limit(at("limit"))
      .offset(at("offset"))
      .prepare();
  }

  return ({ userId, filter, sort, limit, offset, after }) => {
    const shape: IndexedShape = {
      sort: sort.field === "updatedAt" ? "updatedAt" : "createdAt",
      descending: sort.descending,
      after: after !== null,
      status: filter.statuses !== undefined,
      email: filter.email !== undefined,
    };
    const name = Object.values(shape).join();
    let statement = prepared.get(name);
    if (statement === undefined) prepared.set(name, (statement = prepare(shape)));
    const rows = statement.values({
      userId,
      limit,
      offset,
      status: filter.statuses?.[0],
      email: filter.email?.toLowerCase(),
      value: after?.value,
      id: after?.id,
    });
    return rows.map(leadOfValues);
  };
}

function conditionsOf({ userId, filter, sort, after }: LeadPageRequest): SQL | undefined {
  const conditions = filtered(userId, filter);
  if (after === null) return conditions;
  const column = sortExpression(sort.field);
  const beyond = sort.descending ? sql`<` : sql`>`;
  return and(conditions, sql`(${column}, ${leads.id}) ${beyond} (${after.value}, ${after.id})`);
}

function orderOf({ sort }: LeadPageRequest): [SQL, SQL] {
  const direction = sort.descending ? desc : asc;
  return [direction(sortExpression(sort.field)), direction(leads.id)];
}

/** What a page is ordered by; its value of the last lead is the place where the next page begins. */
function sortExpression(field: LeadSortField): SQL {
  if (field === "createdAt" || field === "updatedAt") return sql`${leads[field]}`;
  return sql`coalesce(lower(${leads[field]}), '')`;
}

function filtered(userId: string, filter: LeadFilter): SQL | undefined {
  const same = (column: typeof leads.company | typeof leads.source, value: string | undefined) =>
    value === undefined ? undefined : sql`${column} = ${value} COLLATE NOCASE`;
  return and(
    eq(leads.userId, userId),
    filter.statuses && inArray(leads.status, filter.statuses),
    filter.tag === undefined
      ? undefined
      : sql`${leads.id} IN (SELECT ${leadTags.leadId} FROM ${leadTags} WHERE ${leadTags.userId} = ${userId} AND ${leadTags.tag} = ${filter.tag})`,
    filter.email === undefined ? undefined : eq(leads.emailKey, filter.email.toLowerCase()),
    same(leads.company, filter.company),
    same(leads.source, filter.source),
    filter.text === undefined ? undefined : containsText(filter.text),
    filter.createdAfter === undefined ? undefined : gte(leads.createdAt, filter.createdAfter),
    filter.createdBefore === undefined ? undefined : lt(leads.createdAt, filter.createdBefore),
    filter.updatedAfter === undefined ? undefined : gte(leads.updatedAt, filter.updatedAfter),
    filter.updatedBefore === undefined ? undefined : lt(leads.updatedAt, filter.updatedBefore),
  );
}

function containsText(text: string): SQL | undefined {
  const pattern = `%${text.replace(/[\\%_]/g, "\\$&")}%`;
  const fullName = sql`coalesce(${leads.firstName}, '') || ' ' || coalesce(${leads.lastName}, '')`;
  const fields = [fullName, leads.email, leads.company, leads.title];
  return or(...fields.map((field) => sql`${field} LIKE ${pattern} ESCAPE '\\'`));
}
