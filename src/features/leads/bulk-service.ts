import { ApiError } from "../../platform/base/errors.ts";
import type { BulkReport, BulkUpdateInput } from "./bulk-model.ts";
import type { LeadAssignees } from "./assignees.ts";
import type { Lead, LeadUpdate } from "./model.ts";
import type { LeadService } from "./service.ts";
import type { Acting } from "../../platform/auth/access.ts";

/** How often a change is tried while other requests change the same lead. */
const maxTries = 5;

type BulkChange = Pick<BulkUpdateInput, "status" | "addTags" | "removeTags" | "assignedTo">;

/** Applies one change to many leads, each independently; the changes of a request share a commit. */
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
    const changeOf = (n: number) => (isInTurn ? { ...change, assignedTo: turns[n % turns.length] ?? null } : change);
    return this.#leads.together(() => each(ids, (id, n) => this.#change(acting, id, changeOf(n))));
  }

  /** Permanent. */
  remove(acting: Acting, ids: readonly string[]): Promise<BulkReport> {
    return this.#leads.together(() => each(ids, (id) => this.#leads.remove(acting, id, null)));
  }

  async #change(acting: Acting, id: string, change: BulkChange): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const lead = await this.#leads.get(acting.workspaceId, id);
      const wanted = updateOf(lead, change);
      // Nothing to change: no new version and no event.
      if (Object.keys(wanted).length === 0) return;
      try {
        // All tags are replaced, so the lead must still have those from which the new list was made.
        await this.#leads.update(acting, id, wanted, [lead.version]);
        return;
      } catch (error) {
        if (!(error instanceof ApiError && error.code === "PRECONDITION_FAILED") || attempt === maxTries) throw error;
      }
    }
  }
}

function updateOf(lead: Lead, { status, addTags = [], removeTags = [], assignedTo }: BulkChange): LeadUpdate {
  const { tags } = lead;
  const removed = new Set(removeTags.map((tag) => tag.trim().toLowerCase()));
  const kept = tags.filter((tag) => !removed.has(tag.toLowerCase()));
  const known = new Set(kept.map((tag) => tag.toLowerCase()));
  const added = addTags.filter((tag) => !known.has(tag.trim().toLowerCase()));
  const isRetagged = added.length > 0 || kept.length < tags.length;
  return {
    ...(status !== undefined && { status }),
    ...(isRetagged && { tags: [...kept, ...added] }),
    ...(assignedTo !== undefined && assignedTo !== lead.assignedTo && { assignedTo }),
  };
}

async function each(ids: readonly string[], run: (id: string, n: number) => Promise<void>): Promise<BulkReport> {
  const unique = [...new Set(ids)];
  const outcomes = await Promise.allSettled(unique.map(run));
  const failed = outcomes.flatMap((outcome, index) =>
    outcome.status === "rejected" ? [refusal(unique[index] ?? "", outcome.reason)] : [],
  );
  return { changed: unique.length - failed.length, failed };
}

/** Internal errors fail the whole request. */
function refusal(id: string, reason: unknown): BulkReport["failed"][number] {
  if (reason instanceof ApiError) return { id, code: reason.code, message: reason.message };
  throw reason;
}
