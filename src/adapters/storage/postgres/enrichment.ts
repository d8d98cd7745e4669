import { and, asc, eq, gt, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import type { FinishedBatch, NewEnrichment, StoredBatch } from "../../../features/enrichment/change-model.ts";
import {
  decideBatch,
  findResult,
  type EnrichmentChange,
  type EnrichmentFacts,
} from "../../../features/enrichment/decisions.ts";
import type { LeadToEnrich } from "../../../features/enrichment/model.ts";
import type { EnrichmentStore } from "../../../features/enrichment/store.ts";
import type { CreditChange } from "../../../features/credits/decisions.ts";
import { locksOfReader } from "../../../features/suppression/locks.ts";
import { endedStatuses } from "../../../platform/jobs/model.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import { creditFacts, knowSettled, reserveCredits, writeCreditChanges } from "./credit-rows.ts";
import { forgetVerdicts, readVerdicts, replaceVerdicts } from "./email-verdicts.ts";
import { forgetResults, loadedResults, writeResults } from "./enrichment-results.ts";
import { enrichmentItems, enrichmentSettings, providerSpending } from "./enrichment-tables.ts";
import type { Connection, Engine } from "./engine.ts";
import { insertJob, lockJob, writeJob } from "./jobs.ts";
import { LeadFactLoader } from "./lead-facts.ts";
import { countRows } from "./list-pages.ts";
import { decideLoaded, NamedFacts } from "./loaded.ts";
import { jobs } from "./tables.ts";

type Change<Kind extends EnrichmentChange["kind"]> = Extract<EnrichmentChange, { kind: Kind }>;

export function createEnrichmentStore({ orm, ownerOf, transact, phoneRegion }: Engine): EnrichmentStore {
  const { jobId, n, input, outcome } = enrichmentItems;

  async function finishBatch(
    connection: Connection,
    workspaceId: WorkspaceId,
    batch: FinishedBatch,
  ): Promise<StoredBatch | null> {
    const people = await LeadFactLoader.open(connection, workspaceId, phoneRegion, () => locksOfReader(workspaceId));
    const job = await lockJob(connection, batch.claim.id);
    const named = new NamedFacts();
    const credits = creditFacts(connection, named);
    // With the balance locked, requests that paid for the same person take turns: the second finds the first's result.
    await decideLoaded(() => credits.balance(workspaceId), named);
    const items = [
      ...batch.outcomes.map((each) => `${each.n}`),
      ...(batch.payment.settlement?.items ?? []).map(itemOf),
    ];
    await knowSettled(connection, named, { workspaceId, request: batch.claim.id, items });
    const results = loadedResults(connection, people.owner);
    const facts: EnrichmentFacts = {
      owner: people.owner === 0 ? null : people.owner,
      results: (key, since) => results.get({ key, since }),
      isSuppressed: (target) => people.facts.suppression(target) !== null,
      credits,
    };
    const decision = await decideLoaded(() => decideBatch(workspaceId, batch, job, facts), people, results, named);
    await write(connection, people.owner, decision.changes);
    return decision.outcome;
  }

  async function forgetItems(before: number, limit: number): Promise<number> {
    // Jobs are in the order of their making, so that those to be forgotten come first; not all of the others are read.
    const oldest = orm
      .select({ jobId, n })
      .from(enrichmentItems)
      .orderBy(asc(jobId), asc(n))
      .limit(limit * 4)
      .as("oldest");
    const old = orm
      .select({ jobId: oldest.jobId, n: oldest.n })
      .from(oldest)
      .innerJoin(jobs, eq(jobs.id, oldest.jobId))
      .where(and(inArray(jobs.status, endedStatuses), sql`${jobs.updatedAt} < ${before}`))
      .limit(limit);
    const removed = await orm
      .delete(enrichmentItems)
      .where(sql`(${jobId}, ${n}) IN (${old})`)
      .returning({ n });
    return removed.length;
  }

  return {
    async results(workspaceId, people, since) {
      const owner = await ownerOf(workspaceId);
      const results = loadedResults(orm, owner ?? 0);
      const facts = { owner, results: (key: number, from: number) => results.get({ key, since: from }) };
      const found = await decideLoaded(() => people.map((person) => findResult(person, since, facts)), results);
      return found.map((known) => {
        if (known === null) return null;
        const { n: _n, ...result } = known;
        return result;
      });
    },
    async verdicts(workspaceId, emails, since) {
      const owner = await ownerOf(workspaceId);
      return owner === null ? [] : readVerdicts(orm, owner, emails, since);
    },
    submit: (job, leads, reserve) =>
      transact(async (connection) => {
        const reserved = reserve === null ? null : await reserveCredits(connection, reserve);
        if (reserved?.kind === "exhausted") return reserved;
        await insertEnrichment(connection, { job, leads });
        return reserved;
      }),
    pending: (id, limit) =>
      orm
        .select({ n, input, outcome })
        .from(enrichmentItems)
        .where(and(eq(jobId, id), isNull(outcome)))
        .orderBy(asc(n))
        .limit(limit),
    finishBatch: (workspaceId, batch) => transact((connection) => finishBatch(connection, workspaceId, batch)),
    answerBatch: (workspaceId, batch, created) =>
      transact(async (connection) => {
        if (created !== null) await insertEnrichment(connection, created);
        return finishBatch(connection, workspaceId, batch);
      }),
    done: (id, afterN, limit) =>
      orm
        .select({ n, input, outcome })
        .from(enrichmentItems)
        .where(and(eq(jobId, id), gt(n, afterN), isNotNull(outcome)))
        .orderBy(asc(n))
        .limit(limit),
    countDone: (id) =>
      countRows(
        orm,
        orm
          .select({ n })
          .from(enrichmentItems)
          .where(and(eq(jobId, id), isNotNull(outcome)))
          .$dynamic(),
      ),
    async providers(workspaceId) {
      const [row] = await orm
        .select({ providers: enrichmentSettings.providers })
        .from(enrichmentSettings)
        .where(eq(enrichmentSettings.workspaceId, workspaceId));
      return row?.providers ?? null;
    },
    async setProviders(workspaceId, providers) {
      if (providers === null)
        await orm.delete(enrichmentSettings).where(eq(enrichmentSettings.workspaceId, workspaceId));
      else
        await orm
          .insert(enrichmentSettings)
          .values({ workspaceId, providers })
          .onConflictDoUpdate({ target: enrichmentSettings.workspaceId, set: { providers } });
    },
    async spending(month) {
      const rows = await orm.select().from(providerSpending).where(eq(providerSpending.month, month));
      return Object.fromEntries(rows.map(({ provider, spent }) => [provider, spent]));
    },
    async addSpending(month, changes) {
      // In one order, or two nodes that add for the same providers could wait for each other.
      const rows = Object.entries(changes)
        .map(([provider, change]) => ({ provider, month, spent: change }))
        .toSorted((a, b) => (a.provider < b.provider ? -1 : 1));
      if (rows.length === 0) return {};
      const sums = await orm
        .insert(providerSpending)
        .values(rows)
        .onConflictDoUpdate({
          target: [providerSpending.provider, providerSpending.month],
          set: { spent: sql`round((${providerSpending.spent} + excluded.spent)::numeric, 6)` },
        })
        .returning({ provider: providerSpending.provider, spent: providerSpending.spent });
      return Object.fromEntries(sums.map(({ provider, spent }) => [provider, spent]));
    },
    forgetBefore: async (before, limit) =>
      (await forgetResults(orm, before, limit)) +
      (await forgetItems(before, limit)) +
      (await forgetVerdicts(orm, before, limit)),
  };
}

const itemOf = ({ item }: { item: string }): string => item;

async function insertEnrichment(connection: Connection, { job, leads }: NewEnrichment): Promise<void> {
  await insertJob(connection, job);
  await insertItems(connection, job.id, leads);
}

/** One statement for all leads of a job. */
async function insertItems(connection: Connection, jobId: string, leads: readonly LeadToEnrich[]): Promise<void> {
  await connection.execute(sql`
    INSERT INTO ${enrichmentItems} (job_id, n, input)
    SELECT ${jobId}, place - 1, lead FROM json_array_elements(${JSON.stringify(leads)}::json)
      WITH ORDINALITY AS item (lead, place)`);
}

async function write(connection: Connection, owner: number, changes: readonly EnrichmentChange[]): Promise<void> {
  const results: Change<"result">[] = [];
  const outcomes: Change<"outcome">[] = [];
  const credits: CreditChange[] = [];
  for (const change of changes)
    if (change.kind === "verdicts") await replaceVerdicts(connection, owner, change.verdicts, change.since);
    else if (change.kind === "result") results.push(change);
    else if (change.kind === "outcome") outcomes.push(change);
    else if (change.kind === "job") await writeJob(connection, change.job, change.change);
    else credits.push(change);
  await writeResults(connection, owner, results);
  await writeOutcomes(connection, outcomes);
  await writeCreditChanges(connection, credits);
}

async function writeOutcomes(connection: Connection, changes: readonly Change<"outcome">[]): Promise<void> {
  if (changes.length === 0) return;
  const places = JSON.stringify(changes.map(({ jobId, n }) => ({ jobId, n })));
  const outcomes = JSON.stringify(changes.map(({ outcome }) => outcome));
  // Not as a column of a record: PostgreSQL would decode the texts, and refuse some characters that JSON allows.
  await connection.execute(sql`
    UPDATE ${enrichmentItems} AS item SET outcome = given.outcome
    FROM json_array_elements(${places}::json) WITH ORDINALITY AS places (place, i)
    JOIN json_array_elements(${outcomes}::json) WITH ORDINALITY AS given (outcome, i) USING (i)
    WHERE item.job_id = place ->> 'jobId' AND item.n = (place ->> 'n')::int`);
}
