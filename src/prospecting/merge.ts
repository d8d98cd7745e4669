import { isOtherEmployer, isSameName, type Employer } from "./employer.ts";
import { titleTerms } from "./facets/title-words.ts";
import { prospectIdentity } from "./keys.ts";
import { maxTechnologies, prospectTextFields, type CompanyContent, type ProspectContent } from "./model.ts";

/** What belongs to the company that somebody works for, whoever said it. */
const companyFacts = ["domain", "industry", "companyLocation", "companySize", "revenue", "technologies"] as const;
/** What belongs to a title. */
const titleFacts = ["seniority", "department"] as const;

/**
 * What is known after somebody told more: the newer word counts, technologies are added. Of another title or company
 * than before nothing is known but what the newer word says.
 */
export function mergedProspect(existing: ProspectContent, incoming: ProspectContent): ProspectContent {
  const known = stillTrue(existing, incoming);
  const technologies = union(known.technologies, incoming.technologies);
  const merged = { ...known, ...incoming, ...(technologies && { technologies }) };
  // Another spelling of the same is no news: two files must not take turns in changing it.
  for (const field of prospectTextFields)
    if (known[field] !== undefined && isSameText(known[field], incoming[field])) merged[field] = known[field];
  if (known.company !== undefined && incoming.company !== undefined && isSameName(known.company, incoming.company))
    merged.company = known.company;
  if (known.networkUrl !== undefined && incoming.networkUrl !== undefined && network(known) === network(incoming))
    merged.networkUrl = known.networkUrl;
  return { ...merged, confidence: Math.max(known.confidence, incoming.confidence) };
}

/** What holds of a record besides what is told now. */
function stillTrue(existing: ProspectContent, incoming: ProspectContent): ProspectContent {
  const hasMoved = isOtherEmployer(existing, incoming);
  const isPromoted = isOtherTitle(existing.title, incoming.title);
  if (!hasMoved && !isPromoted) return existing;
  const known = { ...existing };
  if (hasMoved) for (const field of ["company", ...companyFacts] as const) delete known[field];
  if (isPromoted) for (const field of titleFacts) delete known[field];
  return known;
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
  const merged = mergedProspect(existing, incoming);
  // The address of before is one at the company of before.
  const isOldAddress = isOtherEmployer(existing, incoming) && isSameText(existing.email ?? "", merged.email);
  return withCompanyFacts(merged, companyOf(isOldAddress ? { ...merged, email: undefined } : merged));
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
  return one.toLowerCase() === other?.toLowerCase();
}

function network(content: ProspectContent): string | null {
  return prospectIdentity(content).network;
}

function union(one: string[] | undefined, other: string[] | undefined): string[] | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const known = new Set(one.map((name) => name.toLowerCase()));
  return [...one, ...other.filter((name) => !known.has(name.toLowerCase()))].slice(0, maxTechnologies);
}
