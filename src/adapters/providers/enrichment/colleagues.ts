import { companyKey } from "../../../platform/identity/names.ts";
import { businessDomain } from "../../../platform/identity/email-domain.ts";
import type { Colleague, CompanyNames, Directory } from "../../../features/enrichment/directory-store.ts";
import type { EnrichField } from "../../../features/enrichment/fields.ts";
import type { Finding, Subject } from "../../../features/enrichment/model.ts";
import { majorityValue } from "../../../features/enrichment/consensus.ts";
import { leadIdentity } from "../../../features/leads/identity.ts";
import type { LeadIdentity } from "../../../features/leads/model.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

/** Number of people who are evaluated per company. More would confirm the same, and each costs time. */
const witnesses = 8;
/**
 * The leads of a request often belong to few companies. For a company with fewer known people, more may be learned at
 * any time.
 */
const keepMs = { complete: 10_000, growing: 250 };
const keepCompanies = 1_000;

/**
 * Returns people at a company except the person in question, whose own row is not evidence for itself. Results of the
 * directories are cached briefly.
 */
export function createColleagues(directories: readonly Directory[], now: () => number) {
  const kept = new Map<string, { until: number; people: Colleague[] }>();

  async function peopleOf(company: CompanyNames, workspaceId: WorkspaceId): Promise<Colleague[]> {
    const key = [workspaceId, company.domain ?? "", company.name ?? ""].join("\n");
    const known = kept.get(key);
    if (known !== undefined && known.until > now()) return known.people;
    const lists = await Promise.all(
      directories.map((directory) => directory.colleagues(workspaceId, company, witnesses)),
    );
    const people = lists.flat();
    if (kept.size >= keepCompanies) kept.clear();
    kept.set(key, { until: now() + (people.length < witnesses ? keepMs.growing : keepMs.complete), people });
    return people;
  }

  return async (known: Subject, company: CompanyNames, workspaceId: WorkspaceId): Promise<Colleague[]> => {
    if (company.domain === null && company.name === null) return [];
    const people = await peopleOf(company, workspaceId);
    const self = leadIdentity({ ...known, email: known.email ?? known.candidateEmail });
    return people.filter((person) => !isSame(leadIdentity(person), self));
  };
}

function isSame(one: LeadIdentity, other: LeadIdentity): boolean {
  const agree = (a: string | null, b: string | null) => a !== null && a === b;
  return agree(one.email, other.email) || agree(one.network, other.network) || agree(one.name, other.name);
}

/** Returns the majority value of each field; its confidence grows with the number of people. */
export function findingsOfColleagues(people: readonly Colleague[]): Finding[] {
  const name = majorityValue(
    people.map(({ company }) => company),
    companyKey,
  );
  const website = majorityValue(people.map((person) => person.domain ?? domainOfAddress(person)));
  const told: Partial<Record<EnrichField, ReturnType<typeof majorityValue>>> = {
    company: name,
    "companyInfo.name": name,
    "companyInfo.website": website && { ...website, value: `https://${website.value}` },
    "companyInfo.industry": majorityValue(people.map(({ industry }) => industry)),
    "companyInfo.size": majorityValue(people.map(({ size }) => size)),
    "companyInfo.headquarters": majorityValue(people.map(({ headquarters }) => headquarters)),
  };
  return Object.entries(told).flatMap(([field, most]) =>
    most === null ? [] : [{ field: field as EnrichField, ...most }],
  );
}

/** Returns the mail domain of a company: its own domain, or the one that most of its people use. */
export function mailDomain(people: readonly Colleague[], own: string | null): string | null {
  const domains = people.map(domainOfAddress);
  const common = own !== null && domains.includes(own) ? own : (majorityValue(domains)?.value ?? own);
  return common ?? majorityValue(people.map(({ domain }) => domain))?.value ?? null;
}

function domainOfAddress({ email }: Colleague): string | null {
  return email === null ? null : businessDomain(email);
}
