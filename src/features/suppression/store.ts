import type { AuditEntry } from "../../platform/auth/audit/model.ts";
import type { Reachable, Suppression, SuppressionFilter, SuppressionMatch, SuppressionTarget } from "./model.ts";

/** "added", or "existing" with the entry that was there. */
export type AddSuppressionOutcome = { outcome: "added" | "existing"; id: string };

export type SuppressionPageRequest = {
  userId: string;
  filter: SuppressionFilter;
  /** `next` of the page before. */
  after: number | null;
  limit: number;
};

/** `next` is null on the last page. */
export type SuppressionPage = { entries: Suppression[]; next: number | null };

export type SuppressionStore = {
  /**
   * Stores entries, in one operation; who has the same kind and value already keeps that entry. One without a value
   * takes it away, with the reason, from an entry that was there: only the hash is kept then. Outcomes in order.
   */
  add(entries: readonly Suppression[]): Promise<AddSuppressionOutcome[]>;
  /** The user's own or the team's. */
  get(userId: string, id: string): Promise<Suppression | null>;
  /** Newest first, at most `limit`. */
  page(request: SuppressionPageRequest): Promise<SuppressionPage>;
  /** Exact. */
  count(userId: string, filter: SuppressionFilter): Promise<number>;
  /** Removes an entry of the user or of the team; false when it is gone. */
  remove(userId: string, id: string, audit?: AuditEntry): Promise<boolean>;
  /** Takes value and reason from an entry of the user or of the team; it holds as before. Null when it is gone. */
  forgetValue(userId: string, id: string, audit?: AuditEntry): Promise<Suppression | null>;
  /** Resolves once what this request has stored before is durable; rejects when it does not hold after all. */
  durable(): Promise<void>;
  /** Every entry of the user or of the team that stands in the way of this target. */
  matches(userId: string, target: SuppressionTarget): Promise<SuppressionMatch[]>;
  /** For each of these people, in order, whether an entry of the user or of the team stands in the way. */
  among(userId: string, people: readonly Reachable[]): Promise<boolean[]>;
};
