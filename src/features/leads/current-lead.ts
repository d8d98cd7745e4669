import type { WorkspaceId } from "../../platform/base/ids.ts";
import type { Lead } from "./model.ts";
import type { LeadStore } from "./store.ts";

/** The lead, or the one that it was merged into; null if there is neither. */
export async function currentLead(
  leads: Pick<LeadStore, "get" | "mergedInto">,
  workspaceId: WorkspaceId,
  id: string,
): Promise<Lead | null> {
  const lead = await leads.get(workspaceId, id);
  if (lead !== null) return lead;
  const survivor = (await leads.mergedInto(workspaceId, [id])).get(id);
  return survivor === undefined ? null : leads.get(workspaceId, survivor);
}
