import { isWithin } from "../../platform/identity/domain.ts";
import { canonicalEmail } from "../../platform/identity/email.ts";
import { businessDomain } from "../../platform/identity/email-domain.ts";
import { isOtherEmployer, isSameName, mayKeepAddress, type Employer } from "./employer.ts";
import { titleTerms } from "./facets/title-words.ts";
import { prospectIdentity } from "./keys.ts";
import {
  maxFormerEmails,
  maxTechnologies,
  prospectTextFields,
  type CompanyContent,
  type ProspectContent,
} from "./model.ts";

/** Fields that belong to a person's employer, regardless of their source. */
const companyFacts = ["domain", "industry", "companyLocation", "companySize", "revenue", "technologies"] as const;
/** Fields that belong to a title. */
const titleFacts = ["seniority", "department"] as const;

/**
 * Merges new data into a record: newer values win, and technologies are added. If the title or company has changed,
 * only the new data about it is kept.
 */
export function mergedProspect(existing: ProspectContent, incoming: ProspectContent): ProspectContent {
  return mergeRecords(existing, incoming, incoming);
}

/** `employer`: the employer named by the newer data. */
function mergeRecords(existing: ProspectContent, incoming: ProspectContent, employer: CompanyContent): ProspectContent {
  const update = withoutFormerEmail(existing, incoming);
  const known = validPart(existing, update, employer);
  const technologies = union(known.technologies, update.technologies);
  const after: ProspectContent = { ...known, ...update, ...(technologies && { technologies }) };
  // A different spelling of the same value is not an update: otherwise two files would keep changing it back and forth.
  for (const field of prospectTextFields)
    if (known[field] !== undefined && isSameText(known[field], update[field])) after[field] = known[field];
  if (known.email !== undefined && isSameEmail(known.email, update.email)) after.email = known.email;
  if (known.company !== undefined && update.company !== undefined && isSameName(known.company, update.company))
    after.company = known.company;
  if (known.networkUrl !== undefined && update.networkUrl !== undefined && network(known) === network(update))
    after.networkUrl = known.networkUrl;
  after.confidence = Math.max(known.confidence, update.confidence);
  if (!existing.isFromVendor || !incoming.isFromVendor) delete after.isFromVendor;
  updateFormerEmails(after, existing, update);
  return after;
}

/**
 * Data with a former address and no other company identifies the person but not their current job: title and phone
 * belong to the former job, too.
 */
function withoutFormerEmail(existing: ProspectContent, incoming: ProspectContent): ProspectContent {
  const { email, domain } = incoming;
  if (email === undefined || incoming.company !== undefined) return incoming;
  // A website at the domain of the address names the same company as the address itself.
  if (domain !== undefined && !isWithin(businessDomain(email) ?? "", domain)) return incoming;
  if (!isFormerEmail(existing, email)) return incoming;
  const update = { ...incoming, confidence: 0 };
  for (const field of ["email", "phone", "title", ...titleFacts, ...companyFacts] as const) delete update[field];
  return update;
}

/** The part of a record that remains valid in addition to the new data. */
function validPart(existing: ProspectContent, update: ProspectContent, employer: CompanyContent): ProspectContent {
  const hasMoved = isOtherEmployer(existing, update);
  const isPromoted = isOtherTitle(existing.title, update.title);
  if (!hasMoved && !isPromoted) return existing;
  const known = { ...existing };
  if (hasMoved) removeEmployer(known, update, employer);
  if (isPromoted) for (const field of titleFacts) delete known[field];
  return known;
}

function removeEmployer(known: ProspectContent, update: ProspectContent, employer: CompanyContent): void {
  // The type of a phone number is unknown. Most numbers in such lists are desk phones or paid for by the company, so
  // after a job change they reach a stranger or no one.
  for (const field of ["company", "phone", ...companyFacts] as const) delete known[field];
  const { email } = known;
  if (email === undefined || isSameEmail(email, update.email) || mayKeepAddress(email, employer)) return;
  delete known.email;
  known.confidence = 0; // it applied to the record with the address
}

