import { asciiDomain } from "./email.ts";
import { isFreeMail } from "./email-domain.ts";
import { suffixLibrary } from "./lazy-packages.ts";

/** The longest name that the DNS takes, as text (RFC 1035, section 2.3.4). */
const maxLength = 253;
const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * The domain of an entry as it is compared: in lower case, as the DNS knows it, without "@" or "*." in front. Or what
 * speaks against it, such as that it is a whole registry.
 */
export function domainForm(text: string): { domain: string } | { problem: string } {
  const domain = asciiDomain(text.replace(/^@?(\*\.)?/, "").replace(/\.$/, ""));
  const labels = domain.split(".");
  if (domain.length > maxLength || !labels.every((part) => label.test(part)) || /^\d+$/.test(labels.at(-1) ?? ""))
    return { problem: "is not the name of a domain. Write it like @example.com." };
  if (isPublicSuffix(domain))
    return { problem: "is not one company's domain but a whole registry. Name the domains under it one by one." };
  return { domain };
}

/** What an owner of many unlike addresses should be told of. Null for a domain that is one company's. */
export function domainWarning(domain: string): string | null {
  return isFreeMail(domain) ? `${domain} gives everybody addresses: this stops all of them.` : null;
}

/** True for what anybody can register names under: com, co.uk (publicsuffix.org, the section of the registries). */
function isPublicSuffix(domain: string): boolean {
  return suffixLibrary().parse(domain).domain === null;
}
