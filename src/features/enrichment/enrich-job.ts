import { isoTime, type Clock } from "../../platform/base/clock.ts";
import type { CreditService } from "../credits/service.ts";
import type { JobContext, JobHandler } from "../../platform/jobs/handler.ts";
import type { Job, JobEnd } from "../../platform/jobs/model.ts";
import { countsAfter, finishedBatch, type Counts as BatchCounts } from "./batch.ts";
import type { Enriched, Enricher, EnrichSettings, Terms } from "./enricher.ts";
import type { EnrichmentStore } from "./store.ts";

/** What a job needs to know beside its leads; its payload. */
type Payload = { settings: EnrichSettings; terms?: Terms; keyId: string | null };
/** `waitedMs`: for providers that paused. */
type Counts = BatchCounts & { waitedMs: number };

/** A job that has waited for nobody says nothing of it. */
type Stored = Omit<Counts, "waitedMs"> & Partial<Counts>;

/** Small enough that progress is seen and little is asked twice after a crash. */
const batchLeads = 10;
/** A provider that is back so soon is waited for: many let themselves be asked a hundred times a minute. */
const longestPauseMs = 15 * 60_000;
/** So long a job waits in all; then it goes on without who pauses. */
const longestWaitMs = 3_600_000;
/** Where somebody else tries out a provider that failed, it is back at any moment. */
const shortestWaitMs = 1_000;

/**
 * Enriches the leads of a job batch by batch; after a crash it goes on behind the last stored batch. Leads that a provider
 * is missing for, because it pauses for some minutes, stay to be done, and the job waits for it.
 */
export function createEnrichHandler(
  store: EnrichmentStore,
  enricher: Enricher,
  credits: CreditService,
  clock: Clock,
): JobHandler {
  async function run(job: Job, context: JobContext): Promise<JobEnd | null> {
    const { settings: wanted, keyId, ...told } = job.payload as Payload;
    const terms = told.terms ?? termsOfOldJob(job);
    // What was asked for anew by this job, perhaps before a wait or a crash, is not asked for again.
    const settings = { ...wanted, since: job.createdAt };
    let counts = countsOf(job);
    // The reservation of the request, if it is still open; after a retry a new one. Never more than was told then.
    const amount = terms.credits - counts.creditsUsed;
    const request = { request: job.id, purpose: "enrichment", amount, keyId, jobId: job.id } as const;
    const reserved = amount === 0 ? null : await credits.reserve(job.userId, request);
    if (reserved?.kind === "exhausted")
      return { kind: "failed", message: credits.refusal(reserved).message, metadata: {}, at: clock.now() };
    for (;;) {
      const items = await store.pending(job.id, batchLeads);
      if (items.length === 0) break;
      const done = await runBatch(job, context, settings, terms, reserved?.id ?? null, items, counts);
      if (done === null) return null; // canceled, or another runner has the job
      counts = done.counts;
      if (done.waitMs > 0) return waiting(counts, done.waitMs);
    }
    if (reserved !== null) await credits.release(reserved.id);
    const message = `Enriched ${counts.enriched} of ${counts.batchSize} leads for ${counts.creditsUsed} credits`;
    const { waitedMs: _waited, ...metadata } = counts;
    return { kind: "completed", message, metadata, at: clock.now() };
  }

  /** Of a job that a version before submitted, which reserved for each lead that is left. */
  function termsOfOldJob(job: Job): Terms {
    const { batchSize, processed, creditsUsed } = countsOf(job);
    return { free: [], credits: creditsUsed + (batchSize - processed) * credits.costOf("enrichment") };
  }

  async function runBatch(
    job: Job,
    context: JobContext,
    settings: EnrichSettings,
    terms: Terms,
    reservationId: string | null,
    items: Awaited<ReturnType<EnrichmentStore["pending"]>>,
    before: Counts,
  ): Promise<{ counts: Counts; waitMs: number } | null> {
    const prepared = await enricher.prepare(job.userId, items);
    const left = { ...terms, credits: terms.credits - before.creditsUsed };
    const found = await enricher.enrich(job.userId, prepared, settings, left, context.signal);
    try {
      return await finish(job, context, found, reservationId, before);
    } finally {
      found.release();
    }
  }

  async function finish(
    job: Job,
    { claim, signal, leaseUntil }: JobContext,
    found: Enriched,
    reservationId: string | null,
    before: Counts,
  ): Promise<{ counts: Counts; waitMs: number } | null> {
    // What was not asked because the server stops is not a miss: the next start asks.
    if (signal.aborted) throw new Error("Interrupted");
    const waits = found.outcomes.map(({ completeAt }) => waitFor(completeAt, before));
    // What was found of those who stay is stored all the same, and paid for: nobody is asked twice for it.
    const outcomes = found.outcomes.filter((_, index) => waits[index] === 0);
    const counts: Counts = { ...before, ...countsAfter(before, outcomes) };
    const { creditsUsed: _before, waitedMs: _waited, ...metadata } = counts;
    const message = `${counts.processed} of ${counts.batchSize} leads done`;
    const told = { metadata, message, leaseUntil: leaseUntil(), completes: false };
    const batch = finishedBatch(claim, reservationId, outcomes, found, counts, told, { credits, clock });
    const stored = await store.finishBatch(job.userId, batch);
    return stored && { counts: { ...counts, creditsUsed: stored.creditsUsed }, waitMs: Math.max(...waits) };
  }

  /** How long a lead is worth waiting for; 0: it is done. */
  function waitFor(completeAt: number | null, { waitedMs }: Counts): number {
    if (completeAt === null) return 0;
    const waitMs = Math.max(shortestWaitMs, completeAt - clock.now());
    return waitMs > longestPauseMs || waitedMs + waitMs > longestWaitMs ? 0 : waitMs;
  }

  function waiting(counts: Counts, waitMs: number): JobEnd {
    const at = clock.now();
    const runAt = at + waitMs;
    const message = `${counts.processed} of ${counts.batchSize} leads done; a provider pauses until ${isoTime(runAt)}`;
    const metadata = { ...counts, waitedMs: counts.waitedMs + waitMs };
    return { kind: "again", message, metadata, at, runAt, countsAsAttempt: false };
  }

  return { type: "data_enrichment", concurrency: 2, run };
}

function countsOf({ metadata }: Job): Counts {
  const { batchSize, processed, enriched, failed, creditsUsed, waitedMs = 0 } = metadata as Stored;
  return { batchSize, processed, enriched, failed, creditsUsed, waitedMs };
}
