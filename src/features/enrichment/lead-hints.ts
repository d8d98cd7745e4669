import { companyKey } from "../../platform/identity/names.ts";
import { domainOfEmail, isFreeMail } from "../../platform/identity/email-domain.ts";
import { companyKeyHash, domainKey } from "../leads/identity.ts";
import type { Lead } from "../leads/model.ts";

/** As `CompanyNames` of the directories. */
type CompanyNames = { domain: string | null; name: string | null };
type Employed = Pick<Lead, "email" | "company">;

/** Leads that are indexed at once, so that many hints share a page of the table instead of dirtying one each. */
export const leadsPerBatch = 5_000;

/** The keys by which a lead is found: of the domain of its address and of its company. `owner`: see `domainKey`. */
export function hintKeysOf(owner: number, { email, company }: Employed): number[] {
  const domain = email === null ? null : domainOfEmail(email);
  const name = company === null ? "" : companyKey(company);
  return [
    ...(domain !== null && !isFreeMail(domain) ? [domainKey(owner, domain)] : []),
    ...(name !== "" ? [companyKeyHash(owner, name)] : []),
  ];
}

/** The key of leads at a company; null if nothing names it. */
export function hintKeyFor(owner: number, { domain, name }: CompanyNames): number | null {
  if (domain !== null) return domainKey(owner, domain);
  const company = name === null ? "" : companyKey(name);
  return company === "" ? null : companyKeyHash(owner, company);
}

/** Whether a lead that was found by the key is at the company: hints may be stale. */
export function isColleague({ email, company }: Employed, { domain, name }: CompanyNames): boolean {
  if (domain !== null) return email !== null && domainOfEmail(email) === domain;
  return company !== null && (company === name || companyKey(company) === companyKey(name ?? ""));
}
