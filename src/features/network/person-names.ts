import type { LeadStore } from "../leads/store.ts";
import type { ProspectStore } from "../prospecting/store.ts";
import type { NetworkAction } from "./action-model.ts";

/**
 * What the people are called whom actions are for, in the same order: as the lead of the action says, else another lead
 * or a prospect of the user with that profile. Null where none of them has a name.
 */
export type PersonNames = (
  userId: string,
  actions: readonly Pick<NetworkAction, "leadId" | "profileKey">[],
) => Promise<(string | null)[]>;

type Leads = Pick<LeadStore, "get" | "findSame">;
type Prospects = Pick<ProspectStore, "findPerson">;

export function createPersonNames(leads: Leads, prospects: Prospects): PersonNames {
  async function nameOf(userId: string, leadId: string | null, profileKey: string): Promise<string | null> {
    const profile = { email: null, network: profileKey, name: null };
    return (
      written(leadId === null ? null : await leads.get(userId, leadId)) ??
      written(await leads.findSame(userId, profile, leadId)) ??
      written(await prospects.findPerson(userId, profile))
    );
  }
  return (userId, actions) => Promise.all(actions.map(({ leadId, profileKey }) => nameOf(userId, leadId, profileKey)));
}

type Named = { firstName?: string | null; lastName?: string | null };

function written(person: Named | null): string | null {
  return [person?.firstName, person?.lastName].filter(Boolean).join(" ") || null;
}
