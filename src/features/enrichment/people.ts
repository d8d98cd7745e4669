import type { FieldError } from "../../platform/base/errors.ts";
import { leadContent, leadIdentity } from "../leads/identity.ts";
import type { Lead, LeadIdentity } from "../leads/model.ts";
import { domainOfWebsite, isDomainName } from "../../platform/identity/domain.ts";
import { domainOfEmail, isFreeMail } from "../../platform/identity/email-domain.ts";
import type { LeadToEnrich, Subject } from "./model.ts";
import type { InputTexts } from "./waterfall.ts";

/** A person from a request, cleaned and ready for lookup; or a company: see `companyOf`. */
export type Person = {
  /** Index in the request. */
  n: number;
  /** Input as sent. */
  input: LeadToEnrich;
  leadId: string | null;
  subject: Subject;
  identity: LeadIdentity;
  texts: InputTexts;
  isCompany?: true;
};

/**
 * Parses the input for a person and adds it to `lead`, the lead that `leadId` refers to. Returns all errors. Without
 * the lead, input with a `leadId` is validated except for its identifiers.
 */
export function personOf(n: number, input: LeadToEnrich, lead: Lead | null): Person | { errors: FieldError[] } {
  const { leadId: _id, domain: sentDomain, ...sent } = input;
  const leadId = leadIdOf(input);
  const draft = { ...(lead !== null && draftOf(lead)), ...nonBlankTexts(sent) };
  const errors: FieldError[] = [];
  const website = sentDomain?.trim() || null;
  const domain = website && domainOfWebsite(website);
  if (website !== null && (domain === null || !isDomainName(domain)))
    errors.push({
      path: "domain",
      message: `"${website.slice(0, 60)}" is not a valid domain. Expected a domain such as example.com.`,
    });
  // A stored lead always has an identifier; until it is read, a placeholder passes the check.
  const placeholder = leadId !== null && lead === null ? { firstName: "x", lastName: "x", company: "x" } : {};
  const checked = leadContent({ ...placeholder, ...draft });
  if ("errors" in checked) errors.push(...checked.errors);
  if ("errors" in checked || errors.length > 0) return { errors };
  const { content } = checked;
  const { email, networkUrl, firstName, lastName, company, title, location, phone } = content;
  const identity = leadIdentity(content);
  const companyDomain = [domain, identity.email && domainOfEmail(identity.email)].find(
    (each) => each && !isFreeMail(each),
  );
  const subject: Subject = {
    email: identity.email,
    candidateEmail: null,
    networkUrl: identity.network,
    firstName,
    lastName,
    company,
    domain: companyDomain ?? null,
  };
  const texts: InputTexts = {
    ...{ firstName, lastName, email, company, title, location, phone, networkUrl },
    "companyInfo.name": company,
    "companyInfo.website": subject.domain,
    "companyInfo.industry": content.industry,
  };
  return { n, input, leadId, subject, identity, texts };
}

/** Null if absent or blank, as for other identifiers. */
export function leadIdOf({ leadId }: LeadToEnrich): string | null {
  return leadId?.trim() || null;
}

type Texts = Pick<
  LeadToEnrich,
  "email" | "networkUrl" | "firstName" | "lastName" | "company" | "title" | "location" | "phone"
>;

/** Picks the known, non-blank fields; clients may send others. */
function nonBlankTexts({ email, networkUrl, firstName, lastName, company, title, location, phone }: Texts): Texts {
  const texts = { email, networkUrl, firstName, lastName, company, title, location, phone };
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => (text ?? "").trim() !== ""));
}

function draftOf({ email, networkUrl, firstName, lastName, company, title, location, phone, industry }: Lead) {
  return { email, networkUrl, firstName, lastName, company, title, location, phone, industry };
}

/** Key that is equal for repetitions of a person. */
export function personKey({ identity: { email, network, name } }: Person): string {
  return email ?? network ?? name ?? "";
}

/** Identifying fields of a person that were known when they were paid for. */
export function textsOfIdentity({ email, network, name }: LeadIdentity): InputTexts {
  const [firstName, last, company] = name?.split("\n") ?? [];
  // Empty if the name consists of a first name only.
  const lastName = last || undefined;
  return { email, networkUrl: network, firstName, lastName, company, "companyInfo.name": company };
}
