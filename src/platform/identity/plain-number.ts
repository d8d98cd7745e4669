import type { CountryCode, NumberingPlan } from "libphonenumber-js/min";
import { phoneLibrary } from "./lazy-packages.ts";

/**
 * Reads a number as the library does, in a tenth of the time, if it is written with "+" and a country code, as in most
 * imports. Its digits are the number, unless the first of them could be a national prefix (the 0 in +44 020 …) or a
 * carrier code, which the library would drop. Null if only the library can decide.
 */
export function plainNumber(text: string): string | null {
  if (!plain.test(text)) return null;
  const digits = text.replace(/[^\d]/g, "");
  const calling = callingCodeOf(digits);
  if (calling === null) return null;
  const national = digits.slice(calling.length);
  // The library accepts national numbers of 2 to 17 digits; short ones are rare enough to leave to it.
  if (national.length < 5 || national.length > 15) return null;
  return prefixOf(calling).test(national) ? null : `+${digits}`;
}

/** Text in which only the digits have a meaning. */
const plain = /^\+[1-9][\d .-]*\d$/;

let callingCodes: ReadonlySet<string> | null = null;

/** The calling code that the digits start with. No code is a prefix of another. */
function callingCodeOf(digits: string): string | null {
  const { getCountries, getCountryCallingCode } = phoneLibrary();
  callingCodes ??= new Set(getCountries().map((country) => getCountryCallingCode(country)));
  for (let length = 1; length <= 3; length++)
    if (callingCodes.has(digits.slice(0, length))) return digits.slice(0, length);
  return null;
}

const prefixes = new Map<string, RegExp>();

/** Matches national numbers from which the library might drop digits. */
function prefixOf(calling: string): RegExp {
  let prefix = prefixes.get(calling);
  if (prefix === undefined) prefixes.set(calling, (prefix = new RegExp(`^(?:${prefixPattern(calling)})`)));
  return prefix;
}

/** From the library's tables (METADATA.md, `national_prefix_for_parsing`). */
function prefixPattern(calling: string): string {
  const { Metadata } = phoneLibrary();
  const metadata = new Metadata();
  metadata.selectNumberingPlan(asCountry(calling));
  const plan: (NumberingPlan & WithPrefix) | undefined = metadata.numberingPlan;
  // An empty pattern matches every number, so the library decides; "(?!)" matches none.
  if (typeof plan?.nationalPrefixForParsing !== "function") return "";
  return plan.nationalPrefixForParsing() || "(?!)";
}

/** The method is documented but missing from the package's types. */
type WithPrefix = { nationalPrefixForParsing?: () => string | undefined };

/** The package also accepts a calling code, but its types do not. */
function asCountry(calling: string): CountryCode {
  return calling as unknown as CountryCode;
}
