import { companyKey } from "./company-key.ts";

/** What two spellings of a name can differ in besides case. Most names have none of it, which saves time. */
const irregular = /[^\n -~]| {2}/;

/** The form in which a first or last name is compared: lower case, composed accents, single spaces. */
export function canonicalName(name: string): string {
  return (irregular.test(name) ? name.normalize("NFC").replace(/\s+/g, " ") : name).toLowerCase();
}

/**
 * The key of a person who is known only by name and company: both names and the `companyKey`, separated by line breaks,
 * which none of them contains.
 */
export function personNameKey(firstName: string, lastName: string, company: string): string {
  const names = `${firstName}\n${lastName}`;
  const canonical = irregular.test(names)
    ? `${canonicalName(firstName)}\n${canonicalName(lastName)}`
    : names.toLowerCase();
  return `${canonical}\n${companyKey(company)}`;
}
