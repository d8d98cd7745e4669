import type { LeadStore } from "../leads/store.ts";
import type { ProspectStore } from "../prospecting/store.ts";
import type { NetworkAction } from "./action-model.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

/**
 * Returns the name of the person for each action, in order: from the lead of the action, or else from another lead or
 * prospect of the user with the same profile. Null if none of them has a name.
 */
export type PersonNames = (
  workspaceId: WorkspaceId,
  actions: readonly Pick<NetworkAction, "leadId" | "profileKey">[],
) => Promise<(string | null)[]>;

type Leads = Pick<LeadStore, "get" | "findSame">;
type Prospects = Pick<ProspectStore, "findPerson">;

export function createPersonNames(leads: Leads, prospects: Prospects): PersonNames {
  async function nameOf(workspaceId: WorkspaceId, leadId: string | null, profileKey: string): Promise<string | null> {
    const profile = { email: null, network: profileKey, name: null };
    return (
      fullNameOf(leadId === null ? null : await leads.get(workspaceId, leadId)) ??
      fullNameOf(await leads.findSame(workspaceId, profile, leadId)) ??
      fullNameOf(await prospects.findPerson(workspaceId, profile))
    );
  }
  return (workspaceId, actions) =>
    Promise.all(actions.map(({ leadId, profileKey }) => nameOf(workspaceId, leadId, profileKey)));
}

type PersonName = { firstName?: string | null; lastName?: string | null };

/** First and last name; null without any. */
export function fullNameOf(person: PersonName | null): string | null {
  return [person?.firstName, person?.lastName].filter(Boolean).join(" ") || null;
}
