import { canonicalEmail, emailPattern } from "../../platform/identity/email.ts";
import type { FieldError } from "../../platform/base/errors.ts";
import { canonicalProfileUrl } from "../../platform/identity/profile-url.ts";
import { multiLine, singleLine } from "../../platform/base/text.ts";
import { personNameKey } from "../../platform/identity/names.ts";
import { isWholeEastAsianName } from "../../platform/identity/east-asian-name.ts";
import {
  leadTextFields,
  leadTextLimits,
  maxCustomFields,
  maxCustomFieldsBytes,
  maxTagLength,
  maxTags,
  type LeadContent,
  type LeadIdentity,
  type LeadInput,
  type LeadStatus,
  type LeadTextField,
} from "./model.ts";

export type LeadDraft = LeadInput & { status?: LeadStatus };

/**
 * Cleans the data of a lead: trims texts, removes control characters (only notes keep line breaks), treats empty texts as
 * absent, and drops duplicate tags. Returns the content to store and its identity, or all validation errors. Used for
 * requests, for rows of an import, and, with the merged lead, for updates.
 */
export function leadContent(
  draft: LeadDraft,
): { content: LeadContent; identity: LeadIdentity } | { errors: FieldError[] } {
  const errors: FieldError[] = [];
  // Not spread: copying an object that was built field by field takes longer than everything else here.
  const content: LeadContent = Object.assign(cleanTexts(draft, errors), {
    status: draft.status ?? "new",
    tags: cleanTags(draft.tags ?? [], errors),
    customFields: draft.customFields ?? {},
    assignedTo: draft.assignedTo ?? null,
  });
  checkCustomFields(content.customFields, errors);
  const identity = leadIdentity(content);
  if (content.email !== null && !emailPattern.test(content.email))
    errors.push({ path: "email", message: `"${shortened(content.email)}" is not an email address.` });
  if (content.networkUrl !== null && identity.network === null)
    errors.push({
      path: "networkUrl",
      message: `"${shortened(content.networkUrl)}" is not an http or https URL of a profile.`,
    });
  if (errors.length === 0 && !isIdentified(identity)) errors.push({ path: "", message: identifierHelp });
  return errors.length > 0 ? { errors } : { content, identity };
}

function cleanTexts(draft: LeadDraft, errors: FieldError[]): Record<LeadTextField, string | null> {
  const texts = {} as Record<LeadTextField, string | null>;
  for (const field of leadTextFields) {
    const value = draft[field];
    const text = (value && (field === "notes" ? multiLine(value) : singleLine(value))) || null;
    if (text !== null && text.length > leadTextLimits[field])
      errors.push({
        path: field,
        message: `Expected at most ${leadTextLimits[field]} characters, got ${text.length}.`,
      });
    texts[field] = text;
  }
  return texts;
}

function cleanTags(tags: string[], errors: FieldError[]): string[] {
  const clean: string[] = [];
  for (const tag of tags.map(singleLine))
    if (tag !== "" && !clean.includes(tag) && clean.length <= maxTags) clean.push(tag);
  const long = clean.find((tag) => tag.length > maxTagLength);
  if (long !== undefined)
    errors.push({
      path: "tags",
      message: `Expected at most ${maxTagLength} characters in a tag, got "${shortened(long)}".`,
    });
  if (clean.length > maxTags) errors.push({ path: "tags", message: `Expected at most ${maxTags} tags.` });
  return clean;
}

function checkCustomFields(customFields: Record<string, unknown>, errors: FieldError[]): void {
  const count = Object.keys(customFields).length;
  if (count === 0) return;
  if (count > maxCustomFields)
    errors.push({ path: "customFields", message: `Expected at most ${maxCustomFields} fields, got ${count}.` });
  if (Buffer.byteLength(JSON.stringify(customFields)) > maxCustomFieldsBytes)
    errors.push({ path: "customFields", message: `Expected at most ${maxCustomFieldsBytes} bytes of JSON in all.` });
}

