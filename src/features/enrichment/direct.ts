import type { Clock } from "../../platform/base/clock.ts";
import type { CreditService } from "../credits/service.ts";
import type { Job } from "../../platform/jobs/model.ts";
import { countsAfter, countsAtStart, finishedBatch, type Counts } from "./batch.ts";
import type { Enricher, EnrichSettings, NumberedLead, NumberedOutcome, Prepared, Terms } from "./enricher.ts";
import { answerWithinMs } from "./model.ts";
import { failureOf } from "./result.ts";
import type { EnrichmentStore, ItemOutcome, NewEnrichment } from "./store.ts";

export type DirectParts = { store: EnrichmentStore; enricher: Enricher; credits: CreditService; clock: Clock };
/** Some leads of a request. */
export type LeadBatch = { leads: readonly NumberedLead[]; prepared: Prepared };
/** What a request is about, and what may be charged for it. */
export type DirectWork = {
  job: Job;
  batches: readonly LeadBatch[];
  settings: EnrichSettings;
  terms: Terms;
  reservationId: string | null;
  /** The job that is stored with the outcomes of its only batch; null: it is stored already. */
  created: NewEnrichment | null;
};

/** So much longer than the response takes that nobody else takes the job up while its request works on it. */
const leaseMarginMs = 60_000;

/** Until when the job of a request that begins now is in its hands; after a crash, the runner does the rest. */
export function directLease(now: number): number {
  return now + answerWithinMs + leaseMarginMs;
}

/**
 * Enriches the leads of a request while its client waits, batch by batch, and returns an outcome for each lead. Those that
 * are not done in time, or when the job is canceled meanwhile, have failed as retryable and cost nothing.
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
      const found = await enricher.enrich(job.userId, prepared, settings, left, stop.signal);
      try {
        const outcomes = stop.signal.aborted ? found.outcomes.map(withDeadline) : found.outcomes;
        const after = countsAfter(counts, outcomes);
        const completes = index === batches.length - 1;
        const { creditsUsed: _before, ...metadata } = after;
        const message = messageOf(after, completes);
        const told = { metadata, message, completes, leaseUntil: directLease(clock.now()) };
        const batch = finishedBatch(claim, reservationId, outcomes, found, after, told, { credits, clock });
        const stored = await store.answerBatch(job.userId, batch, created);
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

/** Who could not be asked because the time was over. */
function withDeadline(numbered: NumberedOutcome): NumberedOutcome {
  const { n, outcome } = numbered;
  if (outcome.kind !== "failed" || outcome.failure.code !== "PROVIDERS_UNAVAILABLE") return numbered;
  return { ...numbered, outcome: notProcessed({ n, input: outcome.failure.input }) };
}

function notProcessed({ n, input }: NumberedLead): ItemOutcome {
  return { kind: "failed", failure: failureOf(n, input, "NOT_PROCESSED") };
}
