import { parsePhoneNumberFromString, type CountryCode } from "libphonenumber-js/min";

/** ISO 3166-1 alpha-2, in capitals. */
export type PhoneRegion = CountryCode;

/** Longer texts are no phone numbers, and reading them would take time. */
const maxLength = 50;

/**
 * The number as E.164 writes it, without its extension: "+442079460018". A number without "+" is read as one of
 * `region`. Null when it is none, or when it has no country code and there is no region.
 */
export function phoneNumber(text: string, region: PhoneRegion | null): string | null {
  if (text.length > maxLength) return null;
  return parsePhoneNumberFromString(text, region ?? undefined)?.number ?? null;
}
