import type { FieldError } from "../../platform/base/errors.ts";
import { leadContent, leadIdentity } from "../leads/identity.ts";
import type { Lead, LeadIdentity } from "../leads/model.ts";
import { domainOfWebsite, isDomainName } from "../../platform/identity/domain.ts";
import { domainOfEmail, isFreeMail } from "../../platform/identity/email-domain.ts";
import type { LeadToEnrich, Subject } from "./model.ts";
import type { InputTexts } from "./waterfall.ts";

/** A person of a request, clean and ready to be asked about. */
export type Person = {
  /** Place in the request. */
  n: number;
  /** As it was sent. */
  input: LeadToEnrich;
  leadId: string | null;
  subject: Subject;
  identity: LeadIdentity;
  texts: InputTexts;
};

/**
 * Reads what was sent of a person; `lead` is the one that `leadId` names, which what was sent adds to. Answers every
 * problem that stands against it. Without the lead at hand, one with a `leadId` is checked but for its identifiers.
 */
export function personOf(n: number, input: LeadToEnrich, lead: Lead | null): Person | { errors: FieldError[] } {
  const { leadId: _id, domain: sentDomain, ...sent } = input;
  const leadId = leadIdOf(input);
  const draft = { ...(lead !== null && draftOf(lead)), ...sentTexts(sent) };
  const errors: FieldError[] = [];
  const website = sentDomain?.trim() || null;
  const domain = website && domainOfWebsite(website);
  if (website !== null && (domain === null || !isDomainName(domain)))
    errors.push({ path: "domain", message: `"${website.slice(0, 60)}" is not a domain such as example.com.` });
  // A lead of one's own has an identifier; until it is read, any will do.
  const standIn = leadId !== null && lead === null ? { firstName: "x", lastName: "x", company: "x" } : {};
  const checked = leadContent({ ...standIn, ...draft });
  if ("errors" in checked) errors.push(...checked.errors);
  if ("errors" in checked || errors.length > 0) return { errors };
  const { content } = checked;
  const { email, networkUrl, firstName, lastName, company, title, location, phone } = content;
  const identity = leadIdentity(content);
  const ofCompany = [domain, identity.email && domainOfEmail(identity.email)].find((each) => each && !isFreeMail(each));
  const subject: Subject = {
    email: identity.email,
    candidateEmail: null,
    networkUrl: identity.network,
    firstName,
    lastName,
    company,
    domain: ofCompany ?? null,
  };
  const texts: InputTexts = {
    ...{ firstName, lastName, email, company, title, location, phone, networkUrl },
    "companyInfo.name": company,
    "companyInfo.website": subject.domain,
    "companyInfo.industry": content.industry,
  };
  return { n, input, leadId, subject, identity, texts };
}

/** Null where none is named; a blank one names none, as with identifiers. */
export function leadIdOf({ leadId }: LeadToEnrich): string | null {
  return leadId?.trim() || null;
}

type Texts = Pick<
  LeadToEnrich,
  "email" | "networkUrl" | "firstName" | "lastName" | "company" | "title" | "location" | "phone"
>;

/** Other fields that a client sends along are its own business. */
function sentTexts({ email, networkUrl, firstName, lastName, company, title, location, phone }: Texts): Texts {
  const texts = { email, networkUrl, firstName, lastName, company, title, location, phone };
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => (text ?? "").trim() !== ""));
}

function draftOf({ email, networkUrl, firstName, lastName, company, title, location, phone, industry }: Lead) {
  return { email, networkUrl, firstName, lastName, company, title, location, phone, industry };
}

/** One text for each person, the same for repeats. */
export function personKey({ identity: { email, network, name } }: Person): string {
  return email ?? network ?? name ?? "";
}

/** What was known of somebody when they were paid for, as far as it names them. */
export function textsOfIdentity({ email, network, name }: LeadIdentity): InputTexts {
  const [firstName, last, company] = name?.split("\n") ?? [];
  // There is none where the first name is all of the name.
  const lastName = last || undefined;
  return { email, networkUrl: network, firstName, lastName, company, "companyInfo.name": company };
}
