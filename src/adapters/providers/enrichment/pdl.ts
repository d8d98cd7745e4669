import { isCompanyAlone } from "../../../features/enrichment/companies.ts";
import { fieldGroups, type EnrichField } from "../../../features/enrichment/fields.ts";
import type { Finding } from "../../../features/enrichment/model.ts";
import type { EnrichmentProvider } from "../../../features/enrichment/provider.ts";
import { numberAt, textAt, textsAt, valueAt } from "../json-path.ts";
import { askVendor, asUrl, findingsOf, queryOf, usualRefusal, type VendorWorld } from "./vendor.ts";

export const pdlUrl = "https://api.peopledatalabs.com/v5";
const jobsShown = 5;

const { personal, company, social, contact } = fieldGroups;
/** Only a company that is looked up alone has a description. */
const ofCompany: readonly EnrichField[] = company;
const ofPerson: readonly EnrichField[] = [
  ...personal,
  ...company.filter((field) => field !== "companyInfo.description"),
  ...social,
  ...contact,
];

/** People Data Labs, person and company enrichment (v5). A match costs one of its credits; a miss (404) is free. */
export function createPdl(world: VendorWorld, { url, key }: { url: string; key: string }): EnrichmentProvider {
  return {
    name: "pdl",
    fields: [...ofPerson, "companyInfo.description"],
    fieldsFor(subject) {
      if (isCompanyAlone(subject)) return ofCompany;
      const { email, networkUrl, firstName, lastName, company, domain } = subject;
      return (email ?? networkUrl ?? (firstName && lastName && (company ?? domain))) ? ofPerson : [];
    },

    async lookUp(subject, { signal }) {
      const { email, networkUrl, firstName, lastName, company, domain } = subject;
      const isCompany = isCompanyAlone(subject);
      const companyQuery = { website: domain, name: domain === null ? company : null, titlecase: "true" };
      const personQuery = {
        email,
        profile: networkUrl,
        first_name: firstName,
        last_name: lastName,
        company: company ?? domain,
        titlecase: "true",
      };
      const query = queryOf(isCompany ? companyQuery : personQuery);
      const answer = await askVendor(world, {
        url: `${url}/${isCompany ? "company" : "person"}/enrich?${query}`,
        headers: { "x-api-key": key },
        signal,
      });
      if (answer.kind !== "json") return answer;
      const refusal = usualRefusal(answer, world.clock);
      if (refusal !== null) return refusal;
      const likelihood = numberAt(answer.body, "likelihood") ?? 0;
      // A company is the response itself; of a person, it is the part `data`.
      const findings = isCompany
        ? findingsInCompany(answer.body, likelihood / 10)
        : findingsIn(valueAt(answer.body, "data"), likelihood / 10);
      const spent = Number(answer.headers.get("x-call-credits-spent") ?? 1);
      return { kind: "found", findings, spent: Number.isFinite(spent) ? spent : 1 };
    },
  };
}

function findingsInCompany(found: unknown, confidence: number): Finding[] {
  const text = (path: string) => textAt(found, path);
  const name = text("display_name") ?? text("name");
  return findingsOf(
    {
      company: name,
      "companyInfo.name": name,
      "companyInfo.website": asUrl(text("website")),
      "companyInfo.industry": text("industry"),
      "companyInfo.size": text("size"),
      "companyInfo.description": text("summary"),
      "companyInfo.founded": text("founded"),
      "companyInfo.headquarters": text("location.name"),
    },
    confidence,
  );
}

/** Fields that our plan does not include are `true` instead of a string. */
function findingsIn(person: unknown, confidence: number): Finding[] {
  const text = (path: string) => textAt(person, path);
  const emails = [
    text("work_email"),
    text("recommended_personal_email"),
    ...textsAt(person, "personal_emails"),
    ...textsAt(person, "emails.[].address"),
  ].filter((email) => email !== null);
  return findingsOf(
    {
      firstName: text("first_name"),
      lastName: text("last_name"),
      title: text("job_title"),
      location: text("location_name"),
      experience: experienceOf(person),
      skills: textsAt(person, "skills"),
      bio: text("summary") ?? text("headline"),
      company: text("job_company_name"),
      networkUrl: asUrl(text("linkedin_url")),
      "companyInfo.name": text("job_company_name"),
      "companyInfo.website": asUrl(text("job_company_website")),
      "companyInfo.industry": text("job_company_industry"),
      "companyInfo.size": text("job_company_size"),
      "companyInfo.founded": text("job_company_founded"),
      "companyInfo.headquarters": text("job_company_location_name"),
      "socialProfiles.twitter": asUrl(text("twitter_url")),
      "socialProfiles.github": asUrl(text("github_url")),
      email: emails[0],
      alternativeEmails: emails.slice(1),
      phone: text("mobile_phone") ?? textsAt(person, "phone_numbers")[0],
    },
    confidence,
  );
}

function experienceOf(person: unknown): string | null {
  const jobs = valueAt(person, "experience");
  const lines = (Array.isArray(jobs) ? jobs.slice(0, jobsShown) : []).flatMap((job: unknown) => {
    const [title, company] = [textAt(job, "title.name"), textAt(job, "company.name")];
    const years = [textAt(job, "start_date"), textAt(job, "end_date")].map((date) => date?.slice(0, 4) ?? "");
    const what = [title, company].filter(Boolean).join(" at ");
    return what === "" ? [] : [years[0] === "" ? what : `${what} (${years[0]}–${years[1]})`];
  });
  if (lines.length > 0) return lines.join("; ");
  const years = numberAt(person, "inferred_years_experience");
  return years === null ? null : `${years} years`;
}
