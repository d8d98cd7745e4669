import type { Decision } from "../../platform/base/decision.ts";
import type { NewEvent } from "../../platform/events/model.ts";
import type { MergeLeads, MergeOutcome } from "./change-model.ts";
import { changeEvent, nextVersion, targetOf, type LeadChange, type LeadFacts } from "./decisions.ts";
import { leadIdentity } from "./identity.ts";
import { mergedContent } from "./merge.ts";
import {
  leadStatuses,
  leadTextFields,
  leadTextLimits,
  type Lead,
  type LeadContent,
  type LeadTextField,
} from "./model.ts";

/** Fields of which the merged lead can have the value of the other lead although both have one. */
export const takenFields = [...leadTextFields, "status", "assignedTo"] as const;
export type TakenField = (typeof takenFields)[number];

/**
 * What two leads of one person become: what `keep` lacks comes from `other`, and so do the fields in `take`. Tags, custom
 * fields, and notes are combined, and the status is the one that got furthest.
 */
export function contentOfBoth(keep: Lead, other: Lead, take: readonly TakenField[]): LeadContent {
  const both = mergedContent(other, keep);
  const taken = take.filter((field): field is LeadTextField => field in leadTextLimits);
  const texts = Object.fromEntries(taken.flatMap((field) => (other[field] === null ? [] : [[field, other[field]]])));
  return {
    ...both,
    ...texts,
    ...(!take.includes("notes") && { notes: combinedNotes(keep.notes, other.notes) }),
    tags: mergedContent(keep, other).tags,
    status: take.includes("status") ? other.status : furthest(keep.status, other.status),
    assignedTo:
      take.includes("assignedTo") && other.assignedTo !== null
        ? other.assignedTo
        : (keep.assignedTo ?? other.assignedTo),
  };
}

function combinedNotes(ours: string | null, theirs: string | null): string | null {
  if (ours === null || theirs === null || ours.includes(theirs)) return ours ?? theirs;
  const both = `${ours}\n\n${theirs}`;
  return both.length > leadTextLimits.notes ? ours : both;
}

function furthest(one: Lead["status"], other: Lead["status"]): Lead["status"] {
  return leadStatuses.indexOf(one) >= leadStatuses.indexOf(other) ? one : other;
}

/** The other lead disappears into the one that is kept, with everything that refers to it. */
export function decideMerge(request: MergeLeads, facts: LeadFacts): Decision<MergeOutcome, LeadChange> {
  const { workspaceId, keep, other, content, at, actorId, audit } = request;
  const [kept, gone] = [facts.lead(keep.id), facts.lead(other.id)];
  const blocking = [kept, gone].flatMap((stored) =>
    stored === null ? [] : isBlocked(stored.lead, facts) ? [stored] : [],
  );
  if (kept === null) return { outcome: { kind: "absent", id: keep.id }, changes: [] };
  if (gone === null) return { outcome: { kind: "absent", id: other.id }, changes: [] };
  if (kept.lead.version !== keep.version || gone.lead.version !== other.version)
    return { outcome: { kind: "stale" }, changes: [] };
  // Newer than both, so that no version that a client has of the other one passes for one of the merged lead.
  const version = Math.max(kept.lead.version, gone.lead.version) + 1;
  const lead = { ...nextVersion(kept.lead, content, at), version };
  const changed = changeEvent(kept.lead, lead, actorId);
  const merged: NewEvent = {
    ...(changed ?? { type: "lead.updated", workspaceId, at, leadId: keep.id, actorId }),
    data: { fields: [], ...changed?.data, merged: other.id },
  };
  const deleted: NewEvent = {
    ...{ type: "lead.deleted", workspaceId, at, leadId: other.id, actorId },
    data: { mergedInto: keep.id },
  };
  return {
    outcome: { kind: "merged", lead },
    changes: [
      { kind: "relink", workspaceId, from: other.id, to: keep.id },
      { kind: "remove", stored: gone },
      { kind: "replace", before: kept, lead, identity: leadIdentity(content) },
      // An address that the merged lead does not have may be what the person objected by.
      ...(blocking.length > 0 ? request.suppress : []).map((entry) => ({ kind: "suppress", entry }) as const),
      { kind: "audit", entry: audit },
      { kind: "event", event: merged },
      { kind: "event", event: deleted },
    ],
  };
}

function isBlocked(lead: Lead, facts: LeadFacts): boolean {
  return facts.suppression(targetOf({ lead, identity: leadIdentity(lead) })) !== null;
}