/** An address that was lost or replaced with a job change continues to identify the person. */
function updateFormerEmails(after: ProspectContent, existing: ProspectContent, update: ProspectContent): void {
  const before = isOtherEmployer(existing, update) ? existing.email : undefined;
  if ((before ?? existing.formerEmails ?? update.formerEmails) === undefined) return;
  const known = [...(existing.formerEmails ?? []), ...(update.formerEmails ?? [])];
  const emails = new Set(known.map(canonicalEmail));
  if (before !== undefined) emails.add(canonicalEmail(before));
  if (after.email !== undefined) emails.delete(canonicalEmail(after.email));
  if (emails.size > 0) after.formerEmails = [...emails].slice(-maxFormerEmails);
  else delete after.formerEmails;
}

/** Whether two titles differ in meaning: "VP Sales" and "Vice President, Sales" do not. */
function isOtherTitle(before: string | undefined, now: string | undefined): boolean {
  if (before === undefined || now === undefined || isSameText(before, now)) return false;
  return new Set(titleTerms(before)).symmetricDifference(new Set(titleTerms(now))).size > 0;
}

/**
 * Like `mergedProspect`, but also fills in missing details from the current company of the person. `companyOf` returns
 * what is known about an employer.
 */
export function updatedProspect(
  existing: ProspectContent,
  incoming: ProspectContent,
  companyOf: (employer: Employer) => CompanyContent | null,
): ProspectContent {
  if (!isOtherEmployer(existing, incoming)) {
    const known = mergedProspect(existing, incoming);
    return withCompanyFacts(known, companyOf(known));
  }
  // The previous address belongs to the previous company.
  const { email, ...others } = incoming;
  const company = companyOf(isSameEmail(existing.email ?? "", email) ? others : incoming);
  const employer = incoming.domain === undefined && company !== null ? company : incoming;
  return withCompanyFacts(mergeRecords(existing, incoming, employer), company);
}

export function mergedCompany(existing: CompanyContent, incoming: CompanyContent): CompanyContent {
  const technologies = union(existing.technologies, incoming.technologies);
  return { ...existing, ...incoming, ...(technologies && { technologies }) };
}

/**
 * Fills missing fields of the prospect with details of its company. Returns the same object if there is nothing to add.
 */
export function withCompanyFacts(prospect: ProspectContent, company: CompanyContent | null): ProspectContent {
  const missing = companyFacts.filter((fact) => prospect[fact] === undefined && company?.[fact] !== undefined);
  return company === null || missing.length === 0 ? prospect : { ...prospect, ...pickFields(company, missing) };
}

/** Applies new company details to the prospect, replacing existing values. */
export function withCompanyNews(prospect: ProspectContent, company: CompanyContent): ProspectContent {
  const fields = companyFacts.filter((fact) => fact !== "domain" && company[fact] !== undefined);
  // A file that describes only the company does not make its people the workspace's own.
  const { isFromVendor } = prospect;
  const news = { ...pickFields(company, fields), ...(isFromVendor && { isFromVendor }), confidence: 0 };
  return mergedProspect(prospect, news);
}

function pickFields<F extends keyof CompanyContent>(
  company: CompanyContent,
  fields: readonly F[],
): Pick<CompanyContent, F> {
  return Object.fromEntries(fields.map((field) => [field, company[field]])) as Pick<CompanyContent, F>;
}

function isSameText(one: string, other: string | undefined): boolean {
  return one === other || one.toLowerCase() === other?.toLowerCase();
}

function isSameEmail(one: string, other: string | undefined): boolean {
  return other !== undefined && canonicalEmail(one) === canonicalEmail(other);
}

/** Whether this is an address from a former job. */
export function isFormerEmail({ formerEmails = [] }: ProspectContent, email: string): boolean {
  return formerEmails.some((former) => isSameEmail(former, email));
}

function network(content: ProspectContent): string | null {
  return prospectIdentity(content).network;
}

function union(one: string[] | undefined, other: string[] | undefined): string[] | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const known = new Set(one.map((name) => name.toLowerCase()));
  return [...one, ...other.filter((name) => !known.has(name.toLowerCase()))].slice(0, maxTechnologies);
}
