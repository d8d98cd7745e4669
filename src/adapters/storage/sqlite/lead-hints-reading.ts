import type { Database } from "bun:sqlite";
import { companyKey } from "../../../platform/identity/company-key.ts";
import { domainOfEmail, isFreeMail } from "../../../platform/identity/email-domain.ts";
import { companyKeyHash, domainKey } from "../../../features/leads/identity.ts";

/** Leads whose hints are sorted together, so that many hints share a page of the table instead of dirtying one each. */
const batch = 5_000;

/** Leads of an owner that were changed after this one, but not after `until`. */
export type HintsWanted = { owner: number; updatedAt: number; lead: number; until: number };

/** Pairs of key and lead (`seq`), flattened and sorted by key, and the last lead that was read. */
export type HintsRead = { pairs: Float64Array; last: { updatedAt: number; lead: number } };

type Row = [seq: number, email: string | null, company: string | null, updatedAt: number];

/** The hints of the next leads; null if no lead is left. Takes tens of milliseconds, so it runs in a reader thread. */
export function readLeadHints(database: Database, { owner, updatedAt, lead, until }: HintsWanted): HintsRead | null {
  const rows = database
    .query(`SELECT seq, email, company, updated_at ${leadsBehind} LIMIT ${batch}`)
    .values(owner, updatedAt, lead, until) as Row[];
  const last = rows.at(-1);
  if (last === undefined) return null;
  const hints = rows.flatMap((row) => hintsTo(owner, row)).sort((a, b) => a[0] - b[0]);
  return { pairs: Float64Array.from(hints.flat()), last: { updatedAt: last[3], lead: last[0] } };
}

/** The clauses after the columns of a SELECT; parameters: owner, updatedAt, lead, until. */
export const leadsBehind = `FROM leads
  WHERE owner = ?1 AND updated_at >= ?2 AND updated_at <= ?4 AND (updated_at > ?2 OR seq > ?3)
  ORDER BY updated_at, seq`;

function hintsTo(owner: number, [seq, email, company]: Row): [key: number, lead: number][] {
  const hints: [number, number][] = [];
  const domain = email === null ? null : domainOfEmail(email);
  if (domain !== null && !isFreeMail(domain)) hints.push([domainKey(owner, domain), seq]);
  const name = company === null ? "" : companyKey(company);
  if (name !== "") hints.push([companyKeyHash(owner, name), seq]);
  return hints;
}
