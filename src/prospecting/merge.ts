import { prospectIdentity } from "./keys.ts";
import { maxTechnologies, prospectTextFields, type CompanyContent, type ProspectContent } from "./model.ts";

/** What is known after somebody told more: the newer word counts, technologies are added. */
export function mergedProspect(existing: ProspectContent, incoming: ProspectContent): ProspectContent {
  const technologies = union(existing.technologies, incoming.technologies);
  const merged = { ...existing, ...incoming, ...(technologies && { technologies }) };
  // Another spelling of the same is no news: two files must not take turns in changing it.
  for (const field of prospectTextFields)
    if (existing[field]?.toLowerCase() === incoming[field]?.toLowerCase())
      if (existing[field] !== undefined) merged[field] = existing[field];
  if (existing.networkUrl !== undefined && network(existing) === network(incoming))
    merged.networkUrl = existing.networkUrl;
  return { ...merged, confidence: Math.max(existing.confidence, incoming.confidence) };
}

export function mergedCompany(existing: CompanyContent, incoming: CompanyContent): CompanyContent {
  const technologies = union(existing.technologies, incoming.technologies);
  return { ...existing, ...incoming, ...(technologies && { technologies }) };
}

const companyFacts = ["domain", "industry", "companyLocation", "companySize", "revenue", "technologies"] as const;

/** The prospect with what its company is known for, where it does not say so itself. The same object if there is nothing to add. */
export function withCompanyFacts(prospect: ProspectContent, company: CompanyContent): ProspectContent {
  const missing = companyFacts.filter((fact) => prospect[fact] === undefined && company[fact] !== undefined);
  if (missing.length === 0) return prospect;
  return { ...prospect, ...Object.fromEntries(missing.map((fact) => [fact, company[fact]])) };
}

function network(content: ProspectContent): string | null {
  return prospectIdentity(content).network;
}

function union(one: string[] | undefined, other: string[] | undefined): string[] | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const known = new Set(one.map((name) => name.toLowerCase()));
  return [...one, ...other.filter((name) => !known.has(name.toLowerCase()))].slice(0, maxTechnologies);
}
