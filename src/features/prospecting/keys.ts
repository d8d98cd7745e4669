import { businessDomain, registeredDomain } from "../../platform/identity/email-domain.ts";
import { leadIdentity, regularNamePart } from "../leads/identity.ts";
import type { LeadIdentity } from "../leads/model.ts";
import { folded } from "../../platform/identity/folded.ts";
import { remembered } from "../../platform/base/remembered.ts";
import type { ProspectContent } from "./model.ts";

/** What a prospect is found by: what tells persons apart, and its company. `name`: see `prospectName`. */
export type ProspectIdentity = LeadIdentity & { company: string | null; domain: string | null };

export function prospectIdentity(
  content: Pick<ProspectContent, "firstName" | "lastName" | "email" | "networkUrl" | "company" | "domain">,
): ProspectIdentity {
  const { firstName = null, lastName = null, email = null, networkUrl = null, company = null, domain = null } = content;
  const person = leadIdentity({ firstName, lastName, email, networkUrl, company });
  // Who is known to have no last name is told by the first, as "Suharto" is.
  const hasOneName = lastName === "" && firstName !== null && company !== null && person.name === null;
  const name = hasOneName ? [regularNamePart(firstName), "", regularNamePart(company)].join("\n") : person.name;
  return {
    ...person,
    name: prospectName({ name }),
    company: company === null ? null : knownCompanyKey(company),
    domain: domain ?? (person.email === null ? null : businessDomain(person.email)),
  };
}

/**
 * First name, last name and company, of which the legal form says nothing: Ka Li of "Acme, Inc." is Ka Li of "ACME". Of
 * an identity as leads have it, whose company is a plain name.
 */
export function prospectName({ name }: Pick<LeadIdentity, "name">): string | null {
  if (name === null) return null;
  const company = name.lastIndexOf("\n") + 1;
  return name.slice(0, company) + knownCompanyKey(name.slice(company));
}

/**
 * A company's name without what vendors write or leave out: its legal form, the article before it, and the sign or word
 * between two names: "Acme, Inc." and "ACME" are one, and so are "The Boring Company" and "Boring Co.", "AT&T" and "AT and
 * T", "トヨタ自動車株式会社" and "トヨタ自動車". A name made of signs alone goes by these.
 */
export function companyKey(name: string): string {
  const text = folded(name) || name.trim().toLowerCase();
  const named = inAscii.test(text) ? text : text.replace(formInFront, "").replace(formBehind, "");
  const words = named.replace(article, "").replace(link, "");
  if (!droppedWords.has(words.slice(words.lastIndexOf(" ") + 1))) return words;
  return words.replace(legalForm, "") || words;
}

const knownCompanyKey = remembered(companyKey);

/** Behind a name in Latin letters. */
const legalForms =
  "inc|incorporated|llc|llp|lllp|lp|pllc|ltd|limited|private limited|plc|corp|corporation|co|company|" +
  "gmbh|mbh|gesellschaft mbh|ag|se|kg|kgaa|ug|ohg|eg|sarl|sas|sasu|eurl|snc|sa|sa de cv|spa|srl|srls|sl|slu|ltda|lda|" +
  "bv|bvba|nv|ab|abp|as|asa|aps|oy|oyj|sro|doo|kft|zrt|nyrt|pty|pvt|pte|sdn bhd|bhd|kk|kabushiki kaisha|godo kaisha";
/** The same with dots, which are blanks in a folded text, and "A/S". */
const spelledForms =
  "l l c|l l p|l p|p l c|a g|s a|s a s|s a r l|s a de c v|s n c|s p a|s r l|s l|s l u|b v|n v|a b|a s|s r o|d o o|sp z o o|k k";
// "S.A.S." is a name where nothing stands before it.
const legalForm = new RegExp(`(?: (?:${legalForms})|(?<!^.) (?:${spelledForms}))+$`);

/** In front of a name or behind it, with a blank between or none, longer ones before those that they end in. */
const eastAsianForms =
  "株式会社|有限会社|合同会社|合資会社|合名会社|股份有限公司|有限责任公司|有限責任公司|有限公司|" +
  "주식회사|유한책임회사|유한회사|합자회사|합명회사";
