import type { Job, JobMetadata, JobType } from "../../platform/jobs/model.ts";
import type { LeadContent } from "../leads/model.ts";
import type { Mentions } from "./mentions.ts";
import type { Erasure, Values } from "./place-model.ts";

/** Jobs that store people whom they have read about earlier, so an erasure waits for them. */
export const importingJobTypes: readonly JobType[] = ["lead_import", "prospect_import", "data_enrichment"];

/** Replaces the profile in an erased action. The domain can never be resolved (RFC 2606, section 2). */
const erasedProfile = "https://erased.invalid/person";

/** The metadata of an action's job that says nothing about the person. */
const keptMetadata = ["actionType", "accountId", "connector", "driver", "outcome", "canceled", "maxAttempts"];

/** Of an action that continues to count against the caps of its account. */
export const erasedAction = {
  profileUrl: erasedProfile,
  profileKey: erasedProfile,
  targetKey: erasedProfile,
  message: null,
  details: {},
  leadId: null,
  reference: null,
} as const;

/** The job of an erased action; `erased` keeps it from being retried. */
export function erasedJob({ metadata }: Job): Pick<Job, "message" | "editedMessage" | "metadata" | "payload"> {
  const kept = Object.entries(metadata).filter(([name]) => keptMetadata.includes(name));
  const left: JobMetadata = { ...Object.fromEntries(kept), erased: true };
  return { message: "The person was erased", editedMessage: null, metadata: left, payload: {} };
}

/** The columns that an erasure overwrites. */
export function erasedValues(erase: Exclude<Erasure, string>, row: Values): Values {
  return typeof erase === "function" ? erase(row) : erase;
}

/** The texts that mention the person, redacted. */
export function redactedTexts(row: Readonly<Record<string, unknown>>, { redacted }: Mentions): Record<string, string> {
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, text]) => {
      const after = typeof text === "string" ? redacted(text) : null;
      return after === null ? [] : [[name, after]];
    }),
  );
}

/** A lead about somebody else whose texts mention the person. */
export function redactedLead<L extends LeadContent>(lead: L, { redacted }: Mentions): L {
  const text = (value: string | null): string | null => (value === null ? null : (redacted(value) ?? value));
  const customFields = redacted(JSON.stringify(lead.customFields));
  return {
    ...lead,
    title: text(lead.title),
    source: text(lead.source),
    notes: text(lead.notes),
    tags: lead.tags.map((tag) => redacted(tag) ?? tag),
    customFields: customFields === null ? lead.customFields : (JSON.parse(customFields) as Record<string, unknown>),
  };
}
