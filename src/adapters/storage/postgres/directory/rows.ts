import { and, asc, eq, sql, type SQL } from "drizzle-orm";
import type { StoredProspect } from "../../../../features/prospecting/stored-prospect.ts";
import type { ProspectContent } from "../../../../features/prospecting/model.ts";
import { leads } from "../tables.ts";
import type { Connection } from "../engine.ts";
import { prospectKeys, prospects } from "./tables.ts";

/** A list as one parameter. */
export function listOf(values: readonly number[], type: "bigint" | "integer" = "bigint"): SQL {
  return sql`(SELECT value::${sql.raw(type)} FROM json_array_elements_text(${JSON.stringify(values)}::json))`;
}

/** The prospects with these numbers, by number. */
export async function loadProspects(
  connection: Connection,
  owner: number,
  numbers: readonly number[],
): Promise<Map<number, StoredProspect>> {
  if (numbers.length === 0) return new Map();
  // A deleted lead does not count. The row still names it, because a lead has no reference to its prospect.
  const rows = await connection
    .select({
      number: prospects.number,
      json: prospects.content,
      leadId: leads.id,
      createdAt: prospects.createdAt,
      updatedAt: prospects.updatedAt,
    })
    .from(prospects)
    .leftJoin(leads, eq(leads.id, prospects.leadId))
    .where(and(eq(prospects.owner, owner), sql`${prospects.number} IN ${listOf(numbers)}`));
  return new Map(rows.map((row) => [row.number, { ...row, content: JSON.parse(row.json) as ProspectContent }]));
}

/** Numbers of existing prospects that may have a key, at most `most` for each, oldest first. */
export async function numbersByKeys(
  connection: Connection,
  owner: number,
  keys: readonly number[],
  most: number,
): Promise<Map<number, number[]>> {
  if (keys.length === 0) return new Map();
  const ofKey = sql`SELECT ${prospectKeys.number} FROM ${prospectKeys}
    JOIN ${prospects} ON ${prospects.owner} = ${prospectKeys.owner} AND ${prospects.number} = ${prospectKeys.number}
    WHERE ${prospectKeys.owner} = ${owner} AND ${prospectKeys.key} = asked.key
    ORDER BY ${prospectKeys.number} LIMIT ${most}`;
  const pairs = await connection.execute<{ key: number; number: number }>(sql`
    SELECT asked.key, found.number
    FROM (SELECT DISTINCT value::bigint AS key FROM json_array_elements_text(${JSON.stringify(keys)}::json)) AS asked
    CROSS JOIN LATERAL (${ofKey}) AS found ORDER BY found.number`);
  const byKey = Map.groupBy(pairs, ({ key }) => key);
  return new Map([...byKey].map(([key, found]) => [key, found.map(({ number }) => number)]));
}

/** The lowest numbers from `from` on that may have one of the keys, at most `most`. */
export async function lowestNumbers(
  connection: Connection,
  owner: number,
  keys: readonly number[],
  from: number,
  most: number,
): Promise<number[]> {
  const { key, number } = prospectKeys;
  const rows = await connection
    .selectDistinct({ number })
    .from(prospectKeys)
    .where(and(eq(prospectKeys.owner, owner), sql`${key} IN ${listOf(keys)}`, sql`${number} >= ${from}`))
    .orderBy(asc(number))
    .limit(most);
  return rows.map((row) => row.number);
}
