import { and, asc, eq, gt, inArray, isNotNull, isNull, lt, sql } from "drizzle-orm";
import type { Verdict } from "../../../features/enrichment/model.ts";
import type {
  EnrichmentStore,
  FinishedBatch,
  ItemOutcome,
  NewEnrichment,
  Paid,
  Payment,
  StoredBatch,
} from "../../../features/enrichment/store.ts";
import { createVerdictRows } from "./email-verdicts.ts";
import { createResultRows } from "./enrichment-results.ts";
import { enrichmentItems, enrichmentResults, enrichmentSettings, providerSpending } from "./enrichment-tables.ts";
import type { Engine } from "./engine.ts";
import { isHeld } from "../../../platform/jobs/transitions.ts";
import { countRows } from "./list-pages.ts";
import { limitOf } from "./parameter.ts";
import { lazy, prepared } from "./prepared.ts";
import type { SharedRows } from "./shared-rows.ts";

export function createEnrichmentStore(
  engine: Engine,
  { owners: ownerOf, credits, jobRows, suppressions }: SharedRows,
): EnrichmentStore {
  const { orm, database, writer } = engine;
  const results = createResultRows(engine);
  const verdictRows = createVerdictRows(engine);
  const at = sql.placeholder;
  // One statement for all leads of a job: 10,000 of them one by one would block everything else for longer.
  const insertItems = prepared<void, [string, string]>(
    database,
    "INSERT INTO enrichment_items (job_id, n, input) SELECT ?, key, value FROM json_each(?)",
  );
  const setOutcome = lazy(() =>
    orm
      .update(enrichmentItems)
      .set({ outcome: sql`${at("outcome")}` })
      .where(and(eq(enrichmentItems.jobId, at("jobId")), eq(enrichmentItems.n, at("n"))))
      .prepare(),
  );
  const itemsOf = (isDone: boolean) =>
    lazy(() =>
      orm
        .select({ n: enrichmentItems.n, input: enrichmentItems.input, outcome: enrichmentItems.outcome })
        .from(enrichmentItems)
        .where(
          and(
            eq(enrichmentItems.jobId, at("jobId")),
            gt(enrichmentItems.n, at("afterN")),
            (isDone ? isNotNull : isNull)(enrichmentItems.outcome),
          ),
        )
        .orderBy(asc(enrichmentItems.n))
        .limit(limitOf("limit"))
        .prepare(),
    );
  // Jobs are in the order of their making, so that those to be forgotten come first; not all of the others are read.
  const oldItems = prepared<{ job: string; n: number }, [Record<string, number>]>(
    database,
    `SELECT i.job_id AS job, i.n FROM (SELECT job_id, n FROM enrichment_items ORDER BY job_id, n LIMIT $considered) AS i
       JOIN jobs ON jobs.id = i.job_id
       WHERE jobs.status IN ('completed', 'failed') AND jobs.updated_at < $before LIMIT $limit`,
  );
  const deleteItem = prepared<void, [string, number]>(
    database,
    "DELETE FROM enrichment_items WHERE job_id = ? AND n = ?",
  );
  const doneItems = itemsOf(true);
  const pendingItems = itemsOf(false);

  function insertJob({ job, leads }: NewEnrichment): void {
    jobRows.insert(job);
    insertItems.run(job.id, JSON.stringify(leads));
  }

  function finishBatch(userId: string, batch: FinishedBatch): StoredBatch | null {
    const { claim, outcomes, payment, metadata, message, progress, leaseUntil, completes, at: now } = batch;
    const job = jobRows.get(claim.id);
    if (job === null || !isHeld(job, claim)) return null;
    const paid = pay(userId, payment);
    const before = job.metadata["creditsUsed"];
    const charged = paid.settled?.kind === "settled" ? paid.settled.charged : 0;
    const creditsUsed = (typeof before === "number" ? before : 0) + charged;
    const told = outcomes.map(({ n, outcome }) => withCost(outcome, credits.costOf(userId, claim.id, `${n}`)));
    for (const [index, { n }] of outcomes.entries())
      setOutcome().run({ jobId: claim.id, n, outcome: JSON.stringify(told[index]) });
    const end = { status: "completed", leaseUntil: null, completedAt: now } as const;
    jobRows.write(job, {
      metadata: { ...job.metadata, ...metadata, creditsUsed },
      message,
      progress,
      updatedAt: now,
      ...(completes ? end : { leaseUntil }),
    });
    return { creditsUsed, outcomes: told, paid };
  }

  /** Stores what is new and charges for it. */
  function pay(userId: string, { results: found, verdicts = [], settlement, freeSince }: Payment): Paid {
    const owner = ownerOf(userId);
    const free: string[] = [];
    const isListed = ({ email }: Verdict) => suppressions.find(userId, { email, profileKey: null }) !== null;
    if (owner !== null)
      verdictRows.replace(
        owner,
        verdicts.filter((verdict) => !isListed(verdict)),
        freeSince,
      );
    for (const { item, ...result } of owner === null ? [] : found) {
      const { email, network } = result.identity;
      // Somebody who was erased while providers were asked; what they took is paid for.
      if (suppressions.find(userId, { email, profileKey: network }) !== null) continue;
      const stored = freeSince === null ? null : results.find(owner!, result.identity, freeSince);
      if (stored === null) results.insert(owner!, result);
      else if (item === null) results.replace(owner!, stored, result);
      else free.push(item);
    }
    if (settlement === null) return { settled: null, free };
    const items = settlement.items.filter(({ item }) => !free.includes(item));
    return { settled: credits.settle({ ...settlement, items }), free };
  }

  function forgetBefore(before: number, limit: number): number {
    const old = orm
      .select({ n: enrichmentResults.n })
      .from(enrichmentResults)
      .where(lt(enrichmentResults.at, before))
      .limit(limit);
    const removed = orm
      .delete(enrichmentResults)
      .where(inArray(enrichmentResults.n, old))
      .returning({ n: enrichmentResults.n })
      .all().length;
    const items = oldItems.all({ before, considered: limit * 4, limit });
    for (const { job, n } of items) deleteItem.run(job, n);
    return removed + items.length + verdictRows.forgetBefore(before, limit);
  }

  return {
    async results(userId, people, since) {
      const owner = ownerOf(userId);
      return people.map((person) => {
        const row = owner === null ? null : results.find(owner, person, since);
        if (row === null) return null;
        const { n: _n, ...result } = row;
        return result;
      });
    },
    async verdicts(userId, emails, since) {
      const owner = ownerOf(userId);
      return owner === null ? [] : verdictRows.of(owner, emails, since);
    },
    submit: (job, leads, reserve) =>
      writer.write(() => {
        const outcome = reserve === null ? null : credits.reserve(reserve);
        if (outcome?.kind === "exhausted") return outcome;
        insertJob({ job, leads });
        return outcome;
      }),
    pending: async (jobId, limit) => pendingItems().all({ jobId, afterN: -1, limit }),
    finishBatch: (userId, batch) => writer.write(() => finishBatch(userId, batch)),
    answerBatch: (userId, batch, created) =>
      writer.write(() => {
        if (created !== null) insertJob(created);
        return finishBatch(userId, batch);
      }),
    done: async (jobId, afterN, limit) => doneItems().all({ jobId, afterN, limit }),
    countDone: (jobId) =>
      countRows(engine, {
        sql: "SELECT 1 FROM enrichment_items WHERE job_id = ? AND outcome IS NOT NULL",
        params: [jobId],
      }),
    providers: async (userId) =>
      orm
        .select({ providers: enrichmentSettings.providers })
        .from(enrichmentSettings)
        .where(eq(enrichmentSettings.userId, userId))
        .get()?.providers ?? null,
    setProviders: (userId, providers) =>
      writer.write(() => {
        if (providers === null) orm.delete(enrichmentSettings).where(eq(enrichmentSettings.userId, userId)).run();
        else
          orm
            .insert(enrichmentSettings)
            .values({ userId, providers })
            .onConflictDoUpdate({ target: enrichmentSettings.userId, set: { providers } })
            .run();
      }),
    async spending(month) {
      const rows = orm.select().from(providerSpending).where(eq(providerSpending.month, month)).all();
      return Object.fromEntries(rows.map(({ provider, spent }) => [provider, spent]));
    },
    saveSpending: (month, spent) =>
      writer.write(() => {
        for (const [provider, sum] of Object.entries(spent))
          orm
            .insert(providerSpending)
            .values({ provider, month, spent: sum })
            .onConflictDoUpdate({ target: [providerSpending.provider, providerSpending.month], set: { spent: sum } })
            .run();
      }),
    forgetBefore: (before, limit) => writer.write(() => forgetBefore(before, limit)),
  };
}

/** A lead that was paid for may have stayed until the rest of it was known, and somebody else may have paid for it. */
function withCost(outcome: ItemOutcome, creditsUsed: number): ItemOutcome {
  return outcome.kind === "failed" ? outcome : { ...outcome, result: { ...outcome.result, creditsUsed } };
}
