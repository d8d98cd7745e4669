import { and, asc, desc, eq, gte, inArray, lt, sql } from "drizzle-orm";
import type { EnrichmentChange, KnownResult } from "../../../features/enrichment/decisions.ts";
import { keysOf } from "../../../features/leads/decisions.ts";
import type { LeadIdentity } from "../../../features/leads/model.ts";
import { enrichmentResultKeys, enrichmentResults } from "./enrichment-tables.ts";
import type { Connection } from "./engine.ts";
import { Loaded } from "./loaded.ts";

type ResultChange = Omit<EnrichmentChange & { kind: "result" }, "kind">;
type Question = { key: number; since: number };

/** Results about people by their keys, the newest first. */
export function loadedResults(connection: Connection, owner: number): Loaded<Question, readonly KnownResult[]> {
  const nameOf = ({ key, since }: Question) => `${key} ${since}`;
  const { key, result } = enrichmentResultKeys;

  async function fetch(questions: readonly Question[]): Promise<Map<string, KnownResult[]>> {
    const found = await connection
      .select({ key, row: enrichmentResults })
      .from(enrichmentResultKeys)
      .innerJoin(enrichmentResults, eq(enrichmentResults.n, result))
      .where(
        and(
          inArray(
            key,
            questions.map((question) => question.key),
          ),
          eq(enrichmentResults.owner, owner),
          gte(enrichmentResults.at, Math.min(...questions.map(({ since }) => since))),
        ),
      )
      .orderBy(desc(result));
    const byKey = Map.groupBy(found, (each) => each.key);
    return new Map(
      questions.map((question) => {
        const rows = (byKey.get(question.key) ?? []).filter(({ row }) => row.at >= question.since);
        return [nameOf(question), rows.map(({ row }) => knownResult(row))];
      }),
    );
  }

  return new Loaded({ provisional: [], nameOf, fetch });
}

/** Results with one of these keys, the newest first, at most `most` for each key. */
export async function resultsWithKeys(
  connection: Connection,
  owner: number,
  keys: readonly number[],
  most: number,
): Promise<{ key: number; result: KnownResult }[]> {
  const ofKey = connection
    .select({ n: enrichmentResults.n })
    .from(enrichmentResultKeys)
    .innerJoin(enrichmentResults, eq(enrichmentResults.n, enrichmentResultKeys.result))
    .where(and(sql`${enrichmentResultKeys.key} = asked.key`, eq(enrichmentResults.owner, owner)))
    .orderBy(desc(enrichmentResultKeys.result))
    .limit(most);
  const rows = await connection
    .select({ key: sql<number>`asked.key`.mapWith(Number), row: enrichmentResults })
    .from(sql`json_to_recordset(${JSON.stringify(keys.map((key) => ({ key })))}::json) AS asked (key bigint)`)
    .innerJoinLateral(ofKey.as("found"), sql`true`)
    .innerJoin(enrichmentResults, sql`${enrichmentResults.n} = found.n`)
    .orderBy(desc(enrichmentResults.n));
  return rows.map(({ key, row }) => ({ key, result: knownResult(row) }));
}

/** With the keys that each is found by. New ones get numbers in their order. */
export async function writeResults(
  connection: Connection,
  owner: number,
  changes: readonly ResultChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const added = changes.filter(({ n }) => n === null);
  const values = added.map(({ result: { identity, asked, merged, at } }) => ({
    ...{ owner, ...identity, asked, fields: merged, at },
  }));
  const inserted =
    values.length === 0
      ? []
      : await connection.insert(enrichmentResults).values(values).returning({ n: enrichmentResults.n });
  // An old result may have been deleted since the decision was made. It has no use for keys then.
  const kept = new Set<number>();
  for (const { n, result } of changes)
    if (n !== null) {
      const updated = await connection
        .update(enrichmentResults)
        .set({ asked: result.asked, fields: result.merged })
        .where(eq(enrichmentResults.n, n))
        .returning({ n: enrichmentResults.n });
      if (updated.length > 0) kept.add(n);
    }
  const numbers = inserted.values();
  const keys = changes.flatMap(({ n, people }) => {
    if (n !== null && !kept.has(n)) return [];
    return keysFor(owner, people, n ?? numbers.next().value!.n);
  });
  if (keys.length > 0) await connection.insert(enrichmentResultKeys).values(keys).onConflictDoNothing();
}

/** Returns how many. */
export async function forgetResults(connection: Connection, before: number, limit: number): Promise<number> {
  const { n, at } = enrichmentResults;
  const old = connection.select({ n }).from(enrichmentResults).where(lt(at, before)).orderBy(asc(at)).limit(limit);
  return (await connection.delete(enrichmentResults).where(inArray(n, old)).returning({ n })).length;
}

function keysFor(owner: number, people: readonly LeadIdentity[], result: number) {
  return people.flatMap((person) => keysOf(owner, person)).map((key) => ({ key, result }));
}

function knownResult({ n, email, network, name, asked, fields, at }: typeof enrichmentResults.$inferSelect) {
  return { n, identity: { email, network, name }, asked, merged: fields, at } satisfies KnownResult;
}
