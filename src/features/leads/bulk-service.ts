import { ApiError } from "../../platform/base/errors.ts";
import type { BulkReport, BulkUpdateInput } from "./bulk-model.ts";
import type { Lead, LeadUpdate } from "./model.ts";
import type { LeadService } from "./service.ts";

/** A lead that others change at the same moment is read again; this often. */
const maxTries = 5;

type BulkChange = Pick<BulkUpdateInput, "status" | "addTags" | "removeTags">;

/** One change of many leads, each by itself; those of one request are committed together. */
export class LeadBulkService {
  readonly #leads: LeadService;

  constructor(leads: LeadService) {
    this.#leads = leads;
  }

  update(userId: string, ids: readonly string[], change: BulkChange): Promise<BulkReport> {
    return this.#leads.together(() => each(ids, (id) => this.#change(userId, id, change)));
  }

  /** For good. */
  remove(userId: string, ids: readonly string[]): Promise<BulkReport> {
    return this.#leads.together(() => each(ids, (id) => this.#leads.remove(userId, id, null)));
  }

  async #change(userId: string, id: string, change: BulkChange): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const lead = await this.#leads.get(userId, id);
      const wanted = updateOf(lead, change);
      // It is as it should be: no new version, and nobody is told of a change.
      if (Object.keys(wanted).length === 0) return;
      try {
        // Tags are replaced whole, so only those that the new list was made from may be there still.
        await this.#leads.update(userId, id, wanted, [lead.version]);
        return;
      } catch (error) {
        if (!(error instanceof ApiError && error.code === "PRECONDITION_FAILED") || attempt === maxTries) throw error;
      }
    }
  }
}

function updateOf({ tags }: Lead, { status, addTags = [], removeTags = [] }: BulkChange): LeadUpdate {
  const removed = new Set(removeTags.map((tag) => tag.trim().toLowerCase()));
  const kept = tags.filter((tag) => !removed.has(tag.toLowerCase()));
  const known = new Set(kept.map((tag) => tag.toLowerCase()));
  const added = addTags.filter((tag) => !known.has(tag.trim().toLowerCase()));
  const isRetagged = added.length > 0 || kept.length < tags.length;
  return { ...(status !== undefined && { status }), ...(isRetagged && { tags: [...kept, ...added] }) };
}

async function each(ids: readonly string[], run: (id: string) => Promise<void>): Promise<BulkReport> {
  const unique = [...new Set(ids)];
  const outcomes = await Promise.allSettled(unique.map(run));
  const failed = outcomes.flatMap((outcome, index) =>
    outcome.status === "rejected" ? [refusal(unique[index] ?? "", outcome.reason)] : [],
  );
  return { changed: unique.length - failed.length, failed };
}

/** What is our fault is the whole request's. */
function refusal(id: string, reason: unknown): BulkReport["failed"][number] {
  if (reason instanceof ApiError) return { id, code: reason.code, message: reason.message };
  throw reason;
}
