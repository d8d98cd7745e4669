import type { Clock } from "../../platform/base/clock.ts";
import type { CreditService } from "../credits/service.ts";
import type { JobClaim } from "../../platform/jobs/model.ts";
import type { Enriched, NumberedOutcome } from "./enricher.ts";
import type { FinishedBatch } from "./change-model.ts";

/** Progress of an enrichment, stored in the metadata of its job. */
export type Counts = { batchSize: number; processed: number; enriched: number; failed: number; creditsUsed: number };

export function countsAtStart(batchSize: number): Counts {
  return { batchSize, processed: 0, enriched: 0, failed: 0, creditsUsed: 0 };
}

/** Adds the outcomes of a batch. The cost is recorded by the ledger. */
export function countsAfter(before: Counts, outcomes: readonly NumberedOutcome[]): Counts {
  const enriched = outcomes.filter(({ outcome }) => outcome.kind === "enriched").length;
  return {
    ...before,
    processed: before.processed + outcomes.length,
    enriched: before.enriched + enriched,
    failed: before.failed + outcomes.length - enriched,
  };
}

type BatchProgress = Pick<FinishedBatch, "metadata" | "message" | "leaseUntil" | "completes">;

/** Builds the store request to finish a batch. `outcomes` are the final ones among those of `found`. */
export function finishedBatch(
  claim: JobClaim,
  reservationId: string | null,
  outcomes: readonly NumberedOutcome[],
  { results, verdicts, charges, freeSince }: Enriched,
  { processed, batchSize }: Counts,
  { completes, ...stored }: BatchProgress,
  { credits, clock }: { credits: CreditService; clock: Clock },
): FinishedBatch {
  const settlement = reservationId === null ? null : credits.settlement(reservationId, charges, completes);
  return {
    claim,
    outcomes: outcomes.map(({ n, outcome }) => ({ n, outcome })),
    payment: { results, verdicts, settlement, freeSince },
    // 100 % is reserved for completed jobs.
    progress: completes ? 100 : Math.min(99, (processed / batchSize) * 100),
    completes,
    at: clock.now(),
    ...stored,
  };
}
