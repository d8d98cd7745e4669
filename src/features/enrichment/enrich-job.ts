import { isoTime, type Clock } from "../../platform/base/clock.ts";
import type { CreditService } from "../credits/service.ts";
import type { JobContext, JobHandler } from "../../platform/jobs/handler.ts";
import type { Job, JobEnd } from "../../platform/jobs/model.ts";
import { countsAfter, finishedBatch, type Counts as BatchCounts } from "./batch.ts";
import type { Enriched, Enricher, EnrichSettings, Terms } from "./enricher.ts";
import type { EnrichmentStore } from "./store.ts";

/** Payload of an enrichment job, in addition to its leads. */
type Payload = { settings: EnrichSettings; terms?: Terms; keyId: string | null };
/** `waitedMs`: time spent waiting for paused providers. */
type Counts = BatchCounts & { waitedMs: number };

/** `waitedMs` is absent in jobs that have not waited. */
type StoredCounts = Omit<Counts, "waitedMs"> & Partial<Counts>;

/** Small enough to show progress and to limit repeated queries after a crash. */
const batchLeads = 10;
/** Longest provider pause a job waits for. Many vendors limit requests per minute. */
const maxPauseMs = 15 * 60_000;
/** Total time a job waits for paused providers before continuing without them. */
const maxTotalWaitMs = 3_600_000;
/** A failing provider that another request is probing may recover at any time. */
const minWaitMs = 1_000;

/**
 * Enriches the leads of a job in batches; after a crash, it continues after the last stored batch. Leads that lack a
 * provider that is paused for a few minutes stay pending, and the job waits for the provider.
 */
export function createEnrichHandler(
  store: EnrichmentStore,
  enricher: Enricher,
  credits: CreditService,
  clock: Clock,
): JobHandler {
  async function run(job: Job, context: JobContext): Promise<JobEnd | null> {
    const payload = job.payload as Payload;
    const { keyId, terms = termsOfLegacyJob(job) } = payload;
    // Data refreshed by this job, possibly before a wait or a crash, is not refreshed again.
    const settings = { ...payload.settings, since: job.createdAt };
    let counts = countsOf(job);
    // The reservation of the request if it is still open, or a new one after a retry, never exceeding the agreed terms.
    const amount = terms.credits - counts.creditsUsed;
    const request = { request: job.id, purpose: "enrichment", amount, keyId, jobId: job.id } as const;
    const reserved = amount === 0 ? null : await credits.reserve(job.workspaceId, request);
    if (reserved?.kind === "exhausted")
      return { kind: "failed", message: credits.refusal(reserved).message, metadata: {}, at: clock.now() };
    for (;;) {
      const items = await store.pending(job.id, batchLeads);
      if (items.length === 0) break;
      const done = await runBatch(job, context, settings, terms, reserved?.id ?? null, items, counts);
      if (done === null) return null; // canceled, or another runner has the job
      counts = done.counts;
      if (done.waitMs > 0) return waitForProvider(counts, done.waitMs);
    }
    if (reserved !== null) await credits.release(reserved.id);
    const message = `Enriched ${counts.enriched} of ${counts.batchSize} leads for ${counts.creditsUsed} credits`;
    const { waitedMs: _waited, ...metadata } = counts;
    return { kind: "completed", message, metadata, at: clock.now() };
  }

  /** Terms of a job submitted by an earlier version, which reserved credits for every remaining lead. */
  function termsOfLegacyJob(job: Job): Terms {
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
    const prepared = await enricher.prepare(job.workspaceId, items, settings);
    const left = { ...terms, credits: terms.credits - before.creditsUsed };
    const found = await enricher.enrich(job.workspaceId, prepared, settings, left, context.signal);
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
    // Queries skipped because the server is stopping are not misses: they run after the next start.
    if (signal.aborted) throw new Error("Interrupted");
    const waits = found.outcomes.map(({ completeAt }) => waitMsFor(completeAt, before));
    // Findings for leads that stay pending are stored and charged anyway, so that they are not queried twice.
    const outcomes = found.outcomes.filter((_, index) => waits[index] === 0);
    const counts: Counts = { ...before, ...countsAfter(before, outcomes) };
    const { creditsUsed: _before, waitedMs: _waited, ...metadata } = counts;
    const message = `${counts.processed} of ${counts.batchSize} leads done`;
    const progress = { metadata, message, leaseUntil: leaseUntil(), completes: false };
    const batch = finishedBatch(claim, reservationId, outcomes, found, counts, progress, { credits, clock });
    const stored = await store.finishBatch(job.workspaceId, batch);
    return stored && { counts: { ...counts, creditsUsed: stored.creditsUsed }, waitMs: Math.max(...waits) };
  }

  /** How long to wait for a lead; 0 if it is done. */
  function waitMsFor(completeAt: number | null, { waitedMs }: Counts): number {
    if (completeAt === null) return 0;
    const waitMs = Math.max(minWaitMs, completeAt - clock.now());
    return waitMs > maxPauseMs || waitedMs + waitMs > maxTotalWaitMs ? 0 : waitMs;
  }

  function waitForProvider(counts: Counts, waitMs: number): JobEnd {
    const at = clock.now();
    const runAt = at + waitMs;
    const message = `${counts.processed} of ${counts.batchSize} leads done; waiting for a provider until ${isoTime(runAt)}`;
    const metadata = { ...counts, waitedMs: counts.waitedMs + waitMs };
    return { kind: "again", message, metadata, at, runAt, countsAsAttempt: false };
  }

  return { type: "data_enrichment", concurrency: 2, run };
}

function countsOf({ metadata }: Job): Counts {
  const { batchSize, processed, enriched, failed, creditsUsed, waitedMs = 0 } = metadata as StoredCounts;
  return { batchSize, processed, enriched, failed, creditsUsed, waitedMs };
}
