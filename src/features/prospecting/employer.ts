import { isSiteOf, isWithin } from "../../platform/identity/domain.ts";
import { businessDomain } from "../../platform/identity/email-domain.ts";
import { isNamedAfter, mayBeShortFor } from "./domain-name.ts";
import { companyKey } from "../../platform/identity/company-key.ts";
import type { CompanyContent, ProspectContent } from "./model.ts";

// A domain is exact, a name is not: vendors write "Acme", "Acme, Inc." and "Acme Robotics" for one company. Where a record
// has no domain of its company, that of an e-mail stands for it, which may be an address of the last job.

/** What tells whom a prospect works for. */
export type Employer = Pick<ProspectContent, "company" | "domain" | "email">;
type CompanyNames = Pick<CompanyContent, "company" | "domain">;

/** Whether what is said now names another employer than what was said before. Who says nothing of one names no other. */
export function isOtherEmployer(before: Employer, now: Employer): boolean {
  const haveDomains = before.domain !== undefined && now.domain !== undefined;
  if (haveDomains && areOfOneSite(before.domain!, now.domain!)) return false;
  if (before.company === undefined || now.company === undefined) return haveDomains;
  if (haveDomains) return !isSameName(before.company, now.company);
  return !namesAgree(before.company, now.company) && !haveSameMail(before, now);
}

/**
 * Whether both have an address at one company, which goes by two names: "PwC" and "PricewaterhouseCoopers LLP". Not where
 * the domain is named after the one of before alone: lists go on with the address of a job that is over.
 */
function haveSameMail(before: Employer, now: Employer): boolean {
  const host = before.email === undefined ? null : businessDomain(before.email);
  if (host === null || now.email === undefined || businessDomain(now.email) !== host) return false;
  if ([before.domain, now.domain].some((domain) => domain !== undefined && !isWithin(host, domain))) return false;
  return mayBeShortFor(host, now.company!) || !isNamedAfter(host, before.company!);
}

/** Whether somebody works for a company, as far as domains and names tell. */
export function worksFor({ company, domain, email }: Employer, employer: CompanyNames): boolean {
  const areNamed = company !== undefined && employer.company !== undefined;
  if (domain !== undefined && employer.domain !== undefined) return isSiteOf(domain, employer.domain);
  const ofEmail = domain === undefined && email !== undefined ? businessDomain(email) : null;
  if (ofEmail !== null && employer.domain !== undefined)
    // Whoever has gone to another company may still be known by an address of this one.
    return isSiteOf(ofEmail, employer.domain) && (!areNamed || namesAgree(company, employer.company!));
  return areNamed && isSameName(company, employer.company!);
}

/** Whether somebody who has come to this company may have an address still: one that anybody may have, or one that is its own. */
export function mayKeepAddress(email: string, { company, domain }: CompanyNames): boolean {
  const host = businessDomain(email);
  if (host === null || (domain !== undefined && isWithin(host, domain))) return true;
  return company !== undefined && isNamedAfter(host, company);
}

/** One of the hosts lies in the other: the site of a department and that of the whole. */
function areOfOneSite(one: string, other: string): boolean {
  return isSiteOf(one, other) || isSiteOf(other, one);
}

/** The same but for its legal form. */
export function isSameName(one: string, other: string): boolean {
  return companyKey(one) === companyKey(other);
}

/** As `isSameName`, or one is the other with more words behind it. */
function namesAgree(one: string, other: string): boolean {
  const [a, b] = [`${companyKey(one)} `, `${companyKey(other)} `];
  return a.startsWith(b) || b.startsWith(a);
}
