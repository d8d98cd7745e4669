import type { Clock } from "../../platform/base/clock.ts";
import type { CreditService } from "../credits/service.ts";
import type { JobClaim } from "../../platform/jobs/model.ts";
import type { Enriched, NumberedOutcome } from "./enricher.ts";
import type { FinishedBatch } from "./store.ts";

/** How far an enrichment is; in the metadata of its job. */
export type Counts = { batchSize: number; processed: number; enriched: number; failed: number; creditsUsed: number };

export function countsAtStart(batchSize: number): Counts {
  return { batchSize, processed: 0, enriched: 0, failed: 0, creditsUsed: 0 };
}

/** With the outcomes of a batch. What it has cost is for the ledger to say. */
export function countsAfter(before: Counts, outcomes: readonly NumberedOutcome[]): Counts {
  const enriched = outcomes.filter(({ outcome }) => outcome.kind === "enriched").length;
  return {
    ...before,
    processed: before.processed + outcomes.length,
    enriched: before.enriched + enriched,
    failed: before.failed + outcomes.length - enriched,
  };
}

type Stored = Pick<FinishedBatch, "metadata" | "message" | "leaseUntil" | "completes">;

/** What the store needs to finish a batch. `outcomes` are those of `found` that are final. */
export function finishedBatch(
  claim: JobClaim,
  reservationId: string | null,
  outcomes: readonly NumberedOutcome[],
  { results, verdicts, charges, freeSince }: Enriched,
  { processed, batchSize }: Counts,
  { completes, ...stored }: Stored,
  { credits, clock }: { credits: CreditService; clock: Clock },
): FinishedBatch {
  const settlement = reservationId === null ? null : credits.settlement(reservationId, charges, completes);
  return {
    claim,
    outcomes: outcomes.map(({ n, outcome }) => ({ n, outcome })),
    payment: { results, verdicts, settlement, freeSince },
    // Not yet 100 %, which is for what has ended.
    progress: completes ? 100 : Math.min(99, (processed / batchSize) * 100),
    completes,
    at: clock.now(),
    ...stored,
  };
}
