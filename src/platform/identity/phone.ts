import type { CountryCode, PhoneNumber } from "libphonenumber-js/min";
import { phoneLibrary } from "./lazy-packages.ts";
import { plainNumber } from "./plain-number.ts";

/** ISO 3166-1 alpha-2, in capitals. */
export type PhoneRegion = CountryCode;

/** Longer texts are no phone numbers, and reading them would take time. */
const maxLength = 50;

/**
 * The number as E.164 writes it, without its extension: "+442079460018". A number without "+" is read as one of
 * `region`. Null when it is none, or when it has no country code and there is no region.
 */
export function phoneNumber(text: string, region: PhoneRegion | null): string | null {
  return plainNumber(text) ?? parsed(text, region)?.number ?? null;
}

/** As `phoneNumber`; null also for a number that is too short or too long for its country. */
export function possiblePhoneNumber(text: string, region: PhoneRegion | null): string | null {
  const number = parsed(text, region);
  return number?.isPossible() ? number.number : null;
}

/** Whether phone numbers of this region are known. */
export function isPhoneRegion(text: string): text is PhoneRegion {
  return phoneLibrary().isSupportedCountry(text);
}

function parsed(text: string, region: PhoneRegion | null): PhoneNumber | null {
  if (text.length > maxLength) return null;
  return phoneLibrary().parsePhoneNumberFromString(text, region ?? undefined) ?? null;
}
