import type { StoredResult } from "../../../features/enrichment/change-model.ts";
import type { EnrichmentChange, KnownResult } from "../../../features/enrichment/decisions.ts";
import { keysOf } from "../../../features/leads/decisions.ts";
import type { Engine } from "./engine.ts";
import { prepared } from "./prepared.ts";

/** Results about people, with the keys that each is found by; inside a write unit. */
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

  const of = (owner: number, key: number, since: number): KnownResult[] =>
    (byKey.values(key, owner, since) as Values[]).map(rowIn);

  function write(owner: number, { n, result, people }: Omit<EnrichmentChange & { kind: "result" }, "kind">): void {
    const { identity, asked, merged, at } = result;
    const { email, network, name } = identity;
    const texts = [JSON.stringify(asked), JSON.stringify(merged)] as const;
    const number = n ?? Number(insertResult.run(owner, email, network, name, ...texts, at).lastInsertRowid);
    if (n !== null) replaceResult.run(...texts, n);
    for (const person of people) for (const key of keysOf(owner, person)) insertKey.run(key, number);
  }

  return { of, write };
}

type Text = string | null;
type Values = [n: number, email: Text, network: Text, name: Text, asked: string, fields: string, at: number];

function rowIn([n, email, network, name, asked, fields, at]: Values): KnownResult {
  return {
    n,
    identity: { email, network, name },
    asked: JSON.parse(asked) as StoredResult["asked"],
    merged: JSON.parse(fields) as StoredResult["merged"],
    at,
  };
}
