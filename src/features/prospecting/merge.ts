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

/** What belongs to the company that somebody works for, whoever said it. */
const companyFacts = ["domain", "industry", "companyLocation", "companySize", "revenue", "technologies"] as const;
/** What belongs to a title. */
const titleFacts = ["seniority", "department"] as const;

/**
 * What is known after somebody told more: the newer word counts, technologies are added. Of another title or company
 * than before nothing is known but what the newer word says.
 */
export function mergedProspect(existing: ProspectContent, incoming: ProspectContent): ProspectContent {
  return merged(existing, incoming, incoming);
}

/** `employer`: whom the newer word names. */
function merged(existing: ProspectContent, incoming: ProspectContent, employer: CompanyContent): ProspectContent {
  const told = withoutFormerEmail(existing, incoming);
  const known = stillTrue(existing, told, employer);
  const technologies = union(known.technologies, told.technologies);
  const after: ProspectContent = { ...known, ...told, ...(technologies && { technologies }) };
  // Another spelling of the same is no news: two files must not take turns in changing it.
  for (const field of prospectTextFields)
    if (known[field] !== undefined && isSameText(known[field], told[field])) after[field] = known[field];
  if (known.email !== undefined && isSameEmail(known.email, told.email)) after.email = known.email;
  if (known.company !== undefined && told.company !== undefined && isSameName(known.company, told.company))
    after.company = known.company;
  if (known.networkUrl !== undefined && told.networkUrl !== undefined && network(known) === network(told))
    after.networkUrl = known.networkUrl;
  after.confidence = Math.max(known.confidence, told.confidence);
  noteFormerEmails(after, existing, told);
  return after;
}

/**
 * Who says an address that somebody had before, and no other company with it, tells whom it is about and not where he is: the
 * title and the phone are those of the old job, too.
 */
function withoutFormerEmail(existing: ProspectContent, incoming: ProspectContent): ProspectContent {
  const { email, domain } = incoming;
  if (email === undefined || incoming.company !== undefined) return incoming;
  // The website that the address is at names no other company than the address itself.
  if (domain !== undefined && !isWithin(businessDomain(email) ?? "", domain)) return incoming;
  if (!isFormerEmail(existing, email)) return incoming;
  const told = { ...incoming, confidence: 0 };
  for (const field of ["email", "phone", "title", ...titleFacts, ...companyFacts] as const) delete told[field];
  return told;
}

/** What holds of a record besides what is told now. */
function stillTrue(existing: ProspectContent, told: ProspectContent, employer: CompanyContent): ProspectContent {
  const hasMoved = isOtherEmployer(existing, told);
  const isPromoted = isOtherTitle(existing.title, told.title);
  if (!hasMoved && !isPromoted) return existing;
  const known = { ...existing };
  if (hasMoved) forgetEmployer(known, told, employer);
  if (isPromoted) for (const field of titleFacts) delete known[field];
  return known;
}

function forgetEmployer(known: ProspectContent, told: ProspectContent, employer: CompanyContent): void {
  // Nobody tells what kind of number a phone is. Most in such lists are of the desk or paid for by the company: who calls
  // one after the change of the job reaches a stranger, or a phone that was handed back.
  for (const field of ["company", "phone", ...companyFacts] as const) delete known[field];
  const { email } = known;
  if (email === undefined || isSameEmail(email, told.email) || mayKeepAddress(email, employer)) return;
  delete known.email;
  known.confidence = 0; // it was that of a record with the address
}

/** An address that went with the job, or that another took the place of then, goes on to name the person. */
function noteFormerEmails(after: ProspectContent, existing: ProspectContent, told: ProspectContent): void {
  const before = isOtherEmployer(existing, told) ? existing.email : undefined;
  if ((before ?? existing.formerEmails ?? told.formerEmails) === undefined) return;
  const known = [...(existing.formerEmails ?? []), ...(told.formerEmails ?? [])];
  const emails = new Set(known.map(canonicalEmail));
  if (before !== undefined) emails.add(canonicalEmail(before));
  if (after.email !== undefined) emails.delete(canonicalEmail(after.email));
  if (emails.size > 0) after.formerEmails = [...emails].slice(-maxFormerEmails);
  else delete after.formerEmails;
}

/** Another one than "VP Sales" is not "Vice President, Sales". */
function isOtherTitle(before: string | undefined, now: string | undefined): boolean {
  if (before === undefined || now === undefined || isSameText(before, now)) return false;
  return new Set(titleTerms(before)).symmetricDifference(new Set(titleTerms(now))).size > 0;
}

/**
 * As `mergedProspect`, with what is known of the company that the person works for now, where nobody says so of the
 * person. `companyOf` answers what is known of somebody's company.
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
  // The address of before is one at the company of before.
  const { email, ...others } = incoming;
  const company = companyOf(isSameEmail(existing.email ?? "", email) ? others : incoming);
  const employer = incoming.domain === undefined && company !== null ? company : incoming;
  return withCompanyFacts(merged(existing, incoming, employer), company);
}

export function mergedCompany(existing: CompanyContent, incoming: CompanyContent): CompanyContent {
  const technologies = union(existing.technologies, incoming.technologies);
  return { ...existing, ...incoming, ...(technologies && { technologies }) };
}

/** The prospect with what its company is known for, where it does not say so itself. The same object if there is nothing to add. */
export function withCompanyFacts(prospect: ProspectContent, company: CompanyContent | null): ProspectContent {
  const missing = companyFacts.filter((fact) => prospect[fact] === undefined && company?.[fact] !== undefined);
  return company === null || missing.length === 0 ? prospect : { ...prospect, ...picked(company, missing) };
}

/** The prospect after somebody told of its company: the newer word counts, also where the prospect said otherwise. */
export function withCompanyNews(prospect: ProspectContent, company: CompanyContent): ProspectContent {
  const told = companyFacts.filter((fact) => fact !== "domain" && company[fact] !== undefined);
  return mergedProspect(prospect, { ...picked(company, told), confidence: 0 });
}

function picked<F extends keyof CompanyContent>(
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

/** Whether this is an address of a job that the person has left. */
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
