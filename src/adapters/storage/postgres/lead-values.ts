import { and, eq, inArray, isNotNull, ne, or, sql, type SQL } from "drizzle-orm";
import type { LeadStore } from "../../../features/leads/store.ts";
import { spelledTag, spellingsOf } from "../../../features/leads/spellings.ts";
import { sampledForNames, type LeadValue, type ValuesRequest } from "../../../features/leads/value-model.ts";
import type { Engine } from "./engine.ts";
import { containsText, foldedColumn } from "./lead-filters.ts";
import { leads, leadTags } from "./tables.ts";

/** Values of leads. */
export function createLeadValues({ orm, ownerOf }: Engine): Pick<LeadStore, "values"> {
  async function values({ workspaceId, of, text, limit }: ValuesRequest): Promise<LeadValue[]> {
    const owner = await ownerOf(workspaceId);
    if (owner === null) return [];
    if (of.kind === "tag") return await tags(owner, of, text, limit);
    const ofOwner = eq(leads.owner, owner);
    if (of.kind === "field") {
      const column = leads[of.field];
      const isFound = text === "" ? isNotNull(column) : containsText(of.field, text);
      return await mostFrequent(sql`${column}`, foldedColumn(of.field), sql`${leads}`, and(ofOwner, isFound), limit);
    }
    if (of.kind === "customField") {
      const value = sql`(${leads.customFields} ->> ${of.name}::text)`;
      const isScalar = sql`json_typeof(${leads.customFields} -> ${of.name}::text) NOT IN ('object', 'array')`;
      const where = and(ofOwner, isNotNull(value), isScalar, isIn(folded(value), text));
      return await mostFrequent(
        sql`entry.value`,
        folded(sql`entry.value`),
        sql`(SELECT ${value} AS value FROM ${leads} WHERE ${where}) AS entry`,
        undefined,
        limit,
      );
    }
    const newest = sql`SELECT ${leads.customFields} AS fields FROM ${leads}
      WHERE ${and(ofOwner, sql`${leads.customFields}::text <> '{}'`)} ORDER BY ${leads.createdAt} DESC LIMIT ${sampledForNames}`;
    const from = sql`(${newest}) AS newest CROSS JOIN LATERAL json_object_keys(newest.fields) AS entry (name)`;
    const name = sql`entry.name`;
    return await mostFrequent(name, name, from, isIn(folded(name), text), limit);
  }

  async function mostFrequent(
    value: SQL,
    group: SQL,
    from: SQL,
    where: SQL | undefined,
    limit: number,
  ): Promise<LeadValue[]> {
    return await orm
      .select({
        value: sql<string>`max(${value} COLLATE "C")`.as("value"),
        leads: sql<number>`count(*)`.mapWith(Number).as("leads"),
      })
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
    const start = sql`left(${leadTags.tag}, ${prefix.length}::integer)`;
    const isKind = isIncluded ? eq(start, prefix) : ne(start, prefix);
    const rest = isIncluded ? sql`substr(${leadTags.tag}, ${prefix.length + 1}::integer)` : sql`${leadTags.tag}`;
    const isFound = text === "" ? undefined : sql`strpos(${rest}, ${text.toLowerCase()}) > 0`;
    const found = await orm
      .select({
        tag: sql<string>`${leadTags.tag}`.as("tag"),
        leads: sql<number>`count(*)`.mapWith(Number).as("leads"),
        seq: sql<number>`max(${leadTags.lead})`.mapWith(Number),
      })
      .from(leadTags)
      .where(and(eq(leadTags.owner, owner), isKind, isFound))
      .groupBy(leadTags.tag)
      .orderBy(sql`2 DESC, 1`)
      .limit(limit);
    if (found.length === 0) return [];
    const spelled = await orm
      .select({ seq: leads.seq, tags: leads.tags })
      .from(leads)
      .where(
        inArray(
          leads.seq,
          found.map(({ seq }) => seq),
        ),
      );
    const bySeq = new Map(spelled.map(({ seq, tags: written }) => [seq, written]));
    return found.map(({ tag, leads: n, seq }) => ({ value: spelledTag(tag, bySeq.get(seq) ?? []), leads: n }));
  }

  return { values };
}

function folded(value: SQL): SQL {
  return sql`lower(${value} COLLATE "C")`;
}

function isIn(value: SQL, text: string): SQL | undefined {
  return text === "" ? undefined : or(...spellingsOf(text).map((spelling) => sql`strpos(${value}, ${spelling}) > 0`));
}
