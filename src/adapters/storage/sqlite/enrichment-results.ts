import { paidIdentity } from "../../../features/enrichment/paid-identity.ts";
import type { StoredResult } from "../../../features/enrichment/store.ts";
import type { LeadIdentity } from "../../../features/leads/model.ts";
import type { Engine } from "./engine.ts";
import { leadKeysOf } from "../../../features/leads/identity.ts";
import { samePerson } from "../../../features/leads/same-person.ts";
import { prepared } from "./prepared.ts";

/** What was found about people, inside a write unit, by the same rules by which leads are the same person. */
export function createResultRows({ database }: Engine) {
  // The newest first: it is the one that counts. Plain statements: they run several times for each lead.
  const byKey = prepared(
    database,
    `SELECT r.n, r.email, r.network, r.name, r.asked, r.fields, r.at
     FROM enrichment_result_keys AS k JOIN enrichment_results AS r ON r.n = k.result
     WHERE k.key = ? AND r.owner = ? AND r.at >= ? ORDER BY k.result DESC`,
  );
  const insertResult = prepared(
    database,
    "INSERT INTO enrichment_results (owner, email, network, name, asked, fields, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  const insertKey = prepared(database, "INSERT OR IGNORE INTO enrichment_result_keys (key, result) VALUES (?, ?)");
  const replaceResult = prepared(database, "UPDATE enrichment_results SET asked = ?, fields = ? WHERE n = ?");

  function find(owner: number, person: LeadIdentity, since: number): ResultRow | null {
    const candidates = (key: number) =>
      (byKey.values(key, owner, since) as Values[])
        .map(rowIn)
        .map((row) => ({ row, identity: paidIdentity(row.identity, row.merged) }));
    return samePerson(owner, person, candidates)?.row ?? null;
  }

  function insert(owner: number, { identity, asked, merged, at }: StoredResult): void {
    const { email, network, name } = identity;
    const fields = JSON.stringify(merged);
    const { lastInsertRowid } = insertResult.run(owner, email, network, name, JSON.stringify(asked), fields, at);
    addKeys(owner, Number(lastInsertRowid), paidIdentity(identity, merged));
  }

  /** Takes the place of what was known; the person and the moment of payment stay. */
  function replace(owner: number, { n, identity }: ResultRow, { asked, merged }: StoredResult): void {
    replaceResult.run(JSON.stringify(asked), JSON.stringify(merged), n);
    addKeys(owner, n, paidIdentity(identity, merged));
  }

  function addKeys(owner: number, n: number, person: LeadIdentity): void {
    const { strong, name } = leadKeysOf(owner, person);
    for (const key of name === null ? strong : [...strong, name]) insertKey.run(key, n);
  }

  return { find, insert, replace };
}

type Text = string | null;
type Values = [n: number, email: Text, network: Text, name: Text, asked: string, fields: string, at: number];
export type ResultRow = StoredResult & { n: number };

function rowIn([n, email, network, name, asked, fields, at]: Values): ResultRow {
  return {
    n,
    identity: { email, network, name },
    asked: JSON.parse(asked) as StoredResult["asked"],
    merged: JSON.parse(fields) as StoredResult["merged"],
    at,
  };
}