function isIdentified(identity: LeadIdentity): boolean {
  return identity.email !== null || identity.network !== null || identity.name !== null;
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

export const identifierHelp =
  "A lead needs an identifier: an email, a networkUrl, or firstName, lastName and company together.";

/** The identifiers by which duplicates are found. A first name that is a full name, "山田太郎", needs no last name. */
export function leadIdentity(
  lead: Pick<LeadContent, "email" | "networkUrl" | "firstName" | "lastName" | "company">,
): LeadIdentity {
  const { firstName, lastName, company } = lead;
  return {
    email: lead.email === null ? null : canonicalEmail(lead.email),
    network: lead.networkUrl === null ? null : canonicalProfileUrl(lead.networkUrl),
    name:
      firstName && company && (lastName || isWholeEastAsianName(firstName))
        ? personNameKey(firstName, lastName ?? "", company)
        : null,
  };
}

/** The hashes by which a lead is found. `strong` ones identify a person; several people may share a name and company. */
export type KeysOfLead = { strong: number[]; name: number | null };

// A lead is searched for and then stored, which needs the same keys twice.
let latest: { owner: number; identity: LeadIdentity; keys: KeysOfLead } | null = null;

/** The keys of a lead of this owner; none for absent identifiers. */
export function leadKeysOf(owner: number, identity: LeadIdentity): KeysOfLead {
  if (latest?.identity !== identity || latest.owner !== owner)
    latest = { owner, identity, keys: keysFor(owner, identity) };
  return latest.keys;
}

function keysFor(owner: number, { email, network, name }: LeadIdentity): KeysOfLead {
  const strong: number[] = [];
  if (email !== null) strong.push(emailKey(owner, email));
  if (network !== null) strong.push(profileKeyHash(owner, network));
  return { strong, name: name === null ? null : hashOf(`${owner}\nn\n${name}`) };
}

/** All keys of a lead: those of its identity, and the phone number's. */
export function allKeysOf(owner: number, identity: LeadIdentity, phone: string | null): number[] {
  const { strong, name } = leadKeysOf(owner, identity);
  const ofPhone = phone === null ? null : phoneKey(owner, phone);
  return [...strong, ...(name === null ? [] : [name]), ...(ofPhone === null ? [] : [ofPhone])];
}

/** The hash of a canonical email address. */
export function emailKey(owner: number, email: string): number {
  return hashOf(`${owner}\ne\n${email}`);
}

/** The hash of a canonical profile URL. */
export function profileKeyHash(owner: number, profile: string): number {
  return hashOf(`${owner}\np\n${profile}`);
}

const extension = /[x#;]/i;
const digitsOfPhone = 7;

/**
 * The key of a phone number in any format, including E.164: the last seven digits, which all formats have in common.
 * Plain arithmetic, so that a migration can do the same. Null for a number without digits.
 */
export function phoneKey(owner: number, phone: string): number | null {
  const end = phone.search(extension);
  const digits = (end === -1 ? phone : phone.slice(0, end)).replaceAll(/\D/g, "").slice(-digitsOfPhone);
  return digits === "" ? null : 2 ** 52 + owner * 10 ** digitsOfPhone + Number(digits);
}

/** The hash of a canonical domain, for leads with an address in it. */
export function domainKey(owner: number, domain: string): number {
  return hashOf(`${owner}\nd\n${domain}`);
}

/** The hash of a `companyKey`. */
export function companyKeyHash(owner: number, company: string): number {
  return hashOf(`${owner}\nc\n${company}`);
}

/** 53 bits, which fit a number exactly. Stored, so the hash function must never change. */
function hashOf(text: string): number {
  return Number(Bun.hash.xxHash64(text) >> 11n);
}

// SQLite folds the case of ASCII letters only, so the text that searches read is folded here and stored. Each field ends
// with a different control character; texts of leads contain none.
const endOf = { name: "\u0001", email: "\u0002", company: "\u0003", title: "\u0004", source: "\u0005" } as const;

/** The column `folded` of a lead. */
export function foldedLead({ firstName, lastName, email, company, title, source }: LeadContent): string {
  const name = firstName !== null && lastName !== null ? `${firstName} ${lastName}` : (firstName ?? lastName ?? "");
  const who = name + endOf.name + (email ?? "") + endOf.email;
  const what = (company ?? "") + endOf.company + (title ?? "") + endOf.title + (source ?? "") + endOf.source;
  return (who + what).toLowerCase();
}

/** Part of `folded` if and only if this is the email address. */
export function foldedEmail(email: string): string {
  return endOf.name + foldedText(email) + endOf.email;
}

/** Part of `folded` if and only if this is the company. */
export function foldedCompany(company: string): string {
  return endOf.email + foldedText(company) + endOf.company;
}

/** Part of `folded` if and only if this is the source. */
export function foldedSource(source: string): string {
  return endOf.title + foldedText(source) + endOf.source;
}

export function foldedText(text: string): string {
  return text.replace(/\p{Cc}/gu, "").toLowerCase();
}

const noTags: ReadonlySet<string> = new Set();

/** Searches for tags ignore case. */
export function foldedTags({ tags }: Pick<LeadContent, "tags">): ReadonlySet<string> {
  return tags.length === 0 ? noTags : new Set(tags.map((tag) => tag.toLowerCase()));
}
