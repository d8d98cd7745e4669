import { companyName } from "../../enrichment/company-name.ts";
import type { Colleague, CompanyNames, LeadHintStore } from "../../enrichment/directory-store.ts";
import { domainOfEmail, isFreeMail } from "../../enrichment/email-domain.ts";
import type { Engine } from "./engine.ts";
import { companyKey, domainKey } from "../../leads/keys.ts";
import { createOwners } from "./owners.ts";
import { RowInserter } from "./row-inserter.ts";

/** Leads whose hints are sorted together, so that many of them share a page of the table: alone, each dirties its own. */
const batch = 5_000;
/** Read, or written, at once: some milliseconds of the event loop. */
const readAtOnce = 250;
const writeAtOnce = 500;

type Row = [seq: number, email: string | null, company: string | null, updatedAt: number];
type Owner = [owner: number, updatedAt: number, lead: number];

/** Leads by the domain of their address and by their company. Plain statements: `learn` runs through millions of rows. */
export function createLeadHintStore(engine: Engine): LeadHintStore {
  const { database, writer } = engine;
  const ownerOf = createOwners(engine);
  const owners = database.prepare(
    `SELECT users.seq, coalesce(done.updated_at, -1), coalesce(done.lead, 0)
     FROM users LEFT JOIN lead_hints_done AS done ON done.owner = users.seq`,
  );
  const next = database.prepare(
    `SELECT seq, email, company, updated_at FROM leads
     WHERE owner = ?1 AND updated_at >= ?2 AND updated_at <= ?4 AND (updated_at > ?2 OR seq > ?3)
     ORDER BY updated_at, seq LIMIT ${readAtOnce}`,
  );
  const addHints = new RowInserter(database, "INSERT OR IGNORE INTO lead_hints (key, lead)", 2);
  const remember = database.prepare(
    `INSERT INTO lead_hints_done (owner, updated_at, lead) SELECT seq, ?2, ?3 FROM users WHERE seq = ?1
     ON CONFLICT DO UPDATE SET updated_at = excluded.updated_at, lead = excluded.lead`,
  );
  const byKey = database.prepare(
    `SELECT leads.first_name, leads.last_name, leads.email, leads.company, leads.industry
     FROM lead_hints JOIN leads ON leads.seq = lead_hints.lead
     WHERE lead_hints.key = ? AND leads.owner = ? ORDER BY lead_hints.lead DESC LIMIT +?`,
  );

  async function learn(until: number): Promise<boolean> {
    for (const [owner, updatedAt, lead] of owners.values() as Owner[]) {
      const { hints, last } = await hintsOf(owner, updatedAt, lead, until);
      if (last === null) continue;
      hints.sort((a, b) => a[0] - b[0]);
      for (let from = 0; from < hints.length; from += writeAtOnce)
        await writer.write(() => addHints.insert(hints.slice(from, from + writeAtOnce).flat()));
      // After a crash before this the same hints are learned once more.
      await writer.write(() => remember.run(owner, last[3], last[0]));
      return true;
    }
    return false;
  }

  /** Of the leads behind that one; `last` is null when there are none. */
  async function hintsOf(owner: number, updatedAt: number, lead: number, until: number) {
    const hints: [key: number, lead: number][] = [];
    let last: Row | null = null;
    for (let read = 0; read < batch; read += readAtOnce) {
      const rows = next.values(owner, last?.[3] ?? updatedAt, last?.[0] ?? lead, until) as Row[];
      for (const [seq, email, company] of rows) {
        const domain = email === null ? null : domainOfEmail(email);
        if (domain !== null && !isFreeMail(domain)) hints.push([domainKey(owner, domain), seq]);
        const name = company === null ? "" : companyName(company);
        if (name !== "") hints.push([companyKey(owner, name), seq]);
      }
      last = rows.at(-1) ?? last;
      if (rows.length < readAtOnce) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { hints, last };
  }

  async function colleagues(userId: string, { domain, name }: CompanyNames, limit: number): Promise<Colleague[]> {
    const owner = ownerOf(userId);
    const company = name === null ? "" : companyName(name);
    if (owner === null || (domain === null && company === "")) return [];
    const key = domain === null ? companyKey(owner, company) : domainKey(owner, domain);
    // Hints may be stale: the lead itself decides.
    const isMeant = (person: Colleague) =>
      domain === null
        ? person.company !== null && (person.company === name || companyName(person.company) === company)
        : person.email !== null && domainOfEmail(person.email) === domain;
    return (byKey.values(key, owner, limit) as ColleagueRow[]).map(colleagueIn).filter(isMeant);
  }

  return { colleagues, learn };
}

type Text = string | null;
type ColleagueRow = [firstName: Text, lastName: Text, email: Text, company: Text, industry: Text];

function colleagueIn([firstName, lastName, email, company, industry]: ColleagueRow): Colleague {
  return { firstName, lastName, email, company, industry };
}
