import { canBeOne, namesakeIsSame } from "../leads/same-person.ts";
import type { NewProspect } from "./directory-model.ts";
import { besideNameOf, emailKey, nameKey, personKeys, prospectIdentity } from "./keys.ts";
import { isFormerEmail, mergedProspect } from "./merge.ts";
import type { ProspectContent } from "./model.ts";
import { addAskedNames } from "./name-keys.ts";

/** A stored person, and another record of the same person. */
export type SamePerson<T> = { person: T; other: T | null };

/**
 * The candidate that is the same person: by email address or profile, then by a former address, otherwise by name and
 * company if nothing contradicts it. If the address belongs to one record and the profile to another, returns both, unless
 * they contradict each other. `candidates` returns those that a key may lead to, except one.
 */
export function samePerson<T extends { content: ProspectContent }>(
  { content: told, identity }: NewProspect,
  candidates: (key: number, except: T | null) => Iterable<T>,
): SamePerson<T> | null {
  const { email, network, name } = identity;
  // A record with the same address or profile has its hash, so those found by name alone need not be compared by these.
  const strong = personKeys({ email, network, name: null });
  const person = first(strong, null, ({ content }) => hasAddress(content));
  if (person !== null) return { person, other: first(strong, person, (other) => isOther(other, person)) };
  const names: number[] = [];
  if (name !== null) addAskedNames(nameKey(name), besideNameOf(identity), names);
  const weak =
    first(email === null ? [] : [emailKey(email)], null, ({ content }) => isKnownBefore(content, told)) ??
    first(names, null, ({ content }) => isNamesake(content));
  return weak && { person: weak, other: null };

  function first(keys: number[], except: T | null, fits: (candidate: T) => boolean): T | null {
    for (const key of keys) for (const candidate of candidates(key, except)) if (fits(candidate)) return candidate;
    return null;
  }

  function isOther({ content }: T, known: T): boolean {
    return hasAddress(content) && canBeOne(known.content, content);
  }

  function hasAddress(content: ProspectContent): boolean {
    const theirs = prospectIdentity(content);
    return (email !== null && theirs.email === email) || (network !== null && theirs.network === network);
  }

  function isNamesake(content: ProspectContent): boolean {
    const theirs = prospectIdentity(content);
    return theirs.name === name && namesakeIsSame(theirs, identity);
  }
}

type PersonDetails = Pick<ProspectContent, "firstName" | "lastName" | "email" | "networkUrl">;

/**
 * Whether a former address identifies the person. Only if no other detail contradicts it: companies reassign the
 * addresses of former employees.
 */
export function isKnownBefore(known: ProspectContent, details: PersonDetails): boolean {
  if (details.email === undefined || !isFormerEmail(known, details.email)) return false;
  const { email: _current, ...others } = known;
  return canBeOne(others, details);
}

type Dated = { content: ProspectContent; updatedAt: number };

/** Merges two records of one person; the first one was stored earlier. */
export function unitedContent(first: Dated, second: Dated): ProspectContent {
  return first.updatedAt <= second.updatedAt
    ? mergedProspect(first.content, second.content)
    : mergedProspect(second.content, first.content);
}
