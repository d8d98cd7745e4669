import { and, asc, eq, gt, inArray, isNotNull, isNull, lt, sql } from "drizzle-orm";
import type { FinishedBatch, NewEnrichment, StoredBatch } from "../../../features/enrichment/change-model.ts";
import {
  decideBatch,
  findResult,
  type EnrichmentChange,
  type EnrichmentFacts,
} from "../../../features/enrichment/decisions.ts";
import type { EnrichmentStore } from "../../../features/enrichment/store.ts";
import { endedStatuses } from "../../../platform/jobs/model.ts";
import { createVerdictRows } from "./email-verdicts.ts";
import { createResultRows } from "./enrichment-results.ts";
import { enrichmentItems, enrichmentResults, enrichmentSettings, providerSpending } from "./enrichment-tables.ts";
import type { Engine } from "./engine.ts";
import { countRows } from "./list-pages.ts";
import { limitOf } from "./parameter.ts";
import { lazy, prepared } from "./prepared.ts";
import type { CommonRows } from "./common-rows.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

export function createEnrichmentStore(
  engine: Engine,
  { owners: ownerOf, credits, jobRows, suppressions }: CommonRows,
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
       WHERE jobs.status IN (${endedStatuses.map((status) => `'${status}'`).join(", ")}) AND jobs.updated_at < $before LIMIT $limit`,
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

  function factsOf(workspaceId: WorkspaceId): EnrichmentFacts {
    const owner = ownerOf(workspaceId);
    return {
      owner,
      results: (key, since) => (owner === null ? [] : results.of(owner, key, since)),
      isSuppressed: (target) => suppressions.find(workspaceId, target) !== null,
      credits: credits.facts,
    };
  }

  function write(workspaceId: WorkspaceId, change: EnrichmentChange): void {
    switch (change.kind) {
      case "verdicts":
        return verdictRows.replace(ownerOf(workspaceId)!, change.verdicts, change.since);
      case "result":
        return results.write(ownerOf(workspaceId)!, change);
      case "outcome":
        return void setOutcome().run({ ...change, outcome: JSON.stringify(change.outcome) });
      case "job":
        return void jobRows.write(change.job, change.change);
      default:
        return credits.write(change);
    }
  }

  function finishBatch(workspaceId: WorkspaceId, batch: FinishedBatch): StoredBatch | null {
    const { outcome, changes } = decideBatch(workspaceId, batch, jobRows.get(batch.claim.id), factsOf(workspaceId));
    for (const change of changes) write(workspaceId, change);
    return outcome;
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
    async results(workspaceId, people, since) {
      const facts = factsOf(workspaceId);
      return people.map((person) => {
        const found = findResult(person, since, facts);
        if (found === null) return null;
        const { n: _n, ...result } = found;
        return result;
      });
    },
    async verdicts(workspaceId, emails, since) {
      const owner = ownerOf(workspaceId);
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
    finishBatch: (workspaceId, batch) => writer.write(() => finishBatch(workspaceId, batch)),
    answerBatch: (workspaceId, batch, created) =>
      writer.write(() => {
        if (created !== null) insertJob(created);
        return finishBatch(workspaceId, batch);
      }),
    done: async (jobId, afterN, limit) => doneItems().all({ jobId, afterN, limit }),
    countDone: (jobId) =>
      countRows(engine, {
        sql: "SELECT 1 FROM enrichment_items WHERE job_id = ? AND outcome IS NOT NULL",
        params: [jobId],
      }),
    providers: async (workspaceId) =>
      orm
        .select({ providers: enrichmentSettings.providers })
        .from(enrichmentSettings)
        .where(eq(enrichmentSettings.workspaceId, workspaceId))
        .get()?.providers ?? null,
    setProviders: (workspaceId, providers) =>
      writer.write(() => {
        if (providers === null)
          orm.delete(enrichmentSettings).where(eq(enrichmentSettings.workspaceId, workspaceId)).run();
        else
          orm
            .insert(enrichmentSettings)
            .values({ workspaceId, providers })
            .onConflictDoUpdate({ target: enrichmentSettings.workspaceId, set: { providers } })
            .run();
      }),
    async spending(month) {
      const rows = orm.select().from(providerSpending).where(eq(providerSpending.month, month)).all();
      return Object.fromEntries(rows.map(({ provider, spent }) => [provider, spent]));
    },
    addSpending: (month, changes) =>
      writer.write(() => {
        const sums: Record<string, number> = {};
        for (const [provider, change] of Object.entries(changes)) {
          const { spent } = orm
            .insert(providerSpending)
            .values({ provider, month, spent: change })
            .onConflictDoUpdate({
              target: [providerSpending.provider, providerSpending.month],
              set: { spent: sql`round(${providerSpending.spent} + excluded.spent, 6)` },
            })
            .returning({ spent: providerSpending.spent })
            .get();
          sums[provider] = spent;
        }
        return sums;
      }),
    forgetBefore: (before, limit) => writer.write(() => forgetBefore(before, limit)),
  };
}
