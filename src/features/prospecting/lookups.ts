import { namesakeIsSame } from "../leads/same-person.ts";
import type { CompanyNames } from "./directory-model.ts";
import {
  besideNameOf,
  companyDomainKey,
  companyNameKey,
  personKeys,
  prospectIdentity,
  type ProspectIdentity,
} from "./keys.ts";
import { addAskedKeys } from "./name-keys.ts";
import { isKnownBefore } from "./same-person.ts";
import type { StoredProspect } from "./stored-prospect.ts";

type Person = Pick<ProspectIdentity, "email" | "network" | "name">;

/** The keys by which a person is looked up. */
export function keysOfPerson(identity: Person): number[] {
  const keys: number[] = [];
  addAskedKeys(personKeys(identity), besideNameOf(identity), keys);
  return keys;
}

/** The person by email address or profile, or else by name and company. Null if none or several match. */
export function personAmong(candidates: readonly StoredProspect[], identity: Person): StoredProspect | null {
  const known = candidates.map((row) => ({ row, theirs: prospectIdentity(row.content) }));
  const { email, network, name } = identity;
  const strong = known.find(
    ({ theirs }) => (email !== null && theirs.email === email) || (network !== null && theirs.network === network),
  );
  const told = { ...(email !== null && { email }), ...(network !== null && { networkUrl: network }) };
  const before = strong ?? known.find(({ row }) => isKnownBefore(row.content, told));
  if (before !== undefined) return before.row;
  const namesakes = known.filter(
    ({ theirs }) => name !== null && theirs.name === name && namesakeIsSame(theirs, identity),
  );
  return namesakes.length === 1 ? namesakes[0]!.row : null;
}

/** The keys by which people at a company are looked up. */
export function keysOfCompany({ domain, name }: CompanyNames): number[] {
  return [...(domain === null ? [] : [companyDomainKey(domain)]), ...(name === null ? [] : [companyNameKey(name)])];
}

/** People at the company, those with an email address first, at most `limit`. */
export function colleaguesAmong(
  candidates: readonly StoredProspect[],
  { domain, name }: CompanyNames,
  limit: number,
): StoredProspect[] {
  const wantedName = name === null ? null : prospectIdentity({ company: name }).company;
  const people = candidates.filter(({ content }) => {
    const theirs = prospectIdentity(content);
    if (domain !== null && theirs.domain !== null) return theirs.domain === domain;
    return wantedName !== null && theirs.company === wantedName;
  });
  const hasAddress = ({ content }: StoredProspect) => content.email !== undefined;
  return [...people.filter(hasAddress), ...people.filter((person) => !hasAddress(person))].slice(0, limit);
}
