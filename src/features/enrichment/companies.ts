import type { FieldError } from "../../platform/base/errors.ts";
import { singleLine } from "../../platform/base/text.ts";
import { domainOfWebsite, isDomainName } from "../../platform/identity/domain.ts";
import { isFreeMail } from "../../platform/identity/email-domain.ts";
import { companyKey } from "../../platform/identity/names.ts";
import type { CompanyToEnrich } from "./company-model.ts";
import type { LeadToEnrich, Subject } from "./model.ts";
import type { Person } from "./people.ts";

/**
 * A company from a request, as the subject of a lookup without a person. Its identity is a name and company without the
 * name, which no lead has: results are stored and found again by the domain, or else by the company's name.
 */
export function companyOf(n: number, input: LeadToEnrich): Person | { errors: FieldError[] } {
  const name = textOf((input as CompanyToEnrich).name);
  const website = textOf(input.domain);
  const domain = website === null ? null : domainOfWebsite(website);
  const key = name === null ? "" : companyKey(name);
  if (website !== null && (domain === null || !isDomainName(domain)))
    return problem("domain", `"${website.slice(0, 60)}" is not a valid domain. Expected a domain such as example.com.`);
  if (domain !== null && isFreeMail(domain))
    return problem("domain", `${domain} belongs to a mail provider, not to a company.`);
  if (domain === null && key === "") return problem("", "A company needs a name or a domain.");
  const subject: Subject = {
    ...{ email: null, candidateEmail: null, networkUrl: null, firstName: null, lastName: null },
    company: name,
    domain,
  };
  const identity = { email: null, network: null, name: `\n\n${domain ?? key}` };
  const texts = { company: name, "companyInfo.name": name, "companyInfo.website": domain };
  return { n, input, leadId: null, subject, identity, texts, isCompany: true };
}

/** Whether a lookup is about a company alone. */
export function isCompanyAlone(subject: Subject): boolean {
  const { email, candidateEmail, networkUrl, firstName, lastName, company, domain } = subject;
  const isPerson = (email ?? candidateEmail ?? networkUrl ?? firstName ?? lastName) !== null;
  return !isPerson && (company ?? domain) !== null;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? singleLine(value) || null : null;
}

function problem(path: string, message: string): { errors: FieldError[] } {
  return { errors: [{ path, message }] };
}
