import type { StoredResult } from "../../enrichment/store.ts";
import type { LeadIdentity } from "../../leads/model.ts";
import { enrichmentResultKeys, enrichmentResults } from "./enrichment-tables.ts";
import type { Engine } from "./engine.ts";
import { leadKeysOf } from "./lead-keys.ts";
import { samePerson } from "./lead-match.ts";
import { placeholdersOf } from "./placeholders.ts";

/** What was found about people, inside a write unit, by the same rules by which leads are the same person. */
export function createResultRows({ orm, database }: Engine) {
  // The newest first: it is the one that counts. A plain statement: it runs twice for each lead, mostly for nothing.
  const byKey = database.prepare(
    `SELECT r.email, r.network, r.name, r.groups, r.fields, r.at
     FROM enrichment_result_keys AS k JOIN enrichment_results AS r ON r.n = k.result
     WHERE k.key = ? AND r.owner = ? AND r.at >= ? ORDER BY k.result DESC`,
  );
  const { n: _n, ...values } = placeholdersOf(enrichmentResults);
  const insertResult = orm.insert(enrichmentResults).values(values).returning({ n: enrichmentResults.n }).prepare();
  const insertKey = orm.insert(enrichmentResultKeys).values(placeholdersOf(enrichmentResultKeys)).prepare();

  function find(owner: number, person: LeadIdentity, since: number): StoredResult | null {
    return samePerson(owner, person, (key) => (byKey.values(key, owner, since) as ResultRow[]).map(resultIn));
  }

  function insert(owner: number, { identity, merged, ...result }: StoredResult): void {
    const [row] = insertResult.all({ owner, ...identity, fields: merged, ...result });
    const { strong, name } = leadKeysOf(owner, identity);
    for (const key of name === null ? strong : [...strong, name]) insertKey.run({ key, result: row!.n });
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
