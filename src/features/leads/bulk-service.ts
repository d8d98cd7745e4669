import { ApiError } from "../../platform/base/errors.ts";
import { retagged } from "./bulk-decision.ts";
import type { BulkReport, BulkUpdateInput } from "./bulk-model.ts";
import type { LeadAssignees } from "./assignees.ts";
import type { Lead, LeadUpdate } from "./model.ts";
import type { LeadService } from "./service.ts";
import type { Acting } from "../../platform/auth/access.ts";
import type { UserId } from "../../platform/base/ids.ts";

type BulkChange = Pick<BulkUpdateInput, "status" | "addTags" | "removeTags" | "assignedTo">;

/** Applies one change to many leads, each independently, in one operation. */
export class LeadBulkService {
  readonly #leads: LeadService;
  readonly #assignees: LeadAssignees;

  constructor(leads: LeadService, assignees: LeadAssignees) {
    this.#leads = leads;
    this.#assignees = assignees;
  }

  /** Throws VALIDATION_ERROR if `assignedTo` is nobody in the workspace. */
  async update(acting: Acting, ids: readonly string[], change: BulkChange): Promise<BulkReport> {
    const { workspaceId } = acting;
    const { assignedTo } = change;
    const isInTurn = assignedTo === "roundRobin";
    const turns = isInTurn ? await this.#assignees.inTurn(workspaceId) : [];
    if (assignedTo && !isInTurn) await this.#assignees.require(workspaceId, assignedTo);
    // By lead, because one that changes in the meantime is asked about again.
    const turnOf = new Map<string, UserId | null>();
    const assigneeInTurn = (lead: Lead) => {
      if (!turnOf.has(lead.id)) turnOf.set(lead.id, turns[turnOf.size % turns.length] ?? null);
      return turnOf.get(lead.id) ?? null;
    };
    const results = await this.#leads.updateAll(acting, ids, (lead) =>
      updateOf(lead, isInTurn ? { ...change, assignedTo: assigneeInTurn(lead) } : change),
    );
    return reportOf(results);
  }

  /** Permanent. */
  async remove(acting: Acting, ids: readonly string[]): Promise<BulkReport> {
    return reportOf(await this.#leads.removeAll(acting, ids));
  }
}

function updateOf(lead: Lead, { status, addTags, removeTags, assignedTo }: BulkChange): LeadUpdate {
  const tags = retagged(lead, { ...(addTags && { addTags }), ...(removeTags && { removeTags }) });
  return {
    ...(status !== undefined && { status }),
    ...(tags !== lead.tags && { tags }),
    ...(assignedTo !== undefined && assignedTo !== lead.assignedTo && { assignedTo }),
  };
}

function reportOf(results: ReadonlyMap<string, Lead | ApiError>): BulkReport {
  const failed = [...results].flatMap(([id, result]) =>
    result instanceof ApiError ? [{ id, code: result.code, message: result.message }] : [],
  );
  return { changed: results.size - failed.length, failed };
}
