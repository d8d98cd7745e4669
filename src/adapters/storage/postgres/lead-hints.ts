import { and, asc, desc, eq, lte, sql } from "drizzle-orm";
import type { LeadHintStore } from "../../../features/enrichment/directory-store.ts";
import { hintKeyFor, hintKeysOf, isColleague, leadsPerBatch } from "../../../features/enrichment/lead-hints.ts";
import { leadHints, leadHintsDone } from "./enrichment-tables.ts";
import type { Connection, Engine } from "./engine.ts";
import { leads, workspaces } from "./tables.ts";

/** Until where the leads of an owner are learned. */
type Frontier = { owner: number; updatedAt: number; lead: number };

/** Leads by the domain of their address and by their company. */
export function createLeadHintStore({ orm, ownerOf, transact }: Engine): LeadHintStore {
  return {
    // Transactions commit in any order, and end within the 30 s that a statement may take. Clocks of nodes differ little.
    settlesAfterMs: 60_000,
    async colleagues(workspaceId, company, limit) {
      const owner = await ownerOf(workspaceId);
      const key = owner === null ? null : hintKeyFor(owner, company);
      if (owner === null || key === null) return [];
      const { firstName, lastName, email, networkUrl, company: name, industry } = leads;
      const found = await orm
        .select({ firstName, lastName, email, networkUrl, company: name, industry })
        .from(leadHints)
        .innerJoin(leads, eq(leads.seq, leadHints.lead))
        .where(and(eq(leadHints.key, key), eq(leads.owner, owner)))
        .orderBy(desc(leadHints.lead))
        .limit(limit);
      return found.filter((person) => isColleague(person, company));
    },
    async learn(until) {
      const frontier = await nextFrontier(orm, until);
      if (frontier === null) return false;
      await transact((connection) => learnBehind(connection, frontier, until));
      return true;
    },
  };
}

/** Of an owner with leads behind it; null if all are learned. */
async function nextFrontier(connection: Connection, until: number): Promise<Frontier | null> {
  const [next] = await connection.execute<Frontier>(sql`
    SELECT done.* FROM ${workspaces} CROSS JOIN LATERAL (
      SELECT ${workspaces.seq} AS owner, coalesce(max(updated_at), -1) AS "updatedAt", coalesce(max(lead), 0) AS lead
      FROM ${leadHintsDone} WHERE owner = ${workspaces.seq}
    ) AS done
    WHERE EXISTS (
      SELECT 1 FROM ${leads} WHERE ${leads.owner} = done.owner AND ${leads.updatedAt} <= ${until}
        AND (${leads.updatedAt}, ${leads.seq}) > (done."updatedAt", done.lead)
    ) LIMIT 1`);
  return next ?? null;
}

async function learnBehind(connection: Connection, { owner, updatedAt, lead }: Frontier, until: number): Promise<void> {
  const { seq, email, company } = leads;
  const rows = await connection
    .select({ seq, email, company, updatedAt: leads.updatedAt })
    .from(leads)
    .where(
      and(
        eq(leads.owner, owner),
        lte(leads.updatedAt, until),
        sql`(${leads.updatedAt}, ${seq}) > (${updatedAt}::bigint, ${lead}::bigint)`,
      ),
    )
    .orderBy(asc(leads.updatedAt), asc(seq))
    .limit(leadsPerBatch);
  const last = rows.at(-1);
  if (last === undefined) return;
  const hints = rows.flatMap((row) => hintKeysOf(owner, row).map((key) => ({ key, lead: row.seq })));
  // In one order, so that two nodes that learn the same leads do not wait for each other in a circle.
  const sorted = hints.toSorted((a, b) => a.key - b.key || a.lead - b.lead);
  await connection.execute(sql`
    INSERT INTO ${leadHints} (key, lead)
    SELECT key, lead FROM json_to_recordset(${JSON.stringify(sorted)}::json) AS hint (key bigint, lead bigint)
    ON CONFLICT DO NOTHING`);
  const reached = { updatedAt: last.updatedAt, lead: last.seq };
  await connection
    .insert(leadHintsDone)
    .values({ owner, ...reached })
    .onConflictDoUpdate({ target: leadHintsDone.owner, set: reached });
}
