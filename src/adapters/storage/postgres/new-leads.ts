import { sql } from "drizzle-orm";
import type { ImportBatch } from "../../../features/leads/change-model.ts";
import { keysOfRow, withList } from "../../../features/leads/import/packed-rows.ts";
import { leadStatuses } from "../../../features/leads/model.ts";
import type { Connection } from "./engine.ts";
import { wellFormed } from "./json-rows.ts";
import { addCounts } from "./lead-counts.ts";
import { leadImportCreated, leads } from "./tables.ts";

type Range = { from: number; to: number };

const decoder = new TextDecoder();

/** The rows of one batch that became leads, stored without unpacking them. */
export class NewLeads {
  /** Numbers (`seq`) of the leads, in the order of their rows. */
  readonly #seqs: readonly number[];

  static async store(connection: Connection, batch: ImportBatch, ranges: readonly Range[]): Promise<NewLeads> {
    const seqs: number[] = [];
    for (const { from, to } of ranges) seqs.push(...(await insertRange(connection, batch, from, to)));
    const indexes = ranges.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, n) => from + n));
    if (seqs.length !== indexes.length) throw new Error(`Expected ${indexes.length} new leads, got ${seqs.length}`);
    if (seqs.length > 0) await insertParts(connection, batch, indexes, seqs);
    return new NewLeads(seqs);
  }

  constructor(seqs: readonly number[]) {
    this.#seqs = seqs;
  }

  /** Number of the n-th lead that was stored, from 1. */
  numberOf(n: number): number {
    return this.#seqs[n - 1]!;
  }
}

async function insertRange(
  connection: Connection,
  { rows, at }: ImportBatch,
  from: number,
  to: number,
): Promise<number[]> {
  const list = withList(rows, from, to, (bytes) => wellFormed(decoder.decode(bytes)));
  // The order of the rows is the order of their numbers.
  const stored = await connection.execute<{ seq: number }>(sql`
    INSERT INTO ${leads} (id, first_name, last_name, email, company, title, phone, network_url, industry, location, source,
      notes, status, tags, custom_fields, folded, assigned_to, owner, version, created_at, updated_at)
    SELECT v ->> 0, v ->> 1, v ->> 2, v ->> 3, v ->> 4, v ->> 5, v ->> 6, v ->> 7, v ->> 8, v ->> 9, v ->> 10,
      v ->> 11, v ->> 12, (v ->> 13)::jsonb, (v ->> 14)::json, v ->> 15, v ->> 16, ${rows.owner}, 1, ${at}, ${at}
    FROM json_array_elements(${list}::json) WITH ORDINALITY AS packed (v, n) ORDER BY n
    RETURNING seq`);
  return stored.map(({ seq }) => seq);
}

/** Keys, tags, counts, and ranges of the report. */
async function insertParts(
  connection: Connection,
  { jobId, rows, at }: ImportBatch,
  indexes: readonly number[],
  seqs: readonly number[],
): Promise<void> {
  const seqOf = new Map(indexes.map((index, n) => [index, seqs[n]!]));
  const keys = indexes.flatMap((index, n) =>
    [...rows.keys.subarray(index * keysOfRow, (index + 1) * keysOfRow)]
      .filter((key) => !Number.isNaN(key))
      .map((key) => ({ key, lead: seqs[n]! })),
  );
  await connection.execute(sql`
    INSERT INTO lead_keys (key, lead)
    SELECT key, lead FROM json_to_recordset(${JSON.stringify(keys)}::json) AS pair (key bigint, lead bigint)
    ON CONFLICT DO NOTHING`);
  const tags = rows.tags.flatMap((tag, n) => {
    const lead = seqOf.get(rows.tagRows[n]!);
    return lead === undefined ? [] : [{ tag: tag.toWellFormed(), lead }];
  });
  if (tags.length > 0)
    await connection.execute(sql`
      INSERT INTO lead_tags (owner, tag, lead)
      SELECT ${rows.owner}, tag, lead FROM json_to_recordset(${JSON.stringify(tags)}::json) AS pair (tag text, lead bigint)
      ON CONFLICT DO NOTHING`);
  const byStatus = Map.groupBy(indexes, (index) => leadStatuses[rows.statuses[index]!]!);
  await addCounts(
    connection,
    rows.owner,
    [...byStatus].map(([status, leadsOfStatus]) => [status, leadsOfStatus.length]),
  );
  const ranges = rangesOf(
    indexes.map((index) => rows.numbers[index]!),
    seqs,
  );
  await connection
    .insert(leadImportCreated)
    .values(ranges.map((range) => ({ jobId, ...range, createdAt: at })))
    .onConflictDoNothing();
}

/** Rows and leads that both follow each other: other transactions take numbers meanwhile. */
function rangesOf(rows: readonly number[], seqs: readonly number[]): { row: number; lead: number; leads: number }[] {
  const ranges: { row: number; lead: number; leads: number }[] = [];
  for (const [n, row] of rows.entries()) {
    const last = ranges.at(-1);
    const lead = seqs[n]!;
    if (last !== undefined && last.row + last.leads === row && last.lead + last.leads === lead) last.leads++;
    else ranges.push({ row, lead, leads: 1 });
  }
  return ranges;
}
