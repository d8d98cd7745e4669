import { singleLine } from "../../platform/base/clean-text.ts";
import { canonicalDomain, isDomainName, isRegistrySuffix } from "../../platform/identity/domain.ts";
import { canonicalEmail, emailPattern } from "../../platform/identity/email.ts";
import { personTextLimits } from "../../platform/identity/person-fields.ts";
import { canonicalProfileUrl } from "../../platform/identity/profile-url.ts";
import { isFreeMail } from "../../platform/identity/email-domain.ts";
import { readHashText, suppressionKey } from "./key.ts";
import type { SuppressionKind } from "./model.ts";
import { possiblePhoneNumber, type PhoneRegion } from "../../platform/identity/phone.ts";

/** What somebody wrote as an entry, understood. `value` is the normal form, null where only a hash was given. */
export type ReadValue = { kind: SuppressionKind; key: Uint8Array; value: string | null; warning: string | null };

/**
 * Understands an entry by the way it is written: an e-mail address, a domain (example.com, @example.com), the URL of a
 * profile, a phone number, or the hash of one of them (`hashText`). Or tells what speaks against it, as a sentence.
 */
export function readValue(written: string, region: PhoneRegion | null): ReadValue | { problem: string } {
  const text = singleLine(written);
  if (text === "") return { problem: `The value is empty. ${choices}` };
  if (/^sha256:/i.test(text)) return readHash(text);
  if (looksLikeUrl.test(text)) return readProfile(text);
  if (looksLikeDomain.test(text)) return readDomain(text);
  if (text.includes("@")) return readEmail(text);
  return looksLikePhone.test(text) ? readPhone(text, region) : { problem: `"${shown(text)}" is no entry. ${choices}` };
}

const choices =
  "Expected an e-mail address, a domain such as @example.com, the URL of a profile, or a phone number such as +442079460018.";

const looksLikeUrl = /^[a-z][a-z0-9+.-]*:\/\/|^[^/@\s]+\.[^/@\s]+\//i;
/** With "@" in front, or a bare name that ends like one; "1.2.3" is rather a number. */
const looksLikeDomain = /^@|^[^\s@/:]+\.[^\s@/:.]*[^\s@/:.\d][^\s@/:.]*\.?$/;
const looksLikePhone = /^(tel:)?[+(\d][\d\s()./+-]*(\s*(x|ext\.?)\s*\d+)?$/i;

function readHash(text: string): ReadValue | { problem: string } {
  const hash = readHashText(text.toLowerCase());
  if (hash !== null) return { ...hash, value: null, warning: null };
  const form = "sha256:, its kind (email, domain, profile or phone), a colon, and 32 or 64 hex digits";
  return { problem: `"${shown(text)}" is not a hash of an entry. Expected ${form}.` };
}

function readProfile(text: string): ReadValue | { problem: string } {
  const url = canonicalProfileUrl(text);
  if (url !== null && url.length <= personTextLimits.networkUrl) return plain("profile", url);
  return { problem: `"${shown(text)}" is not the URL of a profile. To stop a whole company, write @ and its domain.` };
}

function readDomain(text: string): ReadValue | { problem: string } {
  const domain = canonicalDomain(text.replace(/^@?(\*\.)?/, ""));
  if (!isDomainName(domain))
    return { problem: `"${shown(text)}" is not the name of a domain. Write it like @example.com.` };
  if (isRegistrySuffix(domain))
    return {
      problem: `"${shown(text)}" is not one company's domain but a whole registry. Name the domains under it one by one.`,
    };
  const warning = isFreeMail(domain) ? `${domain} gives everybody addresses: this stops all of them.` : null;
  return { ...plain("domain", domain), warning };
}

function readEmail(text: string): ReadValue | { problem: string } {
  if (emailPattern.test(text) && text.length <= personTextLimits.email) return plain("email", canonicalEmail(text));
  return { problem: `"${shown(text)}" is not an e-mail address.` };
}

function readPhone(text: string, region: PhoneRegion | null): ReadValue | { problem: string } {
  const number = possiblePhoneNumber(text.replace(/^tel:/i, ""), region);
  if (number !== null) return plain("phone", number);
  const way =
    region === null ? "Write it with + and the country code." : `Outside ${region}, write + and the country code.`;
  return { problem: `"${shown(text)}" is not a complete phone number. ${way}` };
}

function plain(kind: SuppressionKind, value: string): ReadValue {
  return { kind, key: suppressionKey(kind, value), value, warning: null };
}

function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
