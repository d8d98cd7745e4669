import type { CountryCode, PhoneNumber } from "libphonenumber-js/min";
import { phoneLibrary } from "./lazy-packages.ts";
import { plainNumber } from "./plain-number.ts";

/** ISO 3166-1 alpha-2, in upper case. */
export type PhoneRegion = CountryCode;

/** Longer text is not a phone number, and parsing it would be slow. */
const maxLength = 50;

/**
 * The form in which phone numbers are compared: E.164 without the extension, as in "+442079460018". A number without "+"
 * belongs to `region`. Null for text that is not a phone number, and for a number without country code or region.
 */
export function phoneNumber(text: string, region: PhoneRegion | null): string | null {
  return plainNumber(text) ?? parsed(text, region)?.number ?? null;
}

/** Like `phoneNumber`, but also null for a number that is too short or too long for its country. */
export function possiblePhoneNumber(text: string, region: PhoneRegion | null): string | null {
  const number = parsed(text, region);
  return number?.isPossible() ? number.number : null;
}

/** Whether the numbering plan of this region is known. */
export function isPhoneRegion(text: string): text is PhoneRegion {
  return phoneLibrary().isSupportedCountry(text);
}

function parsed(text: string, region: PhoneRegion | null): PhoneNumber | null {
  if (text.length > maxLength) return null;
  return phoneLibrary().parsePhoneNumberFromString(text, region ?? undefined) ?? null;
}
