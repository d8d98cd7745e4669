import { domainOfEmail } from "../../../platform/identity/email-domain.ts";
import { isCompanyAlone } from "../../../features/enrichment/companies.ts";
import { allFields, fieldGroups, type EnrichField } from "../../../features/enrichment/fields.ts";
import type { Finding, Subject } from "../../../features/enrichment/model.ts";
import type { EnrichmentProvider } from "../../../features/enrichment/provider.ts";
import { drawOf, pickOf } from "../simulated-draw.ts";

/** Percentage of people that it knows. */
const knownPercent = 70;

const titles = ["Head of Sales", "Chief Technology Officer", "Marketing Manager", "Software Engineer", "Founder"];
const places = ["London, United Kingdom", "Berlin, Germany", "Austin, Texas, United States", "Lyon, France"];
const industries = ["Software", "Logistics", "Retail", "Financial Services", "Manufacturing"];
const sizes = ["11-50", "51-200", "201-500", "1001-5000"];

/** A provider without requests: its data about a person is derived from the seed and the person's identity. */
export function createSimulatedProvider(seed: number): EnrichmentProvider {
  return {
    name: "simulated",
    fields: allFields,
    fieldsFor: (subject) => (isCompanyAlone(subject) ? fieldGroups.company : nameOf(subject) === null ? [] : allFields),
    async lookUp(subject) {
      const who = nameOf(subject);
      if (who === null || 100 * drawOf(seed, `${who} known`) >= knownPercent) return { kind: "none", spent: 0 };
      return { kind: "found", findings: findingsOf(subject, who, seed), spent: 1 };
    },
  };
}

/** Returns the key that a person or a company is drawn by; null if nothing identifies it. */
function nameOf(subject: Subject): string | null {
  const { email, networkUrl, firstName, lastName, company, domain } = subject;
  if (isCompanyAlone(subject)) return (domain ?? company)?.toLowerCase() ?? null;
  const named = firstName !== null && lastName !== null && company !== null;
  return email ?? networkUrl ?? (named ? `${firstName} ${lastName} ${company}`.toLowerCase() : null);
}

function findingsOf(subject: Subject, who: string, seed: number): Finding[] {
  const pick = (list: readonly string[], what: string): string => pickOf(list, seed, `${who} ${what}`);
  const isCompany = isCompanyAlone(subject);
  const ofCompany = isCompany ? `${who.replaceAll(/[^a-z0-9]+/g, "-")}.example` : "example.com";
  const domain = subject.domain ?? domainOfEmail(subject.email ?? "") ?? ofCompany;
  const local = [subject.firstName, subject.lastName].filter((part) => part !== null).join(".");
  const made: [EnrichField, string | null][] = [
    ["title", isCompany ? null : pick(titles, "title")],
    ["location", isCompany ? null : pick(places, "place")],
    ["companyInfo.industry", pick(industries, "industry")],
    ["companyInfo.size", pick(sizes, "size")],
    ["companyInfo.website", `https://${domain}`],
    [
      "phone",
      isCompany ? null : `+1202555${String(100 + Math.floor(drawOf(seed, `${who} phone`) * 99)).padStart(4, "0")}`,
    ],
    ["email", subject.email === null && /^[a-z.-]+$/i.test(local) ? `${local.toLowerCase()}@${domain}` : null],
  ];
  return made.flatMap(([field, value]) => (value === null ? [] : [{ field, value, confidence: 0.9 }]));
}
