import { registeredDomain } from "../../../../platform/identity/domain.ts";
import { businessDomain } from "../../../../platform/identity/email-domain.ts";
import type { Database } from "bun:sqlite";
import { worksFor, type Employer } from "../../../../features/prospecting/employer.ts";
import { companyKey } from "../../../../platform/identity/company-key.ts";
import { mergedCompany } from "../../../../features/prospecting/merge.ts";
import type { CompanyContent } from "../../../../features/prospecting/model.ts";
import { keyOfName } from "./company-names.ts";
import { prepared } from "../prepared.ts";

/** Size of the cache, so that storing the people of a company takes one lookup. */
const maxRemembered = 10_000;

type Finder = (owner: number, domain: string | null, name: string | null) => KnownCompany | null;
type KnownCompany = { key: string; content: CompanyContent };
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

  const find: Finder = (owner, domain, name) => findOwn(owner, domain, name) ?? below(owner, domain, name);

  /** Domains are exact, names are not: a company with this name and a different domain is another company. */
  function findOwn(owner: number, domain: string | null, name: string | null): KnownCompany | null {
    const byDomain = domain === null ? null : byKey.get(owner, domain);
    if (domain !== null && byDomain !== null) return { key: domain, content: parsed(byDomain.content) };
    if (name === null) return null;
    const row = byName.get(owner, companyKey(name));
    if (row === null) return null;
    const content = parsed(row.content);
    const isOther = domain !== null && content.domain !== undefined && content.domain !== domain;
    return isOther ? null : { key: row.key, content };
  }

  /** The company that a person works for. */
  function ofEmployer(owner: number, { company, domain, email }: Employer): CompanyContent | null {
    const ofEmail = domain === undefined && email !== undefined ? businessDomain(email) : null;
    const place = `${owner}\n${domain ?? ""}\n${ofEmail ?? ""}\n${company ?? ""}`;
    let found = remembered.get(place);
    if (found !== undefined) return found;
    if (remembered.size >= maxRemembered) remembered.clear();
    const candidates = [
      ...sitesOf(domain ?? ofEmail).map((site) => find(owner, site, null)),
      find(owner, null, company ?? null),
    ];
    found =
      candidates.find((each) => each !== null && worksFor({ company, domain, email }, each.content))?.content ?? null;
    remembered.set(place, found);
    return found;
  }

  /** Called inside a write unit: stores a company, or updates the stored one. */
  function put(
    owner: number,
    content: CompanyContent,
    at: number,
    mayUpdate: boolean,
  ): "created" | "updated" | "skipped" {
    remembered.clear();
    const { domain = null, company = null } = content;
    const existing = find(owner, domain, company);
    const nameKey = company === null ? null : companyKey(company);
    if (existing === null) {
      write.run(owner, domain ?? keyOfName(nameKey), nameKey, JSON.stringify(content), at);
      return "created";
    }
    const merged = mergedCompany(existing.content, content);
    const json = JSON.stringify(merged);
    if (!mayUpdate || json === JSON.stringify(existing.content)) return "skipped";
    write.run(owner, existing.key, merged.company === undefined ? null : companyKey(merged.company), json, at);
    // Until now, only its name was known.
    if (merged.domain !== undefined && merged.domain !== existing.key) rename.run(merged.domain, owner, existing.key);
    return "updated";
  }

  const hasAny = (owner: number): boolean => any.get(owner) !== null;
  return { find, ofEmployer, put, hasAny };
}

/** A host and its parent domains, up to the registered one. */
function sitesOf(host: string | null): string[] {
  if (host === null) return [];
  const registered = registeredDomain(host);
  const sites = [host];
  for (let site = host; site !== registered;) sites.push((site = site.slice(site.indexOf(".") + 1)));
  return sites;
}

function parsed(json: string): CompanyContent {
  return JSON.parse(json) as CompanyContent;
}
