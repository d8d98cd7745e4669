import { hasPermission, type Acting } from "../../platform/auth/access.ts";
import { auditEntry } from "../../platform/auth/audit/entry.ts";
import { denied, requireApprover, type Caller } from "../../platform/auth/caller.ts";
import type { Permission } from "../../platform/auth/key-model.ts";
import { singleLine } from "../../platform/base/text.ts";
import type { Clock, Ids } from "../../platform/base/clock.ts";
import { ApiError, invalid, notFound } from "../../platform/base/errors.ts";
import type { Job } from "../../platform/jobs/model.ts";
import type { JobService } from "../../platform/jobs/service.ts";
import type { LeadAssignees } from "./assignees.ts";
import type { BulkSettings } from "./bulk-job.ts";
import type { BulkByFilterInput } from "./bulk-model.ts";
import { filterOf } from "./filter-query.ts";
import { listTag } from "./model.ts";
import type { LeadStore } from "./store.ts";

/** Who requests a change. */
export type BulkRequester = Acting & { caller: Caller };

/** Whether the campaign exists and accepts leads of this user; throws the error that says why not. */
export type CanEnroll = (requester: BulkRequester, campaignId: string) => Promise<boolean>;

/** More leads are deleted only by those who say how many they expect. */
const mostDeletedUnseen = 100;
/** A full disk is waited for indefinitely; this many failures of any other kind indicate a permanent fault. */
const maxAttempts = 10;

/** Starts jobs that change all leads that match a filter. */
export class LeadBulkJobs {
  readonly #leads: LeadStore;
  readonly #jobs: JobService;
  readonly #assignees: LeadAssignees;
  readonly #canEnroll: CanEnroll;
  readonly #clock: Clock;
  readonly #ids: Ids;

  constructor(
    leads: LeadStore,
    jobs: JobService,
    assignees: LeadAssignees,
    canEnroll: CanEnroll,
    clock: Clock,
    ids: Ids,
  ) {
    this.#leads = leads;
    this.#jobs = jobs;
    this.#assignees = assignees;
    this.#canEnroll = canEnroll;
    this.#clock = clock;
    this.#ids = ids;
  }

  /**
   * VALIDATION_ERROR for changes that exclude each other; CONFLICT if more leads match than `expectedCount`, or if more
   * than 100 are to be deleted without it.
   */
  async start(requester: BulkRequester, input: BulkByFilterInput): Promise<Job> {
    const { workspaceId, caller } = requester;
    requirePermission(caller, input);
    const operation = await this.#operationOf(requester, input);
    const filter = filterOf(input.filter, requester.userId, "filter.");
    const total = await this.#leads.count(workspaceId, filter);
    checkCount(operation, input.expectedCount, total);
    const now = this.#clock.now();
    const most = operation.kind === "delete" ? (input.expectedCount ?? mostDeletedUnseen) : null;
    const settings: BulkSettings = { filter, createdUntil: now + 1, operation, most };
    const id = this.#ids.next(now);
    const job: Job = {
      id,
      workspaceId,
      userId: requester.userId,
      type: "lead_bulk",
      status: "pending",
      runAt: now,
      attempt: 0,
      failures: 0,
      maxAttempts,
      leaseUntil: null,
      message: "Waiting to start",
      progress: 0,
      metadata: { operation: operation.kind, total, processed: 0, changed: 0, unchanged: 0, skipped: {} },
      payload: settings,
      createdAt: now,
      updatedAt: now,
      completedAt: null,
    };
    const action = operation.kind === "delete" ? "leads.deleted" : "leads.changed";
    const details = { operation: operation.kind, total };
    const event = { action, workspaceId, target: { type: "job", id }, details } as const;
    await this.#jobs.submit(job, auditEntry(caller, now, event));
    return job;
  }

  async #operationOf(requester: BulkRequester, input: BulkByFilterInput): Promise<BulkSettings["operation"]> {
    const { campaignId } = input;
    const update = await this.#updateOf(requester, input);
    const wanted = [update !== null, campaignId !== undefined, input.delete === true].filter(Boolean).length;
    if (wanted === 0)
      throw invalid([{ path: "", message: "Send what to change: for example status, addTags, or delete." }]);
    if (wanted > 1)
      throw invalid([{ path: "", message: "Send campaignId or delete alone, without any other change." }]);
    if (update !== null) return update;
    if (campaignId === undefined) return { kind: "delete" };
    if (!(await this.#canEnroll(requester, campaignId))) throw notFound("campaign", campaignId);
    return { kind: "enroll", campaignId };
  }

  async #updateOf({ workspaceId }: Acting, input: BulkByFilterInput) {
    const { status, assignedTo, addToList, removeFromList } = input;
    const lists = (name: string | undefined) => (name === undefined ? [] : [listTag(singleLine(name))]);
    const addTags = cleaned([...(input.addTags ?? []), ...lists(addToList)]);
    const removeTags = cleaned([...(input.removeTags ?? []), ...lists(removeFromList)]);
    const isChange = [addTags, removeTags].some(({ length }) => length > 0) || status !== undefined;
    if (!isChange && assignedTo === undefined) return null;
    const isInTurn = assignedTo === "roundRobin";
    const assignees = isInTurn ? await this.#assignees.inTurn(workspaceId) : assignedTo ? [assignedTo] : [];
    if (isInTurn && assignees.length === 0)
      throw invalid([{ path: "assignedTo", message: "The workspace has no active owner, admin, or member." }]);
    if (assignedTo && !isInTurn) await this.#assignees.require(workspaceId, assignedTo);
    const patch = {
      ...(status !== undefined && { status }),
      ...(addTags.length > 0 && { addTags }),
      ...(removeTags.length > 0 && { removeTags }),
      ...(assignedTo !== undefined && { assignedTo: isInTurn ? ("inTurn" as const) : assignedTo }),
    };
    return { kind: "update" as const, patch, assignees };
  }
}

/** Without duplicates and empty ones, as in a lead. */
function cleaned(tags: readonly string[]): string[] {
  return [...new Set(tags.map(singleLine))].filter((tag) => tag !== "");
}

function requirePermission(caller: Caller, input: BulkByFilterInput): void {
  const needed: Permission[] = [];
  if (input.delete === true) needed.push("leads:delete");
  if (input.campaignId !== undefined) needed.push("network:schedule");
  for (const permission of needed)
    if (!hasPermission(caller, permission))
      throw denied(caller, permission, `This API key does not have the permission ${permission}.`);
  if (input.campaignId !== undefined) requireApprover(caller, "enroll leads in a campaign");
}

function checkCount({ kind }: BulkSettings["operation"], expected: number | undefined, total: number): void {
  const details = { count: total };
  if (expected === undefined && kind === "delete" && total > mostDeletedUnseen)
    throw new ApiError("CONFLICT", {
      message: `${total} leads match. To delete more than ${mostDeletedUnseen}, send their number as expectedCount.`,
      details,
    });
  if (expected !== undefined && total > expected)
    throw new ApiError("CONFLICT", {
      message: `${total} leads match, but you expected ${expected}. Check the filter, and send the new number.`,
      details,
    });
}
