import type { Identifier } from "../suppression/person-identifiers.ts";
import { emailKey, phoneKey, profileKeyHash } from "./identity.ts";

/** The identifiers of one stored record: a lead, a result of an enrichment. */
type LinkedRecord = readonly Identifier[];

/** What may be asked about the records of one user: synchronous, and at most so many of each kind. */
export type LinkFacts = {
  /** Records that may have this key. */
  recordsWithKey(key: number): readonly LinkedRecord[];
  /** Leads that actions, contacts, and campaigns tie to a profile. */
  leadsOfProfile(profile: string): readonly LinkedRecord[];
};

/** Far more records than one person has; bounds the time for an identifier that thousands of records share. */
export const maxLinkedRecords = 200;

/** The identifiers that are stored together with this one. `owner`: number of the user. */
export function identifiersBeside(owner: number, identifier: Identifier, facts: LinkFacts): Identifier[] {
  const { kind, value } = identifier;
  // A key is only a hint: the record itself decides.
  const withKey = (key: number) =>
    facts
      .recordsWithKey(key)
      .filter((record) => record.some((each) => each.kind === kind && each.value === value))
      .flat();
  switch (kind) {
    case "formerEmail":
      return [];
    case "email":
      return withKey(emailKey(owner, value));
    case "profile":
      return [...withKey(profileKeyHash(owner, value)), ...facts.leadsOfProfile(value).flat()];
    case "phone": {
      const key = phoneKey(owner, value);
      return key === null ? [] : withKey(key);
    }
  }
}
