import { companyKey } from "../../../platform/identity/names.ts";
import { canonicalEmail } from "../../../platform/identity/email.ts";
import { businessDomain, domainOfEmail } from "../../../platform/identity/email-domain.ts";
import type { Directory, KnownCompany, KnownPerson } from "../../../features/enrichment/directory-store.ts";
import { guessAddress } from "../../../features/enrichment/email-pattern.ts";
import { fieldGroups, type EnrichField } from "../../../features/enrichment/fields.ts";
import type { Finding, Subject } from "../../../features/enrichment/model.ts";
import type { EnrichmentProvider } from "../../../features/enrichment/provider.ts";
import { extendSubject, merge } from "../../../features/enrichment/waterfall.ts";
import { leadIdentity } from "../../../features/leads/identity.ts";
import { createColleagues, findingsOfColleagues, mailDomain } from "./colleagues.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

/** Confidence of a single row, by how it was matched. It decreases each year, because people change jobs. */
const surenessOf = { byAddress: 0.75, byName: 0.65 };
const yearMs = 365 * 86_400_000;
const oldFactor = 0.8;
const own = ["firstName", "lastName", "title", "location", "networkUrl", "email", "phone"] as const;
const fields: readonly EnrichField[] = [...own, ...fieldGroups.company];

/**
 * Uses only data on this machine: people and companies in the user's own lists, and the address patterns of companies,
 * learned from known addresses. Sends no requests. `now` is used for the age of the data.
 */
export function createLocalProvider(directories: readonly Directory[], now: () => number): EnrichmentProvider {
  const colleaguesOf = createColleagues(directories, now);

  return {
    name: "local",
    fields,
    fieldsFor: () => fields,

    async lookUp(subject, { workspaceId, leadId }) {
      const { people, known, moved } = await peopleAndSubject(subject, workspaceId, leadId);
      const findings = people.flatMap(({ said }) => said);
      const record = await recordOf(known, workspaceId);
      if (record !== null) findings.push(...findingsOfCompany(record, known));
      const names = { domain: known.domain, name: known.company ?? record?.name ?? null };
      const colleagues = await colleaguesOf(known, names, workspaceId);
      findings.push(...findingsOfColleagues(colleagues));
      const domain = known.domain ?? mailDomain(colleagues, record?.domain ?? null);
      const isAddressKnown = (subject.email ?? known.email ?? known.candidateEmail) !== null;
      if (!isAddressKnown && domain !== null) findings.push(...(await guess(known, domain, workspaceId)));
      if (findings.length === 0) return { kind: "none", spent: 0 };
      return { kind: "found", findings, spent: 0, ...(moved !== null && { hasLeft: true }) };
    },
  };

  /** Who the directories know, what each of them says, and the combined knowledge about the person. */
  async function peopleAndSubject(subject: Subject, workspaceId: WorkspaceId, leadId: string | null) {
    const people: { person: KnownPerson; said: Finding[] }[] = [];
    let known = subject;
    for (const directory of directories) {
      const person = await directory.findPerson(workspaceId, leadIdentity(known), leadId);
      if (person === null) continue;
      const said = findingsOfPerson(person, surenessFor(known, person, now()));
      people.push({ person, said });
      known = extendSubject(known, merge({}, "local", said, known, now()));
    }
    const moved = people.find(({ person }) => hasLeft(person, subject))?.person ?? null;
    if (moved === null) return { people, known, moved };
    const stillTold = people.map(({ person, said }) => ({
      person,
      said: isOfOldJob(person, moved, subject) ? said.filter(({ field }) => !isOfJob(field)) : said,
    }));
    return { people: stillTold, known: atNewJob(known, moved, subject), moved };
  }

  async function recordOf({ domain, company }: Subject, workspaceId: WorkspaceId): Promise<KnownCompany | null> {
    if (domain === null && company === null) return null;
    for (const directory of directories) {
      const found = await directory.findCompany(workspaceId, { domain, name: company });
      if (found !== null) return found;
    }
    return null;
  }

  async function guess(known: Subject, domain: string, workspaceId: WorkspaceId): Promise<Finding[]> {
    const { firstName, lastName } = known;
    if (firstName === null || lastName === null) return [];
    const colleagues = await colleaguesOf(known, { domain, name: null }, workspaceId);
    const guessed = guessAddress(firstName, lastName, domain, colleagues);
    return guessed === null ? [] : [{ field: "email", value: guessed.email, confidence: guessed.confidence }];
  }
}

