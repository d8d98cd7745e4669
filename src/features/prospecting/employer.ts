import { isSiteOf, isWithin } from "../../platform/identity/domain.ts";
import { businessDomain } from "../../platform/identity/email-domain.ts";
import { isNamedAfter, mayBeShortFor } from "./domain-name.ts";
import { companyKey } from "../../platform/identity/names.ts";
import type { CompanyContent, ProspectContent } from "./model.ts";

// A domain is exact, a name is not: vendors write "Acme", "Acme, Inc.", and "Acme Robotics" for one company. If a
// record has no company domain, the domain of the email address is used instead, although it may be that of a former
// job.

/** The details that identify a prospect's employer. */
export type Employer = Pick<ProspectContent, "company" | "domain" | "email">;
type CompanyNames = Pick<CompanyContent, "company" | "domain">;

/** Whether the new data names a different employer than before. Data without an employer does not. */
export function isOtherEmployer(before: Employer, now: Employer): boolean {
  const haveDomains = before.domain !== undefined && now.domain !== undefined;
  if (haveDomains && areOfOneSite(before.domain!, now.domain!)) return false;
  if (before.company === undefined || now.company === undefined) return haveDomains;
  if (haveDomains) return !isSameName(before.company, now.company);
  return !namesAgree(before.company, now.company) && !haveSameMail(before, now);
}

/**
 * Whether both have an address at one company that uses two names, such as "PwC" and "PricewaterhouseCoopers LLP". Not
 * if the domain matches only the previous name: lists often still contain the address of a former job.
 */
function haveSameMail(before: Employer, now: Employer): boolean {
  const host = before.email === undefined ? null : businessDomain(before.email);
  if (host === null || now.email === undefined || businessDomain(now.email) !== host) return false;
  if ([before.domain, now.domain].some((domain) => domain !== undefined && !isWithin(host, domain))) return false;
  return mayBeShortFor(host, now.company!) || !isNamedAfter(host, before.company!);
}

/** Whether a person works for a company, judging by domains and names. */
export function worksFor({ company, domain, email }: Employer, employer: CompanyNames): boolean {
  const areNamed = company !== undefined && employer.company !== undefined;
  if (domain !== undefined && employer.domain !== undefined) return isSiteOf(domain, employer.domain);
  const ofEmail = domain === undefined && email !== undefined ? businessDomain(email) : null;
  if (ofEmail !== null && employer.domain !== undefined)
    // A person who has moved to another company may still be listed with an address at this one.
    return isSiteOf(ofEmail, employer.domain) && (!areNamed || namesAgree(company, employer.company!));
  return areNamed && isSameName(company, employer.company!);
}

/**
 * Whether a person who has joined this company can still use an address: one at a public provider, or one at this
 * company.
 */
export function mayKeepAddress(email: string, { company, domain }: CompanyNames): boolean {
  const host = businessDomain(email);
  if (host === null || (domain !== undefined && isWithin(host, domain))) return true;
  return company !== undefined && isNamedAfter(host, company);
}

/** Whether one host contains the other, such as the websites of a company and of one of its departments. */
function areOfOneSite(one: string, other: string): boolean {
  return isSiteOf(one, other) || isSiteOf(other, one);
}

/** Whether two names are equal except for the legal form. */
export function isSameName(one: string, other: string): boolean {
  return companyKey(one) === companyKey(other);
}

/** Like `isSameName`, or one name starts with the other. */
function namesAgree(one: string, other: string): boolean {
  const [a, b] = [`${companyKey(one)} `, `${companyKey(other)} `];
  return a.startsWith(b) || b.startsWith(a);
}
