import type { Acting } from "../../platform/auth/access.ts";
import { auditEntry } from "../../platform/auth/audit/entry.ts";
import type { Caller } from "../../platform/auth/caller.ts";
import type { Clock } from "../../platform/base/clock.ts";
import { ApiError, invalid, notFound } from "../../platform/base/errors.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";
import type { SuppressionService } from "../suppression/service.ts";
import type { DuplicateGroup, DuplicatePlace } from "./duplicate-model.ts";
import { currentLead } from "./current-lead.ts";
import { leadIdentity } from "./identity.ts";
import { contentOfBoth, type TakenField } from "./merge-decision.ts";
import type { Lead } from "./model.ts";
import type { LeadStore } from "./store.ts";

/** A merge starts over if one of the leads has changed in the meantime; after this many tries it fails. */
const maxTries = 5;

/** Finds and merges leads that are the same person. */
export class LeadMergeService {
  readonly #leads: LeadStore;
  readonly #suppressions: SuppressionService;
  readonly #clock: Clock;

  constructor(leads: LeadStore, suppressions: SuppressionService, clock: Clock) {
    this.#leads = leads;
    this.#suppressions = suppressions;
    this.#clock = clock;
  }

  /** Returns the merged lead. NOT_FOUND for an unknown lead; CONFLICT if the leads keep changing. */
  async merge(
    { caller, workspaceId, userId }: Acting & { caller: Caller },
    keepId: string,
    otherId: string,
    take: readonly TakenField[],
  ): Promise<Lead> {
    for (let attempt = 1; ; attempt++) {
      const keep = await this.#get(workspaceId, keepId);
      const other = await this.#get(workspaceId, otherId);
      if (keep.id === other.id)
        throw invalid([{ path: "otherId", message: "Expected another lead than the one to keep." }]);
      const content = contentOfBoth(keep, other, take);
      const at = this.#clock.now();
      const target = { type: "lead", id: keep.id } as const;
      const event = { action: "lead.merged", workspaceId, target, details: { merged: other.id } } as const;
      const outcome = await this.#leads.merge({
        ...{ workspaceId, keep, other, content, identity: leadIdentity(content), at, actorId: userId },
        suppress: this.#suppressions.entriesFor({ ...content, workspaceId }),
        audit: auditEntry(caller, at, event),
      });
      if (outcome.kind === "merged") return outcome.lead;
      if (outcome.kind === "absent") throw notFound("lead", outcome.id);
      if (attempt === maxTries)
        throw new ApiError("CONFLICT", { message: "The leads are being changed. Try again in a moment." });
    }
  }

  /** Groups of leads that may be the same person; `total` counts the groups. */
  async duplicates(
    workspaceId: WorkspaceId,
    limit: number,
    after: DuplicatePlace | null,
  ): Promise<{ groups: DuplicateGroup[]; total: number }> {
    const [groups, total] = await Promise.all([
      this.#leads.duplicates({ workspaceId, limit, after }),
      this.#leads.countDuplicates(workspaceId),
    ]);
    return { groups, total };
  }

  /** The lead, or the one that it was merged into before. */
  async #get(workspaceId: WorkspaceId, id: string): Promise<Lead> {
    const lead = await currentLead(this.#leads, workspaceId, id);
    if (lead === null) throw notFound("lead", id);
    return lead;
  }
}
