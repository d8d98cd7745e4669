import { companyKey } from "../../platform/identity/names.ts";
import { registeredDomain } from "../../platform/identity/domain.ts";
import { businessDomain } from "../../platform/identity/email-domain.ts";
import { worksFor, type Employer } from "./employer.ts";
import { mergedCompany } from "./merge.ts";
import type { CompanyContent } from "./model.ts";

/** A stored company and its key: its domain, or one made of the normal form of its name. */
export type KnownCompany = { key: string; content: CompanyContent };
export type CompanyFinder = (domain: string | null, name: string | null) => KnownCompany | null;

/** Companies of one directory, by their keys. */
export type CompanyFacts = {
  byKey(key: string): CompanyContent | null;
  /** The first one with this normal form of its name. */
  byName(nameKey: string): KnownCompany | null;
};

/** Prefix of the key of a company without a known website. */
const byNameAlone = "name:";

export function keyOfName(nameKey: string | null): string {
  return `${byNameAlone}${nameKey}`;
}

/** Domains are exact, names are not: a company with this name and a different domain is another company. */
export function findCompany(facts: CompanyFacts, domain: string | null, name: string | null): KnownCompany | null {
  const byDomain = domain === null ? null : facts.byKey(domain);
  if (domain !== null && byDomain !== null) return { key: domain, content: byDomain };
  const known = name === null ? null : facts.byName(companyKey(name));
  const isOther = domain !== null && known?.content.domain !== undefined && known.content.domain !== domain;
  return isOther ? null : known;
}

/** The company that a person works for. */
export function companyOfEmployer(find: CompanyFinder, { company, domain, email }: Employer): CompanyContent | null {
  const ofEmail = domain === undefined && email !== undefined ? businessDomain(email) : null;
  const candidates = [...sitesOf(domain ?? ofEmail).map((site) => find(site, null)), find(null, company ?? null)];
  return (
    candidates.find((each) => each !== null && worksFor({ company, domain, email }, each.content))?.content ?? null
  );
}

/** `key`: where the company is stored; `newKey`: where it is stored from now on. */
export type CompanyChange = { key: string; newKey: string; nameKey: string | null; content: CompanyContent };

/** Stores a company, or updates the stored one. `change`: null if nothing changes. */
export function decideCompany(
  existing: KnownCompany | null,
  content: CompanyContent,
  mayUpdate: boolean,
): { outcome: "created" | "updated" | "skipped"; change: CompanyChange | null } {
  const nameKeyOf = ({ company }: CompanyContent) => (company === undefined ? null : companyKey(company));
  if (existing === null) {
    const nameKey = nameKeyOf(content);
    const key = content.domain ?? keyOfName(nameKey);
    return { outcome: "created", change: { key, newKey: key, nameKey, content } };
  }
  const merged = mergedCompany(existing.content, content);
  if (!mayUpdate || JSON.stringify(merged) === JSON.stringify(existing.content))
    return { outcome: "skipped", change: null };
  const { key } = existing;
  // Until now, only its name may have been known.
  const newKey = merged.domain ?? key;
  return { outcome: "updated", change: { key, newKey, nameKey: nameKeyOf(merged), content: merged } };
}

/** The key of a company whose name has a new normal form. */
export function renamedKey(key: string, nameKey: string): string {
  return key.startsWith(byNameAlone) ? keyOfName(nameKey) : key;
}

type Dated = { content: CompanyContent; updatedAt: number };

/** Two companies with the same name and no website become one. */
export function unitedCompany(one: Dated, other: Dated): Dated {
  const [first, second] = one.updatedAt < other.updatedAt ? [one, other] : [other, one];
  return { content: mergedCompany(first.content, second.content), updatedAt: second.updatedAt };
}

/** A host and its parent domains, up to the registered one. */
function sitesOf(host: string | null): string[] {
  if (host === null) return [];
  const registered = registeredDomain(host);
  const sites = [host];
  for (let site = host; site !== registered;) sites.push((site = site.slice(site.indexOf(".") + 1)));
  return sites;
}
