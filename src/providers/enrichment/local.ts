import type { Directory, KnownCompany, KnownPerson } from "../../enrichment/directory-store.ts";
import { guessAddress } from "../../enrichment/email-pattern.ts";
import { fieldGroups, type EnrichField } from "../../enrichment/fields.ts";
import type { Finding, Subject } from "../../enrichment/model.ts";
import type { EnrichmentProvider } from "../../enrichment/provider.ts";
import { extended, merge } from "../../enrichment/waterfall.ts";
import { leadIdentity } from "../../leads/identity.ts";

/** What the user's own lists say of a person, by how it was found; people change jobs, so a year takes some of it away. */
const surenessOf = { byAddress: 0.85, byName: 0.65 };
const yearMs = 365 * 86_400_000;
const oldFactor = 0.8;
/** What colleagues say of a company. */
const companySureness = 0.7;
/** So many addresses of a company tell its pattern. */
const witnesses = 8;

const { company } = fieldGroups;
const gives: readonly EnrichField[] = [
  "firstName",
  "lastName",
  "title",
  "location",
  "networkUrl",
  "email",
  "phone",
  ...company,
];

/**
 * Knows what is on this machine: people and companies in the user's own lists, and how a company writes its addresses,
 * learned from those that are known. Asks nobody outside. `now` is for the age of what is known.
 */
export function createLocalProvider(directories: readonly Directory[], now: () => number): EnrichmentProvider {
  return {
    name: "local",
    gives,
    brings: () => gives,

    async lookUp(subject, { userId, leadId }) {
      const findings: Finding[] = [];
      let known = subject;
      for (const directory of directories) {
        const person = await directory.findPerson(userId, leadIdentity(known), leadId);
        if (person === null) continue;
        const said = findingsOfPerson(person, surenessFor(known, person, now()));
        findings.push(...said);
        known = extended(known, merge({}, "local", said, known, now()));
      }
      const company = await companyOf(known, userId);
      if (company !== null) findings.push(...findingsOfCompany(company));
      const domain = known.domain ?? company?.domain ?? null;
      const isAddressKnown = (known.email ?? known.candidateEmail) !== null;
      if (!isAddressKnown && domain !== null) findings.push(...(await guess(known, domain, userId)));
      return findings.length === 0 ? { kind: "none", spent: 0 } : { kind: "found", findings, spent: 0 };
    },
  };

  async function companyOf({ domain, company }: Subject, userId: string): Promise<KnownCompany | null> {
    if (domain === null && company === null) return null;
    for (const directory of directories) {
      const found = await directory.findCompany(userId, { domain, name: company });
      if (found !== null) return found;
    }
    return null;
  }

  async function guess({ firstName, lastName }: Subject, domain: string, userId: string): Promise<Finding[]> {
    if (firstName === null || lastName === null) return [];
    const lists = await Promise.all(
      directories.map((directory) => directory.colleagues(userId, { domain, name: null }, witnesses)),
    );
    const guessed = guessAddress(firstName, lastName, domain, lists.flat());
    return guessed === null ? [] : [{ field: "email", value: guessed.email, confidence: guessed.confidence }];
  }
}

function surenessFor({ email, networkUrl }: Subject, person: KnownPerson, now: number): number {
  const theirs = leadIdentity(person);
  const isByAddress =
    (email !== null && theirs.email === email) || (networkUrl !== null && theirs.network === networkUrl);
  const age = now - person.updatedAt > yearMs ? oldFactor : 1;
  return (isByAddress ? surenessOf.byAddress : surenessOf.byName) * age;
}

function findingsOfPerson(person: KnownPerson, confidence: number): Finding[] {
  const { firstName, lastName, email, phone, networkUrl, title, location, company, industry } = person;
  const ofCompany = company === null ? {} : { "companyInfo.name": company, "companyInfo.industry": industry };
  return findingsFrom(
    { firstName, lastName, email, phone, networkUrl, title, location, company, ...ofCompany },
    confidence,
  );
}

function findingsOfCompany({
  name,
  domain,
  industry,
  size,
  description,
  founded,
  headquarters,
}: KnownCompany): Finding[] {
  const texts = {
    company: name,
    "companyInfo.name": name,
    "companyInfo.website": domain === null ? null : `https://${domain}`,
    "companyInfo.industry": industry,
    "companyInfo.size": size,
    "companyInfo.description": description,
    "companyInfo.founded": founded,
    "companyInfo.headquarters": headquarters,
  };
  return findingsFrom(texts, companySureness);
}

function findingsFrom(texts: Partial<Record<EnrichField, string | null>>, confidence: number): Finding[] {
  return Object.entries(texts).flatMap(([field, value]) =>
    value === null ? [] : [{ field: field as EnrichField, value, confidence }],
  );
}
