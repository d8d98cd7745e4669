import { registeredDomain } from "../../platform/identity/domain.ts";
import { businessDomain } from "../../platform/identity/email-domain.ts";
import { leadIdentity } from "../leads/identity.ts";
import type { LeadIdentity } from "../leads/model.ts";
import { companyKey, personNameKey } from "../../platform/identity/names.ts";
import { canonicalEmail } from "../../platform/identity/email.ts";
import type { ProspectContent } from "./model.ts";

/** Identifies a prospect and its company, the latter by `companyKey` and canonical domain. */
export type ProspectIdentity = LeadIdentity & { company: string | null; domain: string | null };

export function prospectIdentity(
  content: Pick<ProspectContent, "firstName" | "lastName" | "email" | "networkUrl" | "company" | "domain">,
): ProspectIdentity {
  const { firstName = null, lastName = null, email = null, networkUrl = null, company = null, domain = null } = content;
  const person = leadIdentity({ firstName, lastName, email, networkUrl, company });
  // A person known to have no last name, such as "Suharto", is identified by the first name.
  const hasOneName = lastName === "" && firstName !== null && company !== null && person.name === null;
  return {
    ...person,
    name: hasOneName ? personNameKey(firstName, "", company) : person.name,
    company: company === null ? null : companyKey(company),
    domain: domain ?? (person.email === null ? null : businessDomain(person.email)),
  };
}

/**
 * Hashes that identify a prospect in the directory. They have 53 bits, of which the last one distinguishes companies
 * (odd) from people (even). The index stores them on disk: increment `termRules` with every change.
 */
export function prospectKeys(identity: ProspectIdentity): number[] {
  const keys = personKeys(identity);
  if (identity.company !== null) keys.push(keyOf(keyKinds.company + identity.company));
  if (identity.domain !== null) keys.push(companyDomainKey(identity.domain));
  return keys;
}

/** `prospectKeys` of a record, followed by the keys of former addresses. */
export function keysOfRecord(content: ProspectContent, identity = prospectIdentity(content)): number[] {
  const keys = prospectKeys(identity);
  if (content.formerEmails !== undefined)
    keys.push(...content.formerEmails.map((email) => emailKey(canonicalEmail(email))));
  return keys;
}

/** Keys of the changed record that it did not have before. */
export function addedKeys(before: ProspectContent, after: ProspectContent): number[] {
  const haveSame = identifying.every((field) => before[field] === after[field]);
  if (haveSame && String(before.formerEmails) === String(after.formerEmails)) return []; // the most common case
  const known = new Set(keysOfRecord(before));
  return keysOfRecord(after).filter((key) => !known.has(key));
}

const identifying = ["firstName", "lastName", "email", "networkUrl", "company", "domain"] as const;

/** The keys among `prospectKeys` that identify a person, strongest first. */
export function personKeys({ email, network, name }: LeadIdentity): number[] {
  const keys: number[] = [];
  if (email !== null) keys.push(emailKey(email));
  if (network !== null) keys.push(networkKey(network));
  if (name !== null) keys.push(nameKey(name));
  return keys;
}

/** Identifiers of a person besides the name, as a bit set: email and profile. */
export function besideName(hasEmail: boolean, hasProfile: boolean): number {
  return (hasEmail ? 1 : 0) | (hasProfile ? 2 : 0);
}

export function besideNameOf({ email, network }: Pick<LeadIdentity, "email" | "network">): number {
  return besideName(email !== null, network !== null);
}

export function emailKey(email: string): number {
  return keyOf(keyKinds.email + email);
}

export function networkKey(network: string): number {
  return keyOf(keyKinds.network + network);
}

export function nameKey(name: string): number {
  return keyOf(keyKinds.name + name);
}

export function companyNameKey(company: string): number {
  return keyOf(keyKinds.company + companyKey(company));
}

/** The same key for all hosts of a registered domain, so that people on subdomains are found with the company. */
export function companyDomainKey(domain: string): number {
  return keyOf(keyKinds.domain + registeredDomain(domain));
}

export function isPersonKey(key: number): boolean {
  return key % 2 === 0;
}

/** Prefix of the text of a key, by kind. */
export const keyKinds = { email: "e", network: "p", name: "n", company: "c", domain: "d" } as const;

/** The key of text with its kind as prefix, as a string or in UTF-8. */
export function keyOf(text: string | Uint8Array): number {
  hash[0] = Bun.hash.xxHash64(text);
  const kind = typeof text === "string" ? text.charCodeAt(0) : text[0]!;
  return (halves[1]! * 2 ** 20 + (halves[0]! >>> 12)) * 2 + (kind === companyKind || kind === domainKind ? 1 : 0);
}

const companyKind = keyKinds.company.charCodeAt(0);
const domainKind = keyKinds.domain.charCodeAt(0);

/** A hash and its halves, lower half first, because BigInt arithmetic takes as long as the hashing. */
const hash = new BigUint64Array(1);
const halves = new Uint32Array(hash.buffer);
