import { ApiError } from "../../platform/base/errors.ts";
import type { Lead } from "../leads/model.ts";
import type { LeadService } from "../leads/service.ts";
import { leadFill } from "./lead-fill.ts";
import type { Merged } from "./model.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

const maxWriteTries = 3;

/** Fills fields that are empty at the time of writing; returns their names. */
export async function fillLead(
  leads: LeadService,
  workspaceId: WorkspaceId,
  lead: Lead,
  merged: Merged,
): Promise<string[]> {
  for (let current = lead, attempt = 1; ; attempt++) {
    const fill = leadFill(current, merged);
    if (Object.keys(fill).length === 0) return [];
    try {
      await leads.update({ workspaceId, userId: null }, current.id, fill, [current.version], "enrichment");
      return Object.keys(fill);
    } catch (error) {
      if (!(error instanceof ApiError) || attempt === maxWriteTries) throw error;
      const changed = error.code === "PRECONDITION_FAILED" ? await leadOrNull(leads, workspaceId, lead.id) : null;
      if (changed === null) return []; // deleted in the meantime
      current = changed;
    }
  }
}

export async function leadOrNull(leads: LeadService, workspaceId: WorkspaceId, id: string): Promise<Lead | null> {
  try {
    return await leads.get(workspaceId, id);
  } catch (error) {
    if (error instanceof ApiError && error.code === "NOT_FOUND") return null;
    throw error;
  }
}
