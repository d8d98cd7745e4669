import { isCompanyAlone } from "../../../features/enrichment/companies.ts";
import { fieldGroups, type EnrichField } from "../../../features/enrichment/fields.ts";
import type { Finding } from "../../../features/enrichment/model.ts";
import type { EnrichmentProvider } from "../../../features/enrichment/provider.ts";
import { numberAt, textAt, textsAt, valueAt } from "../json-path.ts";
import { askVendor, asUrl, findingsOf, queryOf, usualRefusal, type VendorWorld } from "./vendor.ts";

export const apolloUrl = "https://api.apollo.io/api/v1";
/** It returns no confidence for a match as a whole; it responds only when it is certain of the person. */
const matchSureness = 0.85;
/** The company's phone number may lead to the person, but is not theirs. */
const switchboardSureness = 0.5;
const jobsShown = 5;

const { company, social, contact } = fieldGroups;
const ofCompany: readonly EnrichField[] = company;
const fields: readonly EnrichField[] = [
  "firstName",
  "lastName",
  "title",
  "location",
  "experience",
  "bio",
  ...company,
  ...social,
  ...contact,
];

/**
 * Apollo, people match and organization enrichment. A match costs one of its credits, even without an address; a miss is
 * free.
 */
export function createApollo(world: VendorWorld, { url, key }: { url: string; key: string }): EnrichmentProvider {
  return {
    name: "apollo",
    fields,
    fieldsFor(subject) {
      const { email, networkUrl, firstName, lastName, company, domain } = subject;
      // It finds companies by their domain only.
      if (isCompanyAlone(subject)) return domain === null ? [] : ofCompany;
      return (email ?? networkUrl ?? (firstName && lastName && (company ?? domain))) ? fields : [];
    },

    async lookUp(subject, { signal }) {
      const { email, networkUrl, firstName, lastName, company, domain } = subject;
      const isCompany = isCompanyAlone(subject);
      const query = queryOf({
        first_name: firstName,
        last_name: lastName,
        email,
        organization_name: company,
        domain,
        linkedin_url: networkUrl,
        reveal_personal_emails: "false",
      });
      const answer = await askVendor(world, {
        method: isCompany ? "GET" : "POST",
        url: isCompany ? `${url}/organizations/enrich?${queryOf({ domain })}` : `${url}/people/match?${query}`,
        headers: { "x-api-key": key },
        signal,
      });
      if (answer.kind !== "json") return answer;
      const said = textAt(answer.body, "error") ?? textAt(answer.body, "message") ?? "";
      if (answer.status === 422 && /credit/i.test(said))
        return { kind: "exhausted", reason: "The provider account has no credits left" };
      const refusal = usualRefusal(answer, world.clock);
      if (refusal !== null) return refusal;
      const person = isCompany ? answer.body : valueAt(answer.body, "person");
      if (isCompany && textAt(answer.body, "organization.name") === null) return { kind: "none", spent: 0 };
      if (typeof person !== "object" || person === null) return { kind: "none", spent: 0 };
      const findings = findingsIn(person);
      const isKept = ({ field }: Finding) => !isCompany || ofCompany.includes(field);
      return { kind: "found", findings: findings.filter(isKept), spent: 1 };
    },
  };
}

function findingsIn(person: unknown): Finding[] {
  const text = (path: string) => textAt(person, path);
  const place = (...paths: string[]) =>
    paths
      .map(text)
      .filter((part) => part !== null)
      .join(", ") || null;
  const email = text("email");
  const ownPhone = text("phone_numbers.0.sanitized_number");
  // Placeholder for an address that our plan does not reveal.
  const isLocked = email?.startsWith("email_not_unlocked@") === true;
  return [
    ...findingsOf({ email: isLocked ? null : email }, emailSureness(person)),
    ...findingsOf({ phone: ownPhone }, matchSureness),
    ...findingsOf(
      { phone: ownPhone === null ? text("organization.primary_phone.sanitized_number") : null },
      switchboardSureness,
    ),
    ...findingsOf(
      {
        firstName: text("first_name"),
        lastName: text("last_name"),
        title: text("title"),
        bio: text("headline"),
        location: place("city", "state", "country"),
        experience: experienceOf(person),
        networkUrl: asUrl(text("linkedin_url")),
        alternativeEmails: textsAt(person, "personal_emails"),
        "socialProfiles.twitter": asUrl(text("twitter_url")),
        "socialProfiles.github": asUrl(text("github_url")),
        company: text("organization.name"),
        "companyInfo.name": text("organization.name"),
        "companyInfo.website": asUrl(text("organization.website_url")),
        "companyInfo.industry": text("organization.industry"),
        "companyInfo.size": text("organization.estimated_num_employees"),
        "companyInfo.description": text("organization.short_description"),
        "companyInfo.founded": text("organization.founded_year"),
        "companyInfo.headquarters": place("organization.city", "organization.state", "organization.country"),
      },
      matchSureness,
    ),
  ];
}

function emailSureness(person: unknown): number {
  const status = textAt(person, "email_status");
  if (status === "verified") return 0.95;
  if (status === "unavailable") return 0;
  return numberAt(person, "extrapolated_email_confidence") ?? 0.5;
}

function experienceOf(person: unknown): string | null {
  const jobs = valueAt(person, "employment_history");
  const lines = (Array.isArray(jobs) ? jobs.slice(0, jobsShown) : []).flatMap((job: unknown) => {
    const what = [textAt(job, "title"), textAt(job, "organization_name")].filter(Boolean).join(" at ");
    const [from, to] = [textAt(job, "start_date")?.slice(0, 4), textAt(job, "end_date")?.slice(0, 4)];
    return what === "" ? [] : [from === undefined ? what : `${what} (${from}–${to ?? ""})`];
  });
  return lines.join("; ") || null;
}
