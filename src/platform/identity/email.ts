import { canonicalDomain, displayDomain } from "./domain.ts";

/** One @, no spaces, and a dot in the domain. Whether mail can be delivered is not for a pattern to decide. */
export const emailPattern = /^[^\s@<>",;:()[\]\\]+@[^\s@.<>",;:()[\]\\]+(\.[^\s@.<>",;:()[\]\\]+)+$/;

/** Whether text has the form of an email address. */
export function isEmailAddress(text: string): boolean {
  return emailPattern.test(text);
}

const isAscii = /^[ -~]*$/;

/**
 * The form in which email addresses are compared and stored as keys: lower case, with the canonical domain.
 * "Ada@Bücher.example" is "ada@xn--bcher-kva.example".
 */
export function canonicalEmail(address: string): string {
  const email = address.toLowerCase();
  if (isAscii.test(email)) return email;
  const at = email.lastIndexOf("@");
  if (at === -1) return email;
  return `${email.slice(0, at).normalize("NFC")}@${canonicalDomain(email.slice(at + 1))}`;
}

/** A canonical address as people read it: "ada@bücher.example". */
export function displayEmail(email: string): string {
  const domain = email.lastIndexOf("@") + 1;
  return email.slice(0, domain) + displayDomain(email.slice(domain));
}

/** RFC 5321, section 4.5.3.1.3: a path has at most 256 characters, including its two brackets. */
const maxAddressLength = 254;

/** The address in text such as "mailto:kim@d.com" or "Kim Dee <kim@d.com>"; null if there is none, as in "N/A". */
export function extractEmailAddress(text: string): string | null {
  const bracketed = /<([^<>]*)>\s*$/.exec(text)?.[1] ?? text;
  const address = bracketed
    .trim()
    .replace(/^mailto:\s*([^?]*).*$/i, "$1")
    .trim();
  return address.length <= maxAddressLength && isEmailAddress(address) ? address : null;
}
