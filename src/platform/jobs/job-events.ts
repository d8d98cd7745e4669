import { shortReason, type EventData, type NewEvent } from "../events/model.ts";
import type { Job } from "./model.ts";

/** The event for a new job; null for most types, whose own stores write their events. */
export function startEventOf({ type, ...job }: Job): NewEvent | null {
  if (type !== "voice_training") return null;
  return { ...commonFields(job), type: "voice.processing", at: job.createdAt };
}

/** The event for the end of a job, if its type has one. */
export function endEventOf(job: Job): NewEvent | null {
  const { type, status, metadata } = job;
  const isCompleted = status === "completed";
  const common = { ...commonFields(job), at: job.updatedAt };
  const failure = isCompleted ? {} : { reason: shortReason(job.message) };
  switch (type) {
    case "lead_import": {
      // A dry run stores nothing, so it has no event.
      if (metadata["dryRun"] === true) return null;
      return { ...common, type: "leads.imported", data: { status, ...pick(job, leadCounts), ...failure } };
    }
    case "lead_bulk":
      return { ...common, type: "leads.changed", data: { status, ...pick(job, bulkFields), ...failure } };
    case "prospect_import":
      return { ...common, type: "prospects.uploaded", data: { status, ...pick(job, prospectCounts), ...failure } };
    case "data_enrichment": {
      const data = { ...pick(job, ["batchSize", "enriched", "failed", "creditsUsed"]), ...failure };
      return { ...common, type: isCompleted ? "enrichment.completed" : "enrichment.failed", data };
    }
    case "voice_training":
      // Canceled because of a newer training, or because the clone was deleted.
      if (metadata["canceled"] === true) return null;
      return { ...common, type: isCompleted ? "voice.ready" : "voice.failed", data: failure };
    // Events of actions are written by their own store; an erasure is only in the audit log.
    case "linkedin_action":
    case "person_erasure":
      return null;
  }
}

function commonFields({ id, workspaceId, userId, metadata }: Pick<Job, "id" | "workspaceId" | "userId" | "metadata">) {
  const { voiceId } = metadata;
  return { workspaceId, actorId: userId, jobId: id, voiceId: typeof voiceId === "string" ? voiceId : null };
}

const leadCounts = ["rows", "created", "updated", "skipped", "failed", "doNotContact"];
const bulkFields = ["operation", "total", "processed", "changed", "unchanged", "skipped"];
const prospectCounts = ["rows", "created", "updated", "skipped", "failed", "companies"];

function pick({ metadata }: Job, names: readonly string[]): EventData {
  return Object.fromEntries(names.flatMap((name) => (name in metadata ? [[name, metadata[name]]] : [])));
}
