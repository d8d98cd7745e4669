import { and, eq, gte, sql } from "drizzle-orm";
import type { StoredResult } from "../../enrichment/store.ts";
import type { LeadIdentity } from "../../leads/model.ts";
import { enrichmentResultKeys, enrichmentResults } from "./enrichment-tables.ts";
import type { Engine } from "./engine.ts";
import { leadKeysOf } from "./lead-keys.ts";
import { samePerson } from "./lead-match.ts";
import { placeholdersOf } from "./placeholders.ts";

/** What was found about people, inside a write unit, by the same rules by which leads are the same person. */
export function createResultRows({ orm }: Engine) {
  const at = sql.placeholder;
  // The newest first: it is the one that counts.
  const byKey = orm
    .select({
      email: enrichmentResults.email,
      network: enrichmentResults.network,
      name: enrichmentResults.name,
      groups: enrichmentResults.groups,
      fields: enrichmentResults.fields,
      at: enrichmentResults.at,
    })
    .from(enrichmentResultKeys)
    .innerJoin(enrichmentResults, eq(enrichmentResults.n, enrichmentResultKeys.result))
    .where(
      and(
        eq(enrichmentResultKeys.key, at("key")),
        eq(enrichmentResults.owner, at("owner")),
        gte(enrichmentResults.at, at("since")),
      ),
    )
    .orderBy(sql`${enrichmentResultKeys.result} DESC`)
    .prepare();
  const { n: _n, ...values } = placeholdersOf(enrichmentResults);
  const insertResult = orm.insert(enrichmentResults).values(values).returning({ n: enrichmentResults.n }).prepare();
  const insertKey = orm.insert(enrichmentResultKeys).values(placeholdersOf(enrichmentResultKeys)).prepare();

  function find(owner: number, person: LeadIdentity, since: number): StoredResult | null {
    const found = samePerson(owner, person, (key) =>
      byKey.all({ key, owner, since }).map(({ email, network, name, fields, ...result }) => ({
        identity: { email, network, name },
        merged: fields,
        ...result,
      })),
    );
    return found;
  }

  function insert(owner: number, { identity, merged, ...result }: StoredResult): void {
    const [row] = insertResult.all({ owner, ...identity, fields: merged, ...result });
    const { strong, name } = leadKeysOf(owner, identity);
    for (const key of name === null ? strong : [...strong, name]) insertKey.run({ key, result: row!.n });
  }

  return { find, insert };
}
