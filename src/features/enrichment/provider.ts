import type { EnrichField } from "./fields.ts";
import type { Finding, Subject } from "./model.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

export type LookUpContext = {
  workspaceId: WorkspaceId;
  /** The lead being enriched, which must not serve as a source for itself. */
  leadId: string | null;
  /** Requested fields; no others may be bought. */
  wanted: ReadonlySet<EnrichField>;
  signal: AbortSignal;
};

/**
 * Outcome of a query. `spent` is in the provider's own credits. `hasLeft`: the address in the query belongs to a job
 * that the person has left. `none`: person not found. `paused`: rate limited until `until`. `exhausted`: the account
 * has no credits or is not accepted, which only a user can fix. `failed`: no usable response.
 */
export type LookUpOutcome =
  | { kind: "found"; findings: Finding[]; spent: number; hasLeft?: boolean }
  | { kind: "none"; spent: number }
  | { kind: "paused"; until: number; reason: string }
  | { kind: "exhausted"; reason: string }
  | { kind: "failed"; reason: string };

/** `minimum`: cost of the cheapest query; `on`: cost of a query about this person. */
export type ProviderCost = { minimum: number; on(subject: Subject): number };

/** A source of data about people. Never throws because of a vendor's response. */
export type EnrichmentProvider = {
  /** Unique name, as in `sources`. */
  name: string;
  /** Maximum cost of a query in the provider's credits; 1 by default. */
  spends?: number | ProviderCost;
  /** All fields that the provider can return. */
  fields: readonly EnrichField[];
  /** Fields that a query about this subject can return; empty if too little is known for a query. */
  fieldsFor(subject: Subject): readonly EnrichField[];
  /** The address to verify, if a query about this subject would only verify an address; otherwise null. */
  verifies?(subject: Subject): string | null;
  /** Whether a query now would omit data that the provider has; it may then be queried again for all of it. */
  asksPartially?(subject: Subject, wanted: ReadonlySet<EnrichField>): boolean;
  lookUp(subject: Subject, context: LookUpContext): Promise<LookUpOutcome>;
};
