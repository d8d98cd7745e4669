import { canonicalEmail } from "../../platform/identity/email.ts";
import { canonicalProfileUrl } from "../../platform/identity/profile-url.ts";
import { folded } from "../../platform/identity/names.ts";
import { leadKeysOf } from "./identity.ts";
import type { LeadIdentity } from "./model.ts";

/**
 * The candidate that is the same person: one with the same email address or profile, else one with the same name and
 * company that does not contradict it. `candidates` returns the records that a key points to, oldest first.
 */
export function samePerson<T extends { identity: LeadIdentity }>(
  owner: number,
  identity: LeadIdentity,
  candidates: (key: number) => Iterable<T>,
): T | null {
  const { strong, name } = leadKeysOf(owner, identity);
  let index = 0;
  for (const part of strongParts) {
    if (identity[part] === null) continue;
    // A key may point to a lead that no longer has it, and that would match by its other address.
    for (const candidate of candidates(strong[index++]!))
      if (candidate.identity[part] === identity[part]) return candidate;
  }
  if (name === null) return null;
  for (const candidate of candidates(name))
    if (candidate.identity.name === identity.name && namesakeIsSame(candidate.identity, identity)) return candidate;
  return null;
}

/** In the order of `strong` in `leadKeysOf`. */
const strongParts = ["email", "network"] as const;

/**
 * Whether a record with the same name and company is the same person: yes, unless both have an email address, or both
 * have a profile, and those differ.
 */
export function namesakeIsSame(
  ours: Pick<LeadIdentity, "email" | "network">,
  theirs: Pick<LeadIdentity, "email" | "network">,
): boolean {
  const differ = (a: string | null, b: string | null) => a !== null && b !== null && a !== b;
  return !differ(ours.email, theirs.email) && !differ(ours.network, theirs.network);
}

type Named = { [F in "firstName" | "lastName" | "email" | "networkUrl"]?: string | null };

/**
 * Whether two records that share an identifier can be one person. Not if their other addresses, profiles, or names
 * differ: then the identifier is wrong in one of them, or several people share it.
 */
export function canBeOne(one: Named, other: Named): boolean {
  if (!namesakeIsSame(addressesOf(one), addressesOf(other))) return false;
  const [first, otherFirst] = [folded(one.firstName ?? ""), folded(other.firstName ?? "")];
  const [last, otherLast] = [folded(one.lastName ?? ""), folded(other.lastName ?? "")];
  // "K" may be "Ka".
  const isSameFirst = first.startsWith(otherFirst) || otherFirst.startsWith(first);
  return isSameFirst && (last === "" || otherLast === "" || last === otherLast);
}

function addressesOf({ email, networkUrl }: Named): Pick<LeadIdentity, "email" | "network"> {
  return {
    email: email ? canonicalEmail(email) : null,
    network: networkUrl ? canonicalProfileUrl(networkUrl) : null,
  };
}
