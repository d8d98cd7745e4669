import { canonicalEmail } from "../../platform/identity/email.ts";
import { canonicalProfileUrl } from "../../platform/identity/profile-url.ts";
import type { PersonIdentity, PersonQuery } from "./model.ts";

/** Addresses in a record, as they were written. */
export type Reached = { email?: string | null; networkUrl?: string | null; phone?: string | null };
/** `formerEmails`: addresses of earlier jobs. `numbers`: of the entry and of those that were merged into it. */
export type ReachedProspect = Reached & { formerEmails?: readonly string[]; numbers: readonly number[] };
export type Addresses = { emails: ReadonlySet<string>; profiles: ReadonlySet<string> };

/** Where identifiers are looked up, within a scope. */
export type PersonLookups = {
  /** The lead, or the one that it was merged into. */
  lead(id: string): Promise<(Reached & { id: string }) | null>;
  /** The IDs of leads that were merged into these. */
  mergedInto(leadIds: readonly string[]): Promise<Iterable<string>>;
  leadsWith(addresses: Addresses): Promise<Iterable<Reached & { id: string }>>;
  prospectsWith(addresses: Addresses): Promise<Iterable<ReachedProspect>>;
  /** Addresses that actions, campaigns, and enrichments used for the same people. */
  seenElsewhere(identity: PersonIdentity): Promise<Iterable<Reached>>;
};

/** See `PersonStore.identify`. */
export async function identifyPerson(
  given: PersonQuery,
  follow: boolean,
  lookups: PersonLookups,
): Promise<PersonIdentity | null> {
  const known = new KnownIdentifiers();
  known.add({ email: given.email, networkUrl: given.profile });
  if (given.leadId !== null) {
    const lead = await lookups.lead(given.leadId);
    if (lead === null) return null;
    known.leadIds.add(given.leadId).add(lead.id);
    if (follow) known.add(lead);
  }
  // Each round may find an address that leads further.
  for (let before = -1; before !== known.size;) {
    before = known.size;
    for (const lead of await lookups.leadsWith(known)) {
      known.leadIds.add(lead.id);
      if (follow) known.add(lead);
    }
    for (const id of await lookups.mergedInto([...known.leadIds])) known.leadIds.add(id);
    for (const { numbers, formerEmails = [], ...prospect } of await lookups.prospectsWith(known)) {
      for (const number of numbers) known.prospects.add(number);
      if (follow) for (const email of [prospect.email ?? null, ...formerEmails]) known.add({ ...prospect, email });
    }
    if (follow) for (const reached of await lookups.seenElsewhere(known.lists)) known.add(reached);
  }
  return known.lists;
}

class KnownIdentifiers {
  readonly emails = new Set<string>();
  readonly profiles = new Set<string>();
  readonly phones = new Set<string>();
  readonly leadIds = new Set<string>();
  readonly prospects = new Set<number>();

  add({ email, networkUrl, phone }: Reached): void {
    if (email) this.emails.add(canonicalEmail(email));
    const profile = networkUrl ? canonicalProfileUrl(networkUrl) : null;
    if (profile !== null) this.profiles.add(profile);
    if (phone) this.phones.add(phone);
  }

  get size(): number {
    return this.emails.size + this.profiles.size + this.phones.size + this.leadIds.size + this.prospects.size;
  }

  get lists(): PersonIdentity {
    return {
      emails: [...this.emails],
      profiles: [...this.profiles],
      phones: [...this.phones],
      leadIds: [...this.leadIds],
      prospects: [...this.prospects],
    };
  }
}
