import type { Clock } from "../../platform/base/clock.ts";
import type { CreditService } from "../credits/service.ts";
import type { Job } from "../../platform/jobs/model.ts";
import { countsAfter, countsAtStart, finishedBatch, type Counts } from "./batch.ts";
import type { Enricher, EnrichSettings, NumberedLead, NumberedOutcome, Prepared, Terms } from "./enricher.ts";
import { answerWithinMs } from "./model.ts";
import { failureOf } from "./result.ts";
import type { ItemOutcome, NewEnrichment } from "./change-model.ts";
import type { EnrichmentStore } from "./store.ts";

export type DirectParts = { store: EnrichmentStore; enricher: Enricher; credits: CreditService; clock: Clock };
/** A batch of leads from a request. */
export type LeadBatch = { leads: readonly NumberedLead[]; prepared: Prepared };
/** The work of a direct request, and what may be charged for it. */
export type DirectWork = {
  job: Job;
  batches: readonly LeadBatch[];
  settings: EnrichSettings;
  terms: Terms;
  reservationId: string | null;
  /** The job, if it is to be stored together with its only batch; null if it is already stored. */
  created: NewEnrichment | null;
};

/** Margin beyond the response deadline, so that no runner claims the job while its request is working on it. */
const leaseMarginMs = 60_000;

/** Lease end for the job of a request that starts now. After a crash, the job runner completes the job. */
export function directLease(now: number): number {
  return now + answerWithinMs + leaseMarginMs;
}

/**
 * Enriches the leads of a request in batches while the client waits, and returns an outcome for each lead. Leads that
 * are not done by the deadline, or when the job is canceled, fail as retryable and cost nothing.
 */
export async function enrichDirectly(
  { store, enricher, credits, clock }: DirectParts,
  { job, batches, settings, terms, reservationId, created }: DirectWork,
): Promise<{ outcomes: ItemOutcome[]; creditsUsed: number }> {
  const claim = { id: job.id, attempt: job.attempt };
  const stop = new AbortController();
  const cancelTimer = clock.after(answerWithinMs, () => stop.abort());
  const done: ItemOutcome[] = [];
  let counts = countsAtStart(batches.reduce((sum, { leads }) => sum + leads.length, 0));
  try {
    for (const [index, { prepared }] of batches.entries()) {
      const left = { ...terms, credits: terms.credits - counts.creditsUsed };
      const found = await enricher.enrich(job.workspaceId, prepared, settings, left, stop.signal);
      try {
        const outcomes = stop.signal.aborted ? found.outcomes.map(withDeadline) : found.outcomes;
        const after = countsAfter(counts, outcomes);
        const completes = index === batches.length - 1;
        const { creditsUsed: _before, ...metadata } = after;
        const message = messageOf(after, completes);
        const progress = { metadata, message, completes, leaseUntil: directLease(clock.now()) };
        const batch = finishedBatch(claim, reservationId, outcomes, found, after, progress, { credits, clock });
        const stored = await store.answerBatch(job.workspaceId, batch, created);
        if (stored === null) {
          done.push(...batches.slice(index).flatMap((rest) => rest.leads.map(notProcessed)));
          break;
        }
        done.push(...stored.outcomes);
        counts = { ...after, creditsUsed: stored.creditsUsed };
      } finally {
        found.release();
      }
    }
    return { outcomes: done, creditsUsed: counts.creditsUsed };
  } finally {
    cancelTimer();
  }
}

function messageOf({ processed, batchSize, enriched }: Counts, completes: boolean): string {
  return completes ? `Enriched ${enriched} of ${batchSize} leads` : `${processed} of ${batchSize} leads done`;
}

/** Marks leads that missed a provider because of the deadline as not processed. */
function withDeadline(numbered: NumberedOutcome): NumberedOutcome {
  const { n, outcome } = numbered;
  if (outcome.kind !== "failed" || outcome.failure.code !== "PROVIDERS_UNAVAILABLE") return numbered;
  return { ...numbered, outcome: notProcessed({ n, input: outcome.failure.input }) };
}

function notProcessed({ n, input }: NumberedLead): ItemOutcome {
  return { kind: "failed", failure: failureOf(n, input, "NOT_PROCESSED") };
}
