import { and, count, desc, eq, isNotNull, max, ne, or, sql, type SQL } from "drizzle-orm";
import type { LeadStore } from "../../../features/leads/store.ts";
import { spelledTag, spellingsOf } from "../../../features/leads/spellings.ts";
import { sampledForNames, type LeadValue, type ValuesRequest } from "../../../features/leads/value-model.ts";
import type { Engine } from "./engine.ts";
import { containsText } from "./lead-filters.ts";
import type { Owners } from "./owners.ts";
import { leads, leadTags } from "./tables.ts";

/** Values of leads, found in the reader thread. */
export function createLeadValues({ orm, reader }: Engine, owners: Owners): Pick<LeadStore, "values"> {
  async function values({ workspaceId, of, text, limit }: ValuesRequest): Promise<LeadValue[]> {
    const owner = owners(workspaceId);
    if (owner === null) return [];
    if (of.kind === "tag") return await tags(owner, of, text, limit);
    return await reader.all<LeadValue>(queryOf(owner, of, text, limit).toSQL());
  }

  function queryOf(owner: number, of: Exclude<ValuesRequest["of"], { kind: "tag" }>, text: string, limit: number) {
    if (of.kind === "field") {
      const column = leads[of.field];
      const isFound = text === "" ? isNotNull(column) : containsText(of.field, text);
      return mostFrequent(
        sql`${column}`,
        sql`lower(${column})`,
        sql`${leads}`,
        and(eq(leads.owner, owner), isFound),
        limit,
      );
    }
    const entry = sql`entry.value`;
    if (of.kind === "customField") {
      const value = sql`CASE entry.type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE CAST(${entry} AS TEXT) END`;
      const has = sql`instr(${leads.customFields}, ${JSON.stringify(of.name)}) > 0 AND entry.key = ${of.name}`;
      const isText = sql`${has} AND entry.type NOT IN ('null', 'object', 'array')`;
      const from = sql`${leads} JOIN json_each(${leads.customFields}) AS entry`;
      const where = and(eq(leads.owner, owner), isText, isIn(sql`lower(${value})`, text));
      return mostFrequent(value, sql`lower(${value})`, from, where, limit);
    }
    const newest = orm
      .select({ fields: sql`${leads.customFields}`.as("fields") })
      .from(leads)
      .where(and(eq(leads.owner, owner), ne(sql`${leads.customFields}`, "{}")))
      .orderBy(desc(leads.createdAt))
      .limit(sampledForNames);
    const key = sql`entry.key`;
    const from = sql`(${newest}) AS newest JOIN json_each(newest.fields) AS entry`;
    return mostFrequent(key, key, from, isIn(sql`lower(${key})`, text), limit);
  }

  function mostFrequent(value: SQL, group: SQL, from: SQL, where: SQL | undefined, limit: number) {
    const shown = sql<string>`max(${value})`.as("value");
    return orm
      .select({ value: shown, leads: count().as("leads") })
      .from(from)
      .where(where)
      .groupBy(group)
      .orderBy(sql`2 DESC, 1`)
      .limit(limit);
  }

  async function tags(
    owner: number,
    { prefix, isIncluded }: Extract<ValuesRequest["of"], { kind: "tag" }>,
    text: string,
    limit: number,
  ): Promise<LeadValue[]> {
    const start = sql`substr(${leadTags.tag}, 1, ${prefix.length})`;
    const isKind = isIncluded ? eq(start, prefix) : ne(start, prefix);
    const rest = isIncluded ? sql`substr(${leadTags.tag}, ${prefix.length + 1})` : sql`${leadTags.tag}`;
    const isFound = text === "" ? undefined : sql`instr(${rest}, ${text.toLowerCase()}) > 0`;
    const query = orm
      .select({
        tag: sql<string>`${leadTags.tag}`.as("tag"),
        leads: count().as("leads"),
        seq: max(leadTags.lead).as("seq"),
      })
      .from(leadTags)
      .where(and(eq(leadTags.owner, owner), isKind, isFound))
      .groupBy(leadTags.tag)
      .orderBy(sql`2 DESC, 1`)
      .limit(limit);
    const found = await reader.all<{ tag: string; leads: number; seq: number }>(query.toSQL());
    const spelled = orm
      .select({ seq: leads.seq, tags: leads.tags })
      .from(leads)
      .where(sql`${leads.seq} IN (SELECT value FROM json_each(${JSON.stringify(found.map(({ seq }) => seq))}))`)
      .all();
    const bySeq = new Map(spelled.map(({ seq, tags: written }) => [seq, written]));
    return found.map(({ tag, leads: n, seq }) => ({ value: spelledTag(tag, bySeq.get(seq) ?? []), leads: n }));
  }

  return { values };
}

function isIn(folded: SQL, text: string): SQL | undefined {
  return text === "" ? undefined : or(...spellingsOf(text).map((spelling) => sql`instr(${folded}, ${spelling}) > 0`));
}
