import { canonicalEmail } from "../../platform/identity/email.ts";
import { canonicalProfileUrl } from "../../platform/identity/profile-url.ts";
import { canLink, identifierName, type Identifier } from "../suppression/person-identifiers.ts";
import { emailKey, networkKey } from "./keys.ts";
import type { ProspectContent } from "./model.ts";

/** More records than one person has; bounds the time for an identifier that many people share. */
export const maxRecordsOfIdentifier = 24;

/** The key under which a directory stores records with this identifier; null if records with it link nobody. */
export function directoryKeyOf(identifier: Identifier): number | null {
  // The phone number in a directory is often that of the company.
  if (identifier.kind === "phone" || !canLink(identifier)) return null;
  return identifier.kind === "profile" ? networkKey(identifier.value) : emailKey(identifier.value);
}

/** The identifiers of a record that may have this one; none if it doesn't have it, because a key is only a hint. */
export function identifiersInRecord(
  { email, networkUrl, formerEmails = [] }: Pick<ProspectContent, "email" | "networkUrl" | "formerEmails">,
  identifier: Identifier,
): Identifier[] {
  const profile = networkUrl === undefined ? null : canonicalProfileUrl(networkUrl);
  const record: Identifier[] = [
    ...(email === undefined ? [] : [{ kind: "email", value: canonicalEmail(email) } as const]),
    ...(profile === null ? [] : [{ kind: "profile", value: profile } as const]),
    ...formerEmails.map((former) => ({ kind: "formerEmail", value: canonicalEmail(former) }) as const),
  ];
  const name = identifierName(identifier);
  return record.some((each) => identifierName(each) === name) ? record : [];
}
