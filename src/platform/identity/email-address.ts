/** One @, no spaces, a dot in the domain. Whether an address can be delivered to is not for a pattern to say. */
export const emailPattern = /^[^\s@<>",;:()[\]\\]+@[^\s@.<>",;:()[\]\\]+(\.[^\s@.<>",;:()[\]\\]+)+$/;

/** Whether a text has the form of an e-mail address. */
export function isEmailAddress(text: string): boolean {
  return emailPattern.test(text);
}

/** RFC 5321, section 4.5.3.1.3: a path has at most 256 characters, two of which are its brackets. */
const maxAddressLength = 254;

/** The address in what a provider writes: "mailto:kim@d.com", "Kim Dee <kim@d.com>". Null for what is none: "N/A". */
export function addressIn(text: string): string | null {
  const bracketed = /<([^<>]*)>\s*$/.exec(text)?.[1] ?? text;
  const address = bracketed
    .trim()
    .replace(/^mailto:\s*([^?]*).*$/i, "$1")
    .trim();
  return address.length <= maxAddressLength && isEmailAddress(address) ? address : null;
}
