import type { LeadStore } from "../leads/store.ts";
import type { Colleague, CompanyNames, Directory, KnownCompany, LeadHintStore } from "./directory-store.ts";
import { domainOfEmail, isFreeMail } from "./email-domain.ts";

/** So many colleagues tell of a company; more would tell the same, and each costs time. */
const witnesses = 6;

/** The leads of a request are often of few companies, so what was told of one is told again for a moment. */
const keepMs = 10_000;
const keepCompanies = 1_000;

/** The user's own leads as a directory of people and, by what they have in common, of companies. */
export function createLeadDirectory(leads: LeadStore, hints: LeadHintStore, now: () => number): Directory {
  const kept = new Map<string, { until: number; company: KnownCompany }>();

  async function findCompany(userId: string, company: CompanyNames): Promise<KnownCompany | null> {
    // Where there is a domain, the name does not matter.
    const key = [userId, company.domain ?? `\n${company.name}`].join("\n");
    const known = kept.get(key);
    if (known !== undefined && known.until > now()) return known.company;
    const found = await askColleagues(userId, company);
    if (found !== null) keep(key, found);
    return found;
  }

  function keep(key: string, company: KnownCompany): void {
    if (kept.size >= keepCompanies) kept.clear();
    kept.set(key, { until: now() + keepMs, company });
  }

  async function askColleagues(userId: string, company: CompanyNames): Promise<KnownCompany | null> {
    const people = await hints.colleagues(userId, company, witnesses);
    if (people.length === 0) return null;
    return {
      name: mostCommon(people.map((person) => person.company)),
      domain: company.domain ?? mostCommon(people.map(businessDomain)),
      industry: mostCommon(people.map(({ industry }) => industry)),
      size: null,
      description: null,
      founded: null,
      headquarters: null,
    };
  }

  return {
    findPerson: (userId, identity, exceptLeadId) => leads.findSame(userId, identity, exceptLeadId),
    findCompany,
    colleagues: hints.colleagues,
  };
}

function businessDomain({ email }: Colleague): string | null {
  const domain = email === null ? null : domainOfEmail(email);
  return domain === null || isFreeMail(domain) ? null : domain;
}

function mostCommon(values: readonly (string | null)[]): string | null {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? null;
}
