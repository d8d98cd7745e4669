import { namesakeIsSame } from "../../../features/leads/merge.ts";
import type { LeadIdentity } from "../../../features/leads/model.ts";
import { leadKeysOf } from "../../../features/leads/keys.ts";

/**
 * The candidate that is the same person: by e-mail or profile first, else by name and company where nothing speaks
 * against it. `candidates` gives those that a key hints at, oldest first.
 */
export function samePerson<T extends { identity: LeadIdentity }>(
  owner: number,
  identity: LeadIdentity,
  candidates: (key: number) => Iterable<T>,
): T | null {
  const { strong, name } = leadKeysOf(owner, identity);
  for (const key of strong)
    for (const candidate of candidates(key)) if (sharesAddress(candidate.identity, identity)) return candidate;
  if (name === null) return null;
  for (const candidate of candidates(name))
    if (candidate.identity.name === identity.name && namesakeIsSame(candidate.identity, identity)) return candidate;
  return null;
}

function sharesAddress(ours: LeadIdentity, theirs: LeadIdentity): boolean {
  return (
    (ours.email !== null && ours.email === theirs.email) || (ours.network !== null && ours.network === theirs.network)
  );
}
