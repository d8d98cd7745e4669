import { companyName } from "../../enrichment/company-name.ts";
import type { Colleague, CompanyNames, LeadHintStore } from "../../enrichment/directory-store.ts";
import { domainOfEmail, isFreeMail } from "../../enrichment/email-domain.ts";
import type { Engine } from "./engine.ts";
import { companyKey, domainKey } from "./lead-keys.ts";
import { createOwners } from "./owners.ts";

/** Leads learned from in one write unit: some 3 ms of the event loop in a large table. */
const slice = 250;

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
     ORDER BY updated_at, seq LIMIT ${slice}`,
  );
  const addHint = database.prepare("INSERT OR IGNORE INTO lead_hints (key, lead) VALUES (?, ?)");
  const remember = database.prepare(
    `INSERT INTO lead_hints_done (owner, updated_at, lead) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET updated_at = excluded.updated_at, lead = excluded.lead`,
  );
  const byKey = database.prepare(
    `SELECT leads.first_name, leads.last_name, leads.email, leads.company, leads.industry
     FROM lead_hints JOIN leads ON leads.seq = lead_hints.lead
     WHERE lead_hints.key = ? AND leads.owner = ? ORDER BY lead_hints.lead DESC LIMIT +?`,
  );

  function learn(until: number): boolean {
    for (const [owner, updatedAt, lead] of owners.values() as Owner[]) {
      const rows = next.values(owner, updatedAt, lead, until) as Row[];
      const last = rows.at(-1);
      if (last === undefined) continue;
      addHints(owner, rows);
      remember.run(owner, last[3], last[0]);
      return true;
    }
    return false;
  }

  function addHints(owner: number, rows: Row[]): void {
    const hints: [number, number][] = [];
    for (const [seq, email, company] of rows) {
      const domain = email === null ? null : domainOfEmail(email);
      if (domain !== null && !isFreeMail(domain)) hints.push([domainKey(owner, domain), seq]);
      const name = company === null ? "" : companyName(company);
      if (name !== "") hints.push([companyKey(owner, name), seq]);
    }
    // In the order of the table, where neighbours share a page.
    for (const [key, seq] of hints.toSorted((a, b) => a[0] - b[0])) addHint.run(key, seq);
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

  return { colleagues, learn: (until) => writer.write(() => learn(until)) };
}

type Text = string | null;
type ColleagueRow = [firstName: Text, lastName: Text, email: Text, company: Text, industry: Text];

function colleagueIn([firstName, lastName, email, company, industry]: ColleagueRow): Colleague {
  return { firstName, lastName, email, company, industry };
}
