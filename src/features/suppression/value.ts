import { singleLine } from "../../platform/base/text.ts";
import { canonicalDomain, isDomainName, isRegistrySuffix } from "../../platform/identity/domain.ts";
import { canonicalEmail, emailPattern } from "../../platform/identity/email.ts";
import { personTextLimits } from "../../platform/identity/person-fields.ts";
import { canonicalProfileUrl } from "../../platform/identity/profile-url.ts";
import { isFreeMail } from "../../platform/identity/email-domain.ts";
import { readHashText, suppressionKey } from "./key.ts";
import type { SuppressionKind } from "./model.ts";
import { possiblePhoneNumber, type PhoneRegion } from "../../platform/identity/phone.ts";

/** A parsed entry. `value` is the normal form; null if only a hash was given. */
export type ReadValue = { kind: SuppressionKind; key: Uint8Array; value: string | null; warning: string | null };

/**
 * Parses an entry, detecting its kind from the text: an email address, a domain (example.com, @example.com), a profile
 * URL, a phone number, or a hash of one of them (`hashText`). Returns the problem as a sentence if it is invalid.
 */
export function readValue(written: string, region: PhoneRegion | null): ReadValue | { problem: string } {
  const text = singleLine(written);
  if (text === "") return { problem: `The value is empty. ${choices}` };
  if (/^sha256:/i.test(text)) return readHash(text);
  if (looksLikeUrl.test(text)) return readProfile(text);
  if (looksLikeDomain.test(text)) return readDomain(text);
  if (text.includes("@")) return readEmail(text);
  return looksLikePhone.test(text)
    ? readPhone(text, region)
    : { problem: `"${shown(text)}" is not a valid entry. ${choices}` };
}

const choices =
  "Expected an email address, a domain such as @example.com, a profile URL, or a phone number such as +442079460018.";

const looksLikeUrl = /^[a-z][a-z0-9+.-]*:\/\/|^[^/@\s]+\.[^/@\s]+\//i;
/** Prefixed with "@", or a bare name with a plausible ending. "1.2.3" is more likely a number. */
const looksLikeDomain = /^@|^[^\s@/:]+\.[^\s@/:.]*[^\s@/:.\d][^\s@/:.]*\.?$/;
const looksLikePhone = /^(tel:)?[+(\d][\d\s()./+-]*(\s*(x|ext\.?)\s*\d+)?$/i;

function readHash(text: string): ReadValue | { problem: string } {
  const hash = readHashText(text.toLowerCase());
  if (hash !== null) return { ...hash, value: null, warning: null };
  const form = "sha256:, the kind (email, domain, profile, or phone), a colon, and 32 or 64 hex digits";
  return { problem: `"${shown(text)}" is not a valid hash. Expected ${form}.` };
}

function readProfile(text: string): ReadValue | { problem: string } {
  const url = canonicalProfileUrl(text);
  if (url !== null && url.length <= personTextLimits.networkUrl) return plain("profile", url);
  return { problem: `"${shown(text)}" is not a profile URL. To block a whole company, enter @ and its domain.` };
}

function readDomain(text: string): ReadValue | { problem: string } {
  const domain = canonicalDomain(text.replace(/^@?(\*\.)?/, ""));
  if (!isDomainName(domain))
    return { problem: `"${shown(text)}" is not a valid domain. Use a form such as @example.com.` };
  if (isRegistrySuffix(domain))
    return {
      problem: `"${shown(text)}" is a registry suffix, not the domain of a company. Add the domains under it individually.`,
    };
  const warning = isFreeMail(domain)
    ? `${domain} is a public email provider. This entry blocks all of its addresses.`
    : null;
  return { ...plain("domain", domain), warning };
}

function readEmail(text: string): ReadValue | { problem: string } {
  if (emailPattern.test(text) && text.length <= personTextLimits.email) return plain("email", canonicalEmail(text));
  return { problem: `"${shown(text)}" is not an email address.` };
}

function readPhone(text: string, region: PhoneRegion | null): ReadValue | { problem: string } {
  const number = possiblePhoneNumber(text.replace(/^tel:/i, ""), region);
  if (number !== null) return plain("phone", number);
  const hint =
    region === null ? "Include + and the country code." : `Outside ${region}, include + and the country code.`;
  return { problem: `"${shown(text)}" is not a complete phone number. ${hint}` };
}

function plain(kind: SuppressionKind, value: string): ReadValue {
  return { kind, key: suppressionKey(kind, value), value, warning: null };
}

function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
