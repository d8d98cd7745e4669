import type { WorkspaceId } from "../../platform/base/ids.ts";
import type { LeadStore } from "../leads/store.ts";

/** The ID of the lead with this profile (see `canonicalProfileUrl`); null without one. */
export type LeadOfProfile = (workspaceId: WorkspaceId, profileKey: string) => Promise<string | null>;

export function createLeadOfProfile(leads: Pick<LeadStore, "findSame">): LeadOfProfile {
  return async (workspaceId, profileKey) =>
    (await leads.findSame(workspaceId, { email: null, network: profileKey, name: null }, null))?.id ?? null;
}
