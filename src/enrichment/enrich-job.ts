import type { Clock } from "../clock.ts";
import type { CreditService } from "../credits/service.ts";
import type { JobContext, JobHandler } from "../jobs/handler.ts";
import type { Job } from "../jobs/model.ts";
import type { JobEnd } from "../jobs/store.ts";
import type { Enricher, EnrichSettings } from "./enricher.ts";
import type { EnrichmentStore } from "./store.ts";

/** What a job needs to know beside its leads; its payload. */
type Payload = { settings: EnrichSettings; keyId: string | null };
type Counts = { batchSize: number; processed: number; enriched: number; failed: number; creditsUsed: number };

/** Small enough that progress is seen and little is asked twice after a crash. */
const batchLeads = 10;

/** Enriches the leads of a job batch by batch; after a crash it goes on behind the last stored batch. */
export function createEnrichHandler(
  store: EnrichmentStore,
  enricher: Enricher,
  credits: CreditService,
  clock: Clock,
): JobHandler {
  async function run(job: Job, context: JobContext): Promise<JobEnd | null> {
    const { settings, keyId } = job.payload as Payload;
    let counts = countsOf(job);
    const amount = (counts.batchSize - counts.processed) * credits.costOf("enrichment");
    // The reservation of the request, if it is still open; after a retry a new one.
    const request = { request: job.id, purpose: "enrichment", amount, keyId, jobId: job.id } as const;
    const reserved = amount === 0 ? null : await credits.reserve(job.userId, request);
    if (reserved?.kind === "exhausted")
      return { kind: "failed", message: credits.refusal(reserved).message, metadata: {}, at: clock.now() };
    for (;;) {
      const items = await store.pending(job.id, batchLeads);
      if (items.length === 0) break;
      const enriched = await runBatch(job, context, settings, reserved?.id ?? null, items, counts);
      if (enriched === null) return null; // cancelled, or another runner has the job
      counts = enriched;
    }
    if (reserved !== null) await credits.release(reserved.id);
    const message = `Enriched ${counts.enriched} of ${counts.batchSize} leads for ${counts.creditsUsed} credits`;
    return { kind: "completed", message, metadata: { ...counts }, at: clock.now() };
  }

  async function runBatch(
    job: Job,
    { claim, signal, leaseUntil }: JobContext,
    settings: EnrichSettings,
    reservationId: string | null,
    items: Awaited<ReturnType<EnrichmentStore["pending"]>>,
    before: Counts,
  ): Promise<Counts | null> {
    const prepared = await enricher.prepare(job.userId, items);
    const { outcomes, results, charges, freeSince } = await enricher.enrich(job.userId, prepared, settings, signal);
    // What was not asked because the server stops is not a miss: the next start asks.
    if (signal.aborted) throw new Error("Interrupted");
    const enriched = outcomes.filter(({ outcome }) => outcome.kind === "enriched").length;
    const counts: Counts = {
      batchSize: before.batchSize,
      processed: before.processed + outcomes.length,
      enriched: before.enriched + enriched,
      failed: before.failed + outcomes.length - enriched,
      creditsUsed: before.creditsUsed,
    };
    const settlement = reservationId === null ? null : credits.settlement(reservationId, charges, false);
    const { creditsUsed: _before, ...metadata } = counts;
    const stored = await store.finishBatch(job.userId, {
      claim,
      outcomes,
      payment: { results, settlement, freeSince },
      metadata,
      message: `${counts.processed} of ${counts.batchSize} leads done`,
      progress: Math.min(99, (counts.processed / counts.batchSize) * 100),
      leaseUntil: leaseUntil(),
      at: clock.now(),
    });
    return stored && { ...counts, ...stored };
  }

  return { type: "data_enrichment", concurrency: 2, run };
}

function countsOf({ metadata }: Job): Counts {
  const { batchSize, processed, enriched, failed, creditsUsed } = metadata as Counts;
  return { batchSize, processed, enriched, failed, creditsUsed };
}
