import { canonicalEmail } from "../../platform/identity/email.ts";
import { phoneNumber, type PhoneRegion } from "../../platform/identity/phone.ts";
import { leadIdentity, leadKeysOf } from "../leads/identity.ts";
import type { LeadContent, LeadIdentity } from "../leads/model.ts";
import { personKeys, prospectIdentity } from "../prospecting/keys.ts";
import type { ProspectContent } from "../prospecting/model.ts";
import { suppressionKey } from "../suppression/key.ts";
import type { Addresses } from "./identify.ts";
import type { PersonIdentity } from "./model.ts";

/** Keys of the leads of a user that may have one of these addresses. `owner`: number of the user. */
export function leadKeysOfPerson(owner: number, addresses: Addresses): number[] {
  return identitiesOf(addresses).flatMap((identity) => leadKeysOf(owner, identity).strong);
}

/** Keys of the directory entries that may have one of these addresses. */
export function prospectKeysOfPerson(addresses: Addresses): number[] {
  return identitiesOf(addresses).flatMap(personKeys);
}

export function isLeadOfPerson(
  lead: Pick<LeadContent, "email" | "networkUrl" | "firstName" | "lastName" | "company">,
  addresses: Addresses,
): boolean {
  return hasAddress(leadIdentity(lead), addresses);
}

/** By the addresses that the entry has, and those of earlier jobs. */
export function isProspectOfPerson(content: ProspectContent, addresses: Addresses): boolean {
  const { formerEmails = [] } = content;
  return (
    hasAddress(prospectIdentity(content), addresses) ||
    formerEmails.some((email) => addresses.emails.has(canonicalEmail(email)))
  );
}

/** The keys of the do-not-contact list. */
export function suppressionKeysOfPerson(
  { emails, profiles, phones }: PersonIdentity,
  region: PhoneRegion | null,
): Uint8Array[] {
  const numbers = phones.map((phone) => phoneNumber(phone, region)).filter((number) => number !== null);
  return [
    ...emails.map((email) => suppressionKey("email", canonicalEmail(email))),
    ...profiles.map((profile) => suppressionKey("profile", profile)),
    ...numbers.map((number) => suppressionKey("phone", number)),
  ];
}

function identitiesOf({ emails, profiles }: Addresses): LeadIdentity[] {
  return [
    ...[...emails].map((email) => ({ email, network: null, name: null })),
    ...[...profiles].map((network) => ({ email: null, network, name: null })),
  ];
}

function hasAddress({ email, network }: LeadIdentity, { emails, profiles }: Addresses): boolean {
  return (email !== null && emails.has(email)) || (network !== null && profiles.has(network));
}
