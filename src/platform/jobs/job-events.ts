import { shortReason, type EventData, type NewEvent } from "../events/model.ts";
import type { Job } from "./model.ts";

/** What is told when a job is stored; null for most kinds, of which their own stores tell. */
export function beginningOf({ type, ...job }: Job): NewEvent | null {
  if (type !== "voice_training") return null;
  return { ...toldOf(job), type: "voice.processing", at: job.createdAt };
}

/** What is told when a job has come to this end. */
export function endOf(job: Job): NewEvent | null {
  const { type, status, metadata } = job;
  const isFine = status === "completed";
  const told = { ...toldOf(job), at: job.updatedAt };
  const failure = isFine ? {} : { reason: shortReason(job.message) };
  switch (type) {
    case "lead_import": {
      // A dry run stores nothing, so there is nothing to tell of.
      if (metadata["dryRun"] === true) return null;
      return { ...told, type: "leads.imported", data: { status, ...named(job, leadCounts), ...failure } };
    }
    case "prospect_import":
      return { ...told, type: "prospects.uploaded", data: { status, ...named(job, prospectCounts), ...failure } };
    case "data_enrichment": {
      const data = { ...named(job, ["batchSize", "enriched", "failed", "creditsUsed"]), ...failure };
      return { ...told, type: isFine ? "enrichment.completed" : "enrichment.failed", data };
    }
    case "voice_training":
      // It was canceled: a newer training took its place, or the clone is gone.
      if (metadata["canceled"] === true) return null;
      return { ...told, type: isFine ? "voice.ready" : "voice.failed", data: failure };
    // Their own store tells of actions; of an erasure only the audit log does.
    case "linkedin_action":
    case "person_erasure":
      return null;
  }
}

function toldOf({ id, userId, metadata }: Pick<Job, "id" | "userId" | "metadata">) {
  const { voiceId } = metadata;
  return { userId, jobId: id, voiceId: typeof voiceId === "string" ? voiceId : null };
}

const leadCounts = ["rows", "created", "updated", "skipped", "failed", "doNotContact"];
const prospectCounts = ["rows", "created", "updated", "skipped", "failed", "companies"];

function named({ metadata }: Job, names: readonly string[]): EventData {
  return Object.fromEntries(names.flatMap((name) => (name in metadata ? [[name, metadata[name]]] : [])));
}
