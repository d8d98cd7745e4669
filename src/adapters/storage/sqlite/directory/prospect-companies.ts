import type { Database } from "bun:sqlite";
import { businessDomain } from "../../../../platform/identity/email-domain.ts";
import {
  companyOfEmployer,
  decideCompany,
  findCompany,
  type CompanyFacts,
  type KnownCompany,
} from "../../../../features/prospecting/companies.ts";
import type { CompanyOutcome } from "../../../../features/prospecting/directory-decisions.ts";
import type { Employer } from "../../../../features/prospecting/employer.ts";
import type { CompanyContent } from "../../../../features/prospecting/model.ts";
import { prepared } from "../prepared.ts";

/** Size of the cache, so that storing the people of a company takes one lookup. */
const maxRemembered = 10_000;

type Finder = (owner: number, domain: string | null, name: string | null) => KnownCompany | null;
export type ProspectCompanies = ReturnType<typeof createProspectCompanies>;

/**
 * Companies, apart from their people. They are few compared with people, so a sorted table is enough. `below` contains
 * companies that are not in the table.
 */
export function createProspectCompanies(database: Database, below: Finder = () => null) {
  const byKey = prepared<{ content: string }, [number, string]>(
    database,
    "SELECT content FROM prospect_companies WHERE owner = ? AND key = ?",
  );
  const byName = prepared<{ key: string; content: string }, [number, string]>(
    database,
    "SELECT key, content FROM prospect_companies WHERE owner = ? AND name_key = ? ORDER BY key LIMIT 1",
  );
  const write = prepared(
    database,
    `INSERT INTO prospect_companies (owner, key, name_key, content, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?5)
     ON CONFLICT (owner, key) DO UPDATE SET name_key = ?3, content = ?4, updated_at = ?5`,
  );
  const rename = prepared(database, "UPDATE prospect_companies SET key = ? WHERE owner = ? AND key = ?");
  const any = prepared<unknown, [number]>(database, "SELECT 1 FROM prospect_companies WHERE owner = ? LIMIT 1");
  const remembered = new Map<string, CompanyContent | null>();

  const find: Finder = (owner, domain, name) => findCompany(factsOf(owner), domain, name) ?? below(owner, domain, name);

  function factsOf(owner: number): CompanyFacts {
    return {
      byKey(key) {
        const row = byKey.get(owner, key);
        return row && parsed(row.content);
      },
      byName(nameKey) {
        const row = byName.get(owner, nameKey);
        return row && { key: row.key, content: parsed(row.content) };
      },
    };
  }

  /** The company that a person works for. */
  function ofEmployer(owner: number, employer: Employer): CompanyContent | null {
    const { company, domain, email } = employer;
    const ofEmail = domain === undefined && email !== undefined ? businessDomain(email) : null;
    const place = `${owner}\n${domain ?? ""}\n${ofEmail ?? ""}\n${company ?? ""}`;
    const known = remembered.get(place);
    if (known !== undefined) return known;
    if (remembered.size >= maxRemembered) remembered.clear();
    const found = companyOfEmployer((site, name) => find(owner, site, name), employer);
    remembered.set(place, found);
    return found;
  }

  /** Called inside a write unit: stores a company, or updates the stored one. */
  function put(owner: number, content: CompanyContent, at: number, mayUpdate: boolean): CompanyOutcome {
    remembered.clear();
    const existing = find(owner, content.domain ?? null, content.company ?? null);
    const { outcome, change } = decideCompany(existing, content, mayUpdate);
    if (change !== null) {
      const { key, newKey, nameKey } = change;
      write.run(owner, key, nameKey, JSON.stringify(change.content), at);
      if (newKey !== key) rename.run(newKey, owner, key);
    }
    return outcome;
  }

  const hasAny = (owner: number): boolean => any.get(owner) !== null;
  return { find, ofEmployer, put, hasAny };
}

function parsed(json: string): CompanyContent {
  return JSON.parse(json) as CompanyContent;
}