/** Words of their own: what stands in brackets or one sign, (株), ㈜; and what Russian names begin with. */
const shortForms = "株|有|주|유|ооо|оао|зао|пао|ао";
const long = eastAsianForms.split("|").map(folded).join("|");
const short = shortForms.split("|").map(folded).join("|");
const formInFront = new RegExp(`^(?:(?:${long}) ?|(?:${short}) )(?=.)`);
const formBehind = new RegExp(`(?<=.)(?: ?(?:${long})| (?:${short}))$`);
const inAscii = /^[ -~]*$/;

// An ampersand is a blank in a folded text, so these words are left out, too. Not those that are a name of their own
// elsewhere: "La", "Die", "y", "e".
const links = ["and", "und", "et"];
const link = new RegExp(` (${links.join("|")})(?= )`, "g");
const article = /^the (?=.)|(?<=.) the$/;
/** What `companyKey` may leave out. */
export const droppedWords: ReadonlySet<string> = new Set([
  "the",
  ...links,
  ...`${legalForms}|${spelledForms}`.split("|").map((form) => form.slice(form.lastIndexOf(" ") + 1)),
]);

/**
 * The hashes that the directory knows a prospect by; 53 bits, of which the last tells those of companies (odd) from
 * those of persons (even). The index has them on disk: raise `termRules` with every change.
 */
export function prospectKeys(identity: ProspectIdentity): number[] {
  const keys = personKeys(identity);
  if (identity.company !== null) keys.push(keyOf(keyKinds.company + identity.company));
  if (identity.domain !== null) keys.push(companyDomainKey(identity.domain));
  return keys;
}

/** `prospectKeys` of a record, and behind them those of addresses that the person had before. */
export function keysOfRecord(content: ProspectContent, identity = prospectIdentity(content)): number[] {
  const keys = prospectKeys(identity);
  if (content.formerEmails !== undefined) keys.push(...content.formerEmails.map(emailKey));
  return keys;
}

/** Those of `keysOfRecord` that a record did not have before. */
export function addedKeys(before: ProspectContent, after: ProspectContent): number[] {
  const haveSame = identifying.every((field) => before[field] === after[field]);
  if (haveSame && String(before.formerEmails) === String(after.formerEmails)) return []; // what most changes are
  const known = new Set(keysOfRecord(before));
  return keysOfRecord(after).filter((key) => !known.has(key));
}

const identifying = ["firstName", "lastName", "email", "networkUrl", "company", "domain"] as const;

/** Those of `prospectKeys` that a person is found by, the strongest first. */
export function personKeys({ email, network, name }: LeadIdentity): number[] {
  const keys: number[] = [];
  if (email !== null) keys.push(emailKey(email));
  if (network !== null) keys.push(networkKey(network));
  if (name !== null) keys.push(nameKey(name));
  return keys;
}

/** What a person can be told by beside the name: nothing, an e-mail, a profile, or both; a set of bits. */
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
  return keyOf(keyKinds.company + knownCompanyKey(company));
}

/** The same for all hosts of a registered domain, so that a company is asked for the people on its subdomains, too. */
export function companyDomainKey(domain: string): number {
  return keyOf(keyKinds.domain + registeredDomain(domain));
}

export function isPersonKey(key: number): boolean {
  return key % 2 === 0;
}

/** What the text of a key begins with. */
export const keyKinds = { email: "e", network: "p", name: "n", company: "c", domain: "d" } as const;

/** The key of a text with its kind in front, as a string or in UTF-8. */
export function keyOf(text: string | Uint8Array): number {
  hash[0] = Bun.hash.xxHash64(text);
  const kind = typeof text === "string" ? text.charCodeAt(0) : text[0]!;
  return (halves[1]! * 2 ** 20 + (halves[0]! >>> 12)) * 2 + (kind === companyKind || kind === domainKind ? 1 : 0);
}

const companyKind = keyKinds.company.charCodeAt(0);
const domainKind = keyKinds.domain.charCodeAt(0);

/** A hash and its halves, the lower first: arithmetic with big integers takes as long as the hashing. */
const hash = new BigUint64Array(1);
const halves = new Uint32Array(hash.buffer);
