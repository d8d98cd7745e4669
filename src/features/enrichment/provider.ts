import type { EnrichField } from "./fields.ts";
import type { Finding, Subject } from "./model.ts";

export type LookUpContext = {
  userId: string;
  /** The lead that is being enriched, which is no source about itself. */
  leadId: string | null;
  /** Nothing else is to be bought. */
  wanted: ReadonlySet<EnrichField>;
  signal: AbortSignal;
};

/**
 * What came of asking. `spent` counts the provider's own credits. `hasLeft`: the address that was asked about went with a
 * job that the person has no more.
 * none: it knows nobody like that. paused: it has had too many requests, not before `until`. exhausted: our account
 * there is used up or not accepted, which only a person can change. failed: no usable answer.
 */
export type LookUpOutcome =
  | { kind: "found"; findings: Finding[]; spent: number; hasLeft?: boolean }
  | { kind: "none"; spent: number }
  | { kind: "paused"; until: number; reason: string }
  | { kind: "exhausted"; reason: string }
  | { kind: "failed"; reason: string };

/** `least`: its cheapest question; `on`: that about this person. */
export type Spends = { least: number; on(subject: Subject): number };

/** Somebody who knows people. It never throws for what a vendor answers. */
export type EnrichmentProvider = {
  /** As in `sources`; unique. */
  name: string;
  /** What asking takes of its credits at most; one where it does not say. */
  spends?: number | Spends;
  /** All that it can bring. */
  gives: readonly EnrichField[];
  /** What asking about this person can bring, by what is known of them; nothing where that is not enough to ask. */
  brings(subject: Subject): readonly EnrichField[];
  /** The address that asking about this person would verify and do no more; null where it does more, or nothing. */
  verifies?(subject: Subject): string | null;
  /** Whether asking now leaves out something that it could bring: then it may be asked again, for all of it. */
  asksInPart?(subject: Subject, wanted: ReadonlySet<EnrichField>): boolean;
  lookUp(subject: Subject, context: LookUpContext): Promise<LookUpOutcome>;
};
