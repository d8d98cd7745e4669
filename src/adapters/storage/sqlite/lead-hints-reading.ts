import type { Database } from "bun:sqlite";
import { hintKeysOf, leadsPerBatch } from "../../../features/enrichment/lead-hints.ts";

/** Leads of an owner that were changed after this one, but not after `until`. */
export type HintsWanted = { owner: number; updatedAt: number; lead: number; until: number };

/** Pairs of key and lead (`seq`), flattened and sorted by key, and the last lead that was read. */
export type HintsRead = { pairs: Float64Array; last: { updatedAt: number; lead: number } };

type Row = [seq: number, email: string | null, company: string | null, updatedAt: number];

/** The hints of the next leads; null if no lead is left. Takes tens of milliseconds, so it runs in a reader thread. */
export function readLeadHints(database: Database, { owner, updatedAt, lead, until }: HintsWanted): HintsRead | null {
  const rows = database
    .query(`SELECT seq, email, company, updated_at ${leadsBehind} LIMIT ${leadsPerBatch}`)
    .values(owner, updatedAt, lead, until) as Row[];
  const last = rows.at(-1);
  if (last === undefined) return null;
  const hints = rows
    .flatMap(([seq, email, company]) => hintKeysOf(owner, { email, company }).map((key) => [key, seq] as const))
    .sort((a, b) => a[0] - b[0]);
  return { pairs: Float64Array.from(hints.flat()), last: { updatedAt: last[3], lead: last[0] } };
}

/** The clauses after the columns of a SELECT; parameters: owner, updatedAt, lead, until. */
export const leadsBehind = `FROM leads
  WHERE owner = ?1 AND updated_at >= ?2 AND updated_at <= ?4 AND (updated_at > ?2 OR seq > ?3)
  ORDER BY updated_at, seq`;
