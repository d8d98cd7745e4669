import type { StoredResult } from "../../enrichment/store.ts";
import type { LeadIdentity } from "../../leads/model.ts";
import type { Engine } from "./engine.ts";
import { leadKeysOf } from "../../leads/keys.ts";
import { samePerson } from "./lead-match.ts";

/** What was found about people, inside a write unit, by the same rules by which leads are the same person. */
export function createResultRows({ database }: Engine) {
  // The newest first: it is the one that counts. Plain statements: they run several times for each lead.
  const byKey = database.prepare(
    `SELECT r.email, r.network, r.name, r.groups, r.fields, r.at
     FROM enrichment_result_keys AS k JOIN enrichment_results AS r ON r.n = k.result
     WHERE k.key = ? AND r.owner = ? AND r.at >= ? ORDER BY k.result DESC`,
  );
  const insertResult = database.prepare(
    "INSERT INTO enrichment_results (owner, email, network, name, groups, fields, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  const insertKey = database.prepare("INSERT INTO enrichment_result_keys (key, result) VALUES (?, ?)");

  function find(owner: number, person: LeadIdentity, since: number): StoredResult | null {
    return samePerson(owner, person, (key) => (byKey.values(key, owner, since) as ResultRow[]).map(resultIn));
  }

  function insert(owner: number, { identity, groups, merged, at }: StoredResult): void {
    const { email, network, name } = identity;
    const fields = JSON.stringify(merged);
    const { lastInsertRowid } = insertResult.run(owner, email, network, name, JSON.stringify(groups), fields, at);
    const keys = leadKeysOf(owner, identity);
    for (const key of keys.name === null ? keys.strong : [...keys.strong, keys.name])
      insertKey.run(key, Number(lastInsertRowid));
  }

  return { find, insert };
}

type Text = string | null;
type ResultRow = [email: Text, network: Text, name: Text, groups: string, fields: string, at: number];

function resultIn([email, network, name, groups, fields, at]: ResultRow): StoredResult {
  return {
    identity: { email, network, name },
    groups: JSON.parse(groups) as StoredResult["groups"],
    merged: JSON.parse(fields) as StoredResult["merged"],
    at,
  };
}
