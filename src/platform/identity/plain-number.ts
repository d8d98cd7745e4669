import type { CountryCode, NumberingPlan } from "libphonenumber-js/min";
import { phoneLibrary } from "./lazy-packages.ts";

/**
 * As the library reads a number, for most of those that are written with "+" and country code, at a tenth of the time:
 * most rows of an import have one. In these the digits are the number already, unless the first of them could be a
 * national prefix (the 0 in +44 020 …) or a carrier's, which the library would take away. Null: ask the library.
 */
export function plainNumber(text: string): string | null {
  if (!plain.test(text)) return null;
  const digits = text.replace(/[^\d]/g, "");
  const calling = callingCodeOf(digits);
  if (calling === null) return null;
  const national = digits.slice(calling.length);
  // The library takes national numbers of 2 to 17 digits; the shorter ones are rare enough to leave to it.
  if (national.length < 5 || national.length > 15) return null;
  return prefixOf(calling).test(national) ? null : `+${digits}`;
}

/** With nothing in it that has a meaning beside the digits. */
const plain = /^\+[1-9][\d .-]*\d$/;

let callingCodes: ReadonlySet<string> | null = null;

/** The calling code that the digits begin with; no code is the beginning of another. */
function callingCodeOf(digits: string): string | null {
  const { getCountries, getCountryCallingCode } = phoneLibrary();
  callingCodes ??= new Set(getCountries().map((country) => getCountryCallingCode(country)));
  for (let length = 1; length <= 3; length++)
    if (callingCodes.has(digits.slice(0, length))) return digits.slice(0, length);
  return null;
}

const prefixes = new Map<string, RegExp>();

/** Matches national numbers of which the library might take something away. */
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
  // An empty pattern matches everything, so that the library is asked; one that can't match never asks it.
  if (typeof plan?.nationalPrefixForParsing !== "function") return "";
  return plan.nationalPrefixForParsing() || "(?!)";
}

/** The method is there, and documented, but not in the package's types. */
type WithPrefix = { nationalPrefixForParsing?: () => string | undefined };

/** A calling code will do as well; the package's types leave that out. */
function asCountry(calling: string): CountryCode {
  return calling as unknown as CountryCode;
}
