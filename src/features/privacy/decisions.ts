import type { Job, JobMetadata, JobType } from "../../platform/jobs/model.ts";
import type { LeadContent } from "../leads/model.ts";
import type { Mentions } from "./mentions.ts";
import type { Erasure, Place, Values } from "./place-model.ts";

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

type Row = { isOwn: boolean; fields: Readonly<Record<string, unknown>> };

/** Whether a row is about the person or mentions them. */
export function concernsPerson(place: Pick<Place, "texts">, { isOwn, fields }: Row, mentions: Mentions): boolean {
  return isOwn || Object.keys(redactedTexts(place, fields, mentions)).length > 0;
}

/** What an erasure does with a row as it is now: null if it neither is about the person nor mentions them. */
export function erasureOf(
  place: Pick<Place, "texts" | "erasesMentions">,
  { isOwn, fields }: Row,
  mentions: Mentions,
): { kind: "erase" } | { kind: "redact"; texts: Record<string, string> } | null {
  if (isOwn) return { kind: "erase" };
  const texts = redactedTexts(place, fields, mentions);
  if (Object.keys(texts).length === 0) return null;
  return place.erasesMentions ? { kind: "erase" } : { kind: "redact", texts };
}

/** The texts that mention the person, redacted. */
function redactedTexts(
  { texts }: Pick<Place, "texts">,
  fields: Row["fields"],
  { redacted }: Mentions,
): Record<string, string> {
  return Object.fromEntries(
    texts.flatMap((name) => {
      const text = fields[name];
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
