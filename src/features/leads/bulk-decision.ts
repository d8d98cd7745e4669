import type { UserId } from "../../platform/base/ids.ts";
import type { Decision } from "../../platform/base/decision.ts";
import type { Job, JobMetadata } from "../../platform/jobs/model.ts";
import { isHeld, type JobChange } from "../../platform/jobs/transitions.ts";
import type { BulkBatch, BulkCounts, BulkOutcome, LeadPatch, MatchingLead } from "./bulk-job-model.ts";
import {
  changeEvent,
  decideRemove,
  nextVersion,
  type LeadChange,
  type LeadFacts,
  type StoredLead,
} from "./decisions.ts";
import { maxTags, type Lead, type LeadContent } from "./model.ts";

export type BulkFacts = Pick<LeadFacts, "lead" | "isActiveMember"> & { job: Job | null };
export type BulkChange = LeadChange | { kind: "job"; job: Job; change: JobChange };

type Settled = { changes: readonly LeadChange[] } | { skipped: string };

/** A longer list is of no use to a reader. */
const mostReasons = 20;

/** Decides each lead of a batch. Null: the attempt no longer holds the job. */
export function decideBulk(batch: BulkBatch, facts: BulkFacts): Decision<BulkOutcome, BulkChange> {
  const { job } = facts;
  const nothing = (outcome: BulkOutcome) => ({ outcome, changes: [] });
  if (job?.workspaceId !== batch.workspaceId || !isHeld(job, batch)) return nothing(null);
  // Each is asked for, so that all of them are loaded together.
  const assignees = batch.change.kind === "update" ? batch.change.assignees : [];
  const stored = batch.change.kind === "processed" ? [] : batch.leads.map(({ id }) => facts.lead(id));
  if (assignees.filter((userId) => !facts.isActiveMember(userId)).length > 0) return nothing("memberLeft");
  const isStale = (lead: StoredLead | null, n: number) =>
    lead !== null && lead.lead.version !== batch.leads[n]!.version;
  if (!batch.skipsStale && stored.some(isStale)) return nothing("stale");
  const counts = bulkCounts(job.metadata);
  const changes: BulkChange[] = [];
  for (const [n, found] of stored.entries()) {
    const settled = settle(batch, batch.leads[n]!, found, counts.processed);
    counts.processed++;
    if ("skipped" in settled) count(counts, settled.skipped, 1);
    else if (settled.changes.length === 0) counts.unchanged++;
    else counts.changed++;
    if ("changes" in settled) changes.push(...settled.changes);
  }
  if (batch.change.kind === "processed") countProcessed(counts, batch.leads.length, batch.change.skipped);
  return { outcome: counts, changes: [...changes, { kind: "job", job, change: progress(batch, job, counts) }] };
}

/** `turn`: how many leads came before. */
function settle(batch: BulkBatch, { id, version }: MatchingLead, found: StoredLead | null, turn: number): Settled {
  const { change, workspaceId, at, actorId } = batch;
  if (found === null) return { skipped: "leadGone" };
  if (found.lead.version !== version) return { skipped: "changedMeanwhile" };
  if (change.kind === "processed") return { changes: [] };
  if (change.kind === "delete") {
    const request = { workspaceId, id, version, at, actorId };
    return { changes: decideRemove(request, { lead: () => found }).changes };
  }
  return patched(found, change.patch, change.assignees, turn, batch);
}

function patched(
  before: StoredLead,
  patch: LeadPatch,
  assignees: readonly UserId[],
  turn: number,
  { at, actorId }: Pick<BulkBatch, "at" | "actorId">,
): Settled {
  const content: LeadContent = {
    ...before.lead,
    ...(patch.status !== undefined && { status: patch.status }),
    tags: retagged(before.lead, patch),
    ...(patch.assignedTo !== undefined && {
      assignedTo: patch.assignedTo === "inTurn" ? assignees[turn % assignees.length]! : patch.assignedTo,
    }),
  };
  if (content.tags.length > maxTags && content.tags.length > before.lead.tags.length) return { skipped: "tooManyTags" };
  const lead: Lead = nextVersion(before.lead, content, at);
  const event = changeEvent(before.lead, lead, actorId);
  if (event === null) return { changes: [] };
  return {
    changes: [
      { kind: "patch", before, lead },
      { kind: "event", event },
    ],
  };
}

/** The tags of a lead after a change; the same array if they stay. Case does not matter. */
export function retagged({ tags }: Pick<Lead, "tags">, { addTags = [], removeTags = [] }: LeadPatch): string[] {
  const removed = new Set(removeTags.map((tag) => tag.trim().toLowerCase()));
  const kept = tags.filter((tag) => !removed.has(tag.toLowerCase()));
  const known = new Set(kept.map((tag) => tag.toLowerCase()));
  const added = addTags.filter((tag) => !known.has(tag.trim().toLowerCase()));
  return added.length > 0 || kept.length < tags.length ? [...kept, ...added] : tags;
}

function countProcessed(counts: BulkCounts, leads: number, skipped: Readonly<Record<string, number>>): void {
  counts.processed += leads;
  counts.changed += leads;
  for (const [reason, n] of Object.entries(skipped)) {
    counts.changed -= n;
    count(counts, reason, n);
  }
}

function count({ skipped }: BulkCounts, reason: string, n: number): void {
  const name = reason in skipped || Object.keys(skipped).length < mostReasons ? reason : "other";
  skipped[name] = (skipped[name] ?? 0) + n;
}

function progress({ leads, leaseUntil, at }: BulkBatch, job: Job, counts: BulkCounts): JobChange {
  const { processed, total } = counts;
  return {
    metadata: { ...job.metadata, ...counts, afterLead: leads.at(-1)?.seq ?? afterLeadOf(job.metadata) },
    progress: total === 0 ? 0 : Math.min(99, (processed / total) * 100),
    message: `${processed} of ${total} leads processed`,
    leaseUntil,
    updatedAt: at,
  };
}

/** Number of the last lead that was processed; 0 at the start. */
export function afterLeadOf({ afterLead }: JobMetadata): number {
  return typeof afterLead === "number" ? afterLead : 0;
}

/** As the metadata of the job has them. */
export function bulkCounts(metadata: JobMetadata): BulkCounts {
  const number = (name: string) => (typeof metadata[name] === "number" ? metadata[name] : 0);
  return {
    total: number("total"),
    processed: number("processed"),
    changed: number("changed"),
    unchanged: number("unchanged"),
    skipped: { ...(metadata["skipped"] as Record<string, number> | undefined) },
  };
}
