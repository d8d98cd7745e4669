import type { Colleague, CompanyNames, LeadHintStore } from "../../../features/enrichment/directory-store.ts";
import { hintKeyFor, isColleague } from "../../../features/enrichment/lead-hints.ts";
import type { Engine } from "./engine.ts";
import { leadsBehind } from "./lead-hints-reading.ts";
import { prepared, RowInserter } from "./prepared.ts";
import type { CommonRows } from "./common-rows.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

/** Written in one unit, which takes a few milliseconds. */
const pairsAtOnce = 500;

type Owner = [owner: number, updatedAt: number, lead: number];

/** Leads by the domain of their address and by their company. */
export function createLeadHintStore(engine: Engine, { owners: ownerOf }: CommonRows): LeadHintStore {
  const { database, reader, writer } = engine;
  const owners = prepared(
    database,
    `SELECT workspaces.seq, coalesce(done.updated_at, -1), coalesce(done.lead, 0)
     FROM workspaces LEFT JOIN lead_hints_done AS done ON done.owner = workspaces.seq`,
  );
  // An idle server runs this every second, so it doesn't start a thread.
  const hasNext = prepared(database, `SELECT 1 ${leadsBehind} LIMIT 1`);
  const addHints = new RowInserter(database, "INSERT OR IGNORE INTO lead_hints (key, lead)", 2);
  const remember = prepared(
    database,
    `INSERT INTO lead_hints_done (owner, updated_at, lead) SELECT seq, ?2, ?3 FROM workspaces WHERE seq = ?1
     ON CONFLICT DO UPDATE SET updated_at = excluded.updated_at, lead = excluded.lead`,
  );
  const byKey = prepared(
    database,
    `SELECT leads.first_name, leads.last_name, leads.email, leads.network_url, leads.company,
            leads.industry
     FROM lead_hints JOIN leads ON leads.seq = lead_hints.lead
     WHERE lead_hints.key = ? AND leads.owner = ? ORDER BY lead_hints.lead DESC LIMIT +?`,
  );

  async function learn(until: number): Promise<boolean> {
    for (const [owner, updatedAt, lead] of owners.values() as Owner[]) {
      if (hasNext.values(owner, updatedAt, lead, until).length === 0) continue;
      const read = await reader.leadHints({ owner, updatedAt, lead, until });
      if (read === null) continue;
      const { pairs, last } = read;
      for (let from = 0; from < pairs.length; from += 2 * pairsAtOnce)
        await writer.write(() => addHints.insert([...pairs.subarray(from, from + 2 * pairsAtOnce)]));
      // After a crash before this, the same hints are learned again.
      await writer.write(() => remember.run(owner, last.updatedAt, last.lead));
      return true;
    }
    return false;
  }

  async function colleagues(workspaceId: WorkspaceId, company: CompanyNames, limit: number): Promise<Colleague[]> {
    const owner = ownerOf(workspaceId);
    const key = owner === null ? null : hintKeyFor(owner, company);
    if (owner === null || key === null) return [];
    const found = (byKey.values(key, owner, limit) as ColleagueRow[]).map(colleagueIn);
    return found.filter((person) => isColleague(person, company));
  }

  return { settlesAfterMs: 2_000, colleagues, learn };
}

type Text = string | null;
type ColleagueRow = [firstName: Text, lastName: Text, email: Text, networkUrl: Text, company: Text, industry: Text];

function colleagueIn([firstName, lastName, email, networkUrl, company, industry]: ColleagueRow): Colleague {
  return { firstName, lastName, email, networkUrl, company, industry };
}