/** Whether the requested address belongs to a previous job of the person. */
function hasLeft({ formerEmails }: KnownPerson, { email }: Subject): boolean {
  return email !== null && formerEmails?.some((former) => canonicalEmail(former) === email) === true;
}

/** Whether one list has the address of a person's previous job, while another list has a new job. */
function isOfOldJob(person: KnownPerson, moved: KnownPerson, { email }: Subject): boolean {
  if (person === moved || person.email === null || canonicalEmail(person.email) !== email) return false;
  return person.company === null || moved.company === null || companyKey(person.company) !== companyKey(moved.company);
}

function isOfJob(field: EnrichField): boolean {
  return field === "title" || field === "phone" || field === "company" || field.startsWith("companyInfo.");
}

/**
 * For a person who has changed jobs, the current job is requested: neither the old address nor the company sent with it
 * identifies that.
 */
function atNewJob(known: Subject, { email, domain = null, company }: KnownPerson, { email: old }: Subject): Subject {
  const isOfAddress = known.domain !== null && known.domain === domainOfEmail(old ?? "");
  const own = domain ?? businessDomain(email ?? "");
  return {
    ...known,
    email: email === null ? old : canonicalEmail(email),
    company: company ?? (own === null ? known.company : null),
    domain: own ?? (isOfAddress ? null : known.domain),
  };
}

function surenessFor({ email, networkUrl }: Subject, person: KnownPerson, now: number): number {
  const theirs = leadIdentity(person);
  const isByAddress =
    (email !== null && theirs.email === email) || (networkUrl !== null && theirs.network === networkUrl);
  const age = now - person.updatedAt > yearMs ? oldFactor : 1;
  return (isByAddress ? surenessOf.byAddress : surenessOf.byName) * age;
}

function findingsOfPerson(person: KnownPerson, confidence: number): Finding[] {
  const { firstName, lastName, email, phone, networkUrl, title, location, company } = person;
  const ofCompany = company === null ? {} : { "companyInfo.name": company, ...companyTexts(person) };
  return findingsFrom(
    { firstName, lastName, email, phone, networkUrl, title, location, company, ...ofCompany },
    confidence,
  );
}

/** A domain belongs to one company, but several can have the same name. */
function findingsOfCompany(record: KnownCompany, { domain }: Subject): Finding[] {
  const { name, description, founded } = record;
  const texts = {
    company: name,
    "companyInfo.name": name,
    ...companyTexts(record),
    "companyInfo.description": description,
    "companyInfo.founded": founded,
  };
  const isByDomain = domain !== null && record.domain === domain;
  return findingsFrom(texts, isByDomain ? surenessOf.byAddress : surenessOf.byName);
}

type CompanyTexts = Pick<KnownPerson, "domain" | "industry" | "size" | "headquarters">;

function companyTexts({ domain, industry, size, headquarters }: CompanyTexts) {
  return {
    "companyInfo.website": domain ? `https://${domain}` : null,
    "companyInfo.industry": industry,
    "companyInfo.size": size ?? null,
    "companyInfo.headquarters": headquarters ?? null,
  };
}

function findingsFrom(texts: Partial<Record<EnrichField, string | null>>, confidence: number): Finding[] {
  return Object.entries(texts).flatMap(([field, value]) =>
    value === null ? [] : [{ field: field as EnrichField, value, confidence }],
  );
}
