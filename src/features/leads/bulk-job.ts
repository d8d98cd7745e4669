import { ApiError } from "../../platform/base/errors.ts";
import type { Clock } from "../../platform/base/clock.ts";
import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";
import type { HolderLookup } from "../../platform/auth/workspace-model.ts";
import type { JobContext, JobHandler } from "../../platform/jobs/handler.ts";
import type { Job, JobEnd } from "../../platform/jobs/model.ts";
import { pause } from "../../lib/concurrency/pause.ts";
import { afterLeadOf, bulkCounts } from "./bulk-decision.ts";
import type { BulkBatch, BulkCounts, LeadPatch, MatchingLead } from "./bulk-job-model.ts";
import type { LeadFilter } from "./model.ts";
import type { LeadStore } from "./store.ts";

/** The payload of the job. */
export type BulkSettings = {
  filter: LeadFilter;
  createdUntil: number;
  operation:
    | { kind: "update"; patch: LeadPatch; assignees: readonly UserId[] }
    | { kind: "delete" }
    | { kind: "enroll"; campaignId: string };
  /** No more leads than this; null: all. */
  most: number | null;
};

/** Enrolls leads. Returns "enrolled" or the reason for skipping, by lead ID. */
export type EnrollLeads = (
  workspaceId: WorkspaceId,
  campaignId: string,
  leadIds: readonly string[],
) => Promise<ReadonlyMap<string, string>>;

/** The search for a page may read every lead of the workspace. */
const pageLeads = 10_000;
/** After this many searches for the same batch, leads that were changed again in the meantime are skipped. */
const maxTries = 5;

/** Changes all leads that match a filter, batch by batch; resumes after a crash. */
export function createBulkHandler(leads: LeadStore, team: HolderLookup, enroll: EnrollLeads, clock: Clock): JobHandler {
  async function run(job: Job, context: JobContext): Promise<JobEnd | null> {
    const { operation } = job.payload as BulkSettings;
    try {
      const counts = await changeAll(job, context);
      if (counts === null) return null;
      return { kind: "completed", message: summary(operation.kind, counts), metadata: {}, at: clock.now() };
    } catch (error) {
      // Such as a campaign that was canceled meanwhile: trying again would not help.
      if (!(error instanceof ApiError)) throw error;
      return { kind: "failed", message: error.message, metadata: {}, at: clock.now() };
    }
  }

  /** Null: canceled, or claimed by another runner. */
  async function changeAll(job: Job, context: JobContext): Promise<BulkCounts | null> {
    const { filter, createdUntil, most } = job.payload as BulkSettings;
    const { workspaceId } = job;
    let counts = bulkCounts(job.metadata);
    let afterLead = afterLeadOf(job.metadata);
    let tries = 0;
    const left = () => (most === null ? Infinity : most - counts.processed);
    const search = (limit: number) =>
      leads.matching({ workspaceId, filter, createdUntil, afterLead, limit: Math.min(limit, left()) });
    let found = await search(pageLeads);
    while (found.length > 0) {
      context.signal.throwIfAborted();
      const batch = found.slice(0, leads.bulkLeadsAtOnce);
      const outcome = await processBatch(job, context, batch, tries >= maxTries);
      if (outcome === null) return null;
      if (outcome === "stale") {
        tries++;
        found = await search(leads.bulkLeadsAtOnce);
        continue;
      }
      tries = 0;
      counts = outcome;
      afterLead = batch.at(-1)!.seq;
      found = found.length > batch.length ? found.slice(batch.length) : left() > 0 ? await search(pageLeads) : [];
      await pause();
    }
    return counts;
  }

  async function processBatch(
    job: Job,
    context: JobContext,
    found: readonly MatchingLead[],
    skipsStale: boolean,
  ): Promise<BulkCounts | "stale" | null> {
    for (;;) {
      const change = await changeOf(job, found);
      const outcome = await leads.bulkBatch({
        workspaceId: job.workspaceId,
        jobId: job.id,
        attempt: context.claim.attempt,
        leads: found,
        change,
        skipsStale,
        actorId: job.userId,
        leaseUntil: context.leaseUntil(),
        at: clock.now(),
      });
      // The next try is for those who are left.
      if (outcome !== "memberLeft") return outcome;
    }
  }

  async function changeOf(job: Job, found: readonly MatchingLead[]): Promise<BulkBatch["change"]> {
    const { operation } = job.payload as BulkSettings;
    const { workspaceId } = job;
    if (operation.kind === "delete") return operation;
    if (operation.kind === "update")
      return { ...operation, assignees: await activeAmong(workspaceId, operation.assignees) };
    const outcomes = await enroll(
      workspaceId,
      operation.campaignId,
      found.map(({ id }) => id),
    );
    const reasons = [...outcomes.values()].filter((outcome) => outcome !== "enrolled");
    const skipped: Record<string, number> = {};
    for (const reason of reasons) skipped[reason] = (skipped[reason] ?? 0) + 1;
    return { kind: "processed", skipped };
  }

  /** Members may have left since the change was requested. */
  async function activeAmong(workspaceId: WorkspaceId, userIds: readonly UserId[]): Promise<UserId[]> {
    if (userIds.length === 0) return [];
    const holders = await Promise.all(userIds.map((userId) => team.holder(workspaceId, userId)));
    const active = userIds.filter((_userId, index) => holders[index] !== null);
    if (active.length > 0) return active;
    throw new ApiError("CONFLICT", {
      message: "The member to whom the leads were to be assigned has left the workspace. Choose another one.",
    });
  }

  return { type: "lead_bulk", concurrency: 2, run };
}

const verbs = { update: "Changed", delete: "Deleted", enroll: "Enrolled" } as const;

function summary(kind: BulkSettings["operation"]["kind"], { changed, unchanged, skipped }: BulkCounts): string {
  const left = Object.values(skipped).reduce((sum, n) => sum + n, 0);
  const parts = [
    `${verbs[kind]} ${changed} ${changed === 1 ? "lead" : "leads"}`,
    ...(unchanged > 0 ? [`${unchanged} already were as requested`] : []),
    ...(left > 0 ? [`${left} skipped`] : []),
  ];
  return parts.join(", ");
}
