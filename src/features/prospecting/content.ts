import { memoize, multiLine, singleLine } from "../../platform/base/text.ts";
import type { FieldError } from "../../platform/base/errors.ts";
import { domainOfWebsite } from "../../platform/identity/domain.ts";
import { isEmailAddress } from "../../platform/identity/email.ts";
import { companySizeText } from "./facets/ranges.ts";
import { prospectIdentity, type ProspectIdentity } from "./keys.ts";
import {
  maxTechnologies,
  maxTechnologyLength,
  prospectTextFields,
  prospectTextLimits,
  type CompanyContent,
  type ProspectContent,
  type ProspectTextField,
} from "./model.ts";

/** Unchecked data about a prospect from a file or a live source. */
export type ProspectDraft = Partial<Omit<ProspectContent, "confidence" | "formerEmails" | "isFromVendor">> & {
  confidence?: number;
  /** The person has only a first name, which identifies them together with the company. */
  hasOneName?: boolean;
};

/**
 * Validates and cleans data about a person: trims text, removes control characters, and converts sizes to ranges; sizes
 * that cannot be parsed are dropped. Returns the content to store with its identity, or all errors. Like a lead, a
 * prospect needs an identifier.
 */
export function prospectContent(
  draft: ProspectDraft,
): { content: ProspectContent; identity: ProspectIdentity } | { errors: FieldError[] } {
  const errors: FieldError[] = [];
  const known: ProspectDraft = cleanTexts(draft, errors);
  if (draft.hasOneName && known.firstName !== undefined) known.lastName = "";
  const identity = prospectIdentity(known);
  checkIdentity(known, identity, errors);
  if (errors.length > 0) return { errors };
  const technologies = cleanTechnologies(draft.technologies);
  if (technologies.length > 0) known.technologies = technologies;
  if (draft.revenue) known.revenue = draft.revenue;
  const content = Object.assign(known, { confidence: rounded(draft.confidence ?? completeness(known)) });
  return { content, identity };
}

const sizeOf = memoize(companySizeText);

function checkIdentity({ email, networkUrl }: ProspectDraft, identity: ProspectIdentity, errors: FieldError[]): void {
  if (email !== undefined && !isEmailAddress(email))
    errors.push({ path: "email", message: `"${email.slice(0, 60)}" is not an email address.` });
  if (networkUrl !== undefined && identity.network === null)
    errors.push({
      path: "networkUrl",
      message: `"${networkUrl.slice(0, 60)}" is not an http or https profile URL.`,
    });
  const isKnown = identity.email !== null || identity.network !== null || identity.name !== null;
  if (errors.length === 0 && !isKnown) errors.push({ path: "", message: identifierHelp });
}

const identifierHelp =
  "A prospect needs an identifier: an email, a networkUrl, or firstName, lastName and company together. A full name of one word does beside a company.";

/** Like `prospectContent`, for data about a company, which needs a name or a domain. */
export function companyContent(
  draft: ProspectDraft & { description?: string; founded?: string },
): { content: CompanyContent } | { errors: FieldError[] } {
  const errors: FieldError[] = [];
  const {
    company,
    domain,
    industry,
    companyLocation,
    location,
    companySize: size,
    phone,
    networkUrl,
  } = cleanTexts(draft, errors);
  if (company === undefined && domain === undefined)
    errors.push({ path: "company", message: "Provide a company name or website." });
  if (errors.length > 0) return { errors };
  const technologies = cleanTechnologies(draft.technologies);
  const place = companyLocation ?? location;
  const description = draft.description && multiLine(draft.description).slice(0, maxDescription);
  const founded = draft.founded && singleLine(draft.founded).slice(0, 40);
  return {
    content: {
      ...(company !== undefined && { company }),
      ...(domain !== undefined && { domain }),
      ...(industry !== undefined && { industry }),
      ...(place !== undefined && { companyLocation: place }),
      ...(size !== undefined && { companySize: size }),
      ...(phone !== undefined && { phone }),
      ...(networkUrl !== undefined && { networkUrl }),
      ...(draft.revenue && { revenue: draft.revenue }),
      ...(technologies.length > 0 && { technologies }),
      ...(description && { description }),
      ...(founded && { founded }),
    },
  };
}

const maxDescription = 5000;

function cleanTexts(draft: ProspectDraft, errors: FieldError[]): Partial<Record<ProspectTextField, string>> {
  const texts: Partial<Record<ProspectTextField, string>> = {};
  for (const field of prospectTextFields) {
    const value = draft[field];
    const text = value && cleanText(field, value);
    if (!text) continue;
    if (text.length > prospectTextLimits[field])
      errors.push({
        path: field,
        message: `Expected at most ${prospectTextLimits[field]} characters, got ${text.length}.`,
      });
    else texts[field] = text;
  }
  return texts;
}

/** The stored form of a value; empty if it is unusable. An invalid size or website is no reason to reject a person. */
export function cleanText(field: ProspectTextField, value: string): string | null {
  if (field === "companySize") return sizeOf(value);
  if (field === "domain") return domainOfWebsite(value);
  return singleLine(value);
}

function cleanTechnologies(technologies: string[] | undefined): string[] {
  if (technologies === undefined || technologies.length === 0) return [];
  const clean = new Set<string>();
  for (const technology of technologies) {
    const name = cleanTechnology(technology);
    if (name !== null && clean.size < maxTechnologies) clean.add(name);
  }
  return [...clean];
}

/** Null if the text is not a valid technology name. */
export function cleanTechnology(name: string): string | null {
  const clean = singleLine(name);
  return clean !== "" && clean.length <= maxTechnologyLength ? clean : null;
}

/** Default confidence, based on completeness: email 0.4, identity 0.3, company 0.2, and the rest 0.1. */
function completeness({
  email,
  firstName,
  lastName,
  title,
  networkUrl,
  company,
  industry,
  companySize: size,
  phone,
  location,
  technologies,
}: ProspectDraft): number {
  let sum = 0;
  if (email) sum += 0.4;
  if (firstName && lastName) sum += 0.1;
  if (title) sum += 0.1;
  if (networkUrl) sum += 0.1;
  if (company) sum += 0.1;
  if (industry) sum += 0.05;
  if (size) sum += 0.05;
  if (phone) sum += 0.04;
  if (location) sum += 0.03;
  return technologies ? sum + 0.03 : sum;
}

function rounded(confidence: number): number {
  return Math.round(Math.min(1, Math.max(0, confidence)) * 100) / 100;
}
