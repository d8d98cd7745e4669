import { and, asc, eq, gt, sql } from "drizzle-orm";
import type {
  ImportBatch,
  BatchOutcome,
  ImportReportRequest,
  ImportReportRow,
} from "../../../features/leads/change-model.ts";
import { allLeads } from "../../../features/leads/decisions.ts";
import { decideImport, type ImportChange, type ImportFacts } from "../../../features/leads/import-decision.ts";
import type { LeadStore } from "../../../features/leads/store.ts";
import { locksOfReader } from "../../../features/suppression/locks.ts";
import { DryRunNotes, forgetNotes } from "./dry-run-notes.ts";
import type { Connection, Engine } from "./engine.ts";
import { FreshStatistics } from "./fresh-statistics.ts";
import { ownersOf } from "./owners.ts";
import { lockJob, writeJob } from "./jobs.ts";
import { replaceLeads } from "./lead-replacements.ts";
import { transactAnew } from "./outdated.ts";
import { LeadFactLoader } from "./lead-facts.ts";
import { decideLoaded } from "./loaded.ts";
import { NewLeads } from "./new-leads.ts";
import { jobs, leadImportCreated, leadImportRows, leads } from "./tables.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

type ImportStore = Pick<
  LeadStore,
  "ownerNumber" | "knownRowsAtOnce" | "importBatch" | "importReport" | "countImportReport" | "forgetDryRun"
>;

/** Each batch takes several round trips, which do not block the event loop. */
const knownRowsAtOnce = { skip: 400, update: 400 };
/** The report is counted up to here. */
const maxCounted = 10_000;

/** Imports: batches of rows, their report, and the notes of dry runs. */
export function createLeadImports(engine: Engine): ImportStore {
  const { orm, transact, phoneRegion } = engine;
  const statistics = new FreshStatistics(engine);

  async function importBatch(connection: Connection, batch: ImportBatch): Promise<BatchOutcome> {
    const { workspaceId, jobId, dryRun, onDuplicate, rows } = batch;
    const locks = (owner: number) => [
      ...locksOfReader(workspaceId),
      ...(onDuplicate === "create" ? [] : [allLeads(owner, dryRun)]),
    ];
    const loader = await LeadFactLoader.open(connection, workspaceId, phoneRegion, locks);
    const notes = await DryRunNotes.open(connection, jobId);
    const job = await lockJob(connection, jobId);
    const keys = [...new Set(onDuplicate === "create" ? [] : rows.keys)].filter((key) => !Number.isNaN(key));
    loader.expectCandidates(keys);
    if (dryRun) notes.expect(keys);
    const { hasSuppressions } = loader;
    const mayHave = (key: number) => loader.mayHave(key);
    const facts: ImportFacts = { ...loader.facts, job, mayHave, hasSuppressions, notes: notes.facts };
    const { outcome, changes } = await decideLoaded(() => decideImport(batch, facts), loader, notes);
    await write(connection, batch, changes, notes);
    return outcome;
  }

  async function importReport({ workspaceId, jobId, outcome, afterRow, limit }: ImportReportRequest) {
    if (outcome === "created") return await createdRows(workspaceId, jobId, afterRow, limit);
    return await orm
      .select({
        row: leadImportRows.row,
        outcome: leadImportRows.outcome,
        leadId: leadImportRows.leadId,
        errors: leadImportRows.errors,
      })
      .from(leadImportRows)
      .innerJoin(jobs, and(eq(jobs.id, leadImportRows.jobId), eq(jobs.workspaceId, workspaceId)))
      .where(
        and(
          eq(leadImportRows.jobId, jobId),
          gt(leadImportRows.row, afterRow),
          outcome === null ? undefined : eq(leadImportRows.outcome, outcome),
        ),
      )
      .orderBy(asc(leadImportRows.row))
      .limit(limit);
  }

  async function createdRows(
    workspaceId: WorkspaceId,
    jobId: string,
    afterRow: number,
    limit: number,
  ): Promise<ImportReportRow[]> {
    const row = sql<number>`${leadImportCreated.row} + ${leads.seq} - ${leadImportCreated.lead}`.mapWith(Number);
    const found = await orm
      .select({ row, leadId: leads.id })
      .from(leadImportCreated)
      .innerJoin(jobs, and(eq(jobs.id, leadImportCreated.jobId), eq(jobs.workspaceId, workspaceId)))
      .innerJoin(leads, isOfRange)
      .where(
        and(
          eq(leadImportCreated.jobId, jobId),
          gt(sql`${leadImportCreated.row} + ${leadImportCreated.leads} - 1`, afterRow),
          gt(row, afterRow),
        ),
      )
      .orderBy(asc(leadImportCreated.row), asc(leads.seq))
      .limit(limit);
    return found.map((each) => ({ ...each, outcome: "created", errors: [] }));
  }

  async function countImportReport({
    jobId,
    outcome,
  }: Pick<ImportReportRequest, "jobId" | "outcome">): Promise<number> {
    const created = orm
      .select({ one: sql`1` })
      .from(leadImportCreated)
      .innerJoin(leads, isOfRange)
      .where(eq(leadImportCreated.jobId, jobId))
      .limit(maxCounted);
    const others = orm
      .select({ one: sql`1` })
      .from(leadImportRows)
      .where(
        and(
          eq(leadImportRows.jobId, jobId),
          outcome === null || outcome === "created" ? undefined : eq(leadImportRows.outcome, outcome),
        ),
      )
      .limit(maxCounted);
    const [row] = await orm.execute<{ n: number }>(
      sql`SELECT count(*) AS n FROM (${outcome === "created" ? created : others}) AS counted`,
    );
    return row?.n ?? 0;
  }

  return {
    knownRowsAtOnce,
    ownerNumber: async (workspaceId) => (await ownersOf(orm, [workspaceId])).get(workspaceId) ?? null,
    importBatch: async (batch) => {
      const outcome = await transactAnew(engine, (connection) => importBatch(connection, batch));
      await statistics.noteStored(batch.dryRun ? 0 : batch.rows.numbers.length);
      return outcome;
    },
    importReport,
    countImportReport,
    forgetDryRun: (jobId, limit) => transact((connection) => forgetNotes(connection, jobId, limit)),
  };
}

/** A lead that the import created: another one may have its number after a restore. */
const isOfRange = sql`${leads.seq} >= ${leadImportCreated.lead}
  AND ${leads.seq} < ${leadImportCreated.lead} + ${leadImportCreated.leads}
  AND ${leads.createdAt} = ${leadImportCreated.createdAt}`;

async function write(
  connection: Connection,
  batch: ImportBatch,
  changes: readonly ImportChange[],
  notes: DryRunNotes,
): Promise<void> {
  const { jobId, rows } = batch;
  const ofKind = <Kind extends ImportChange["kind"]>(kind: Kind) =>
    changes.filter((change): change is Extract<ImportChange, { kind: Kind }> => change.kind === kind);
  const created = await NewLeads.store(connection, batch, ofKind("create"));
  const replacements = ofKind("replace").map(({ before, ...change }) => {
    const seq = before.seq < 0 ? created.numberOf(-before.seq) : before.seq;
    return { ...change, before: { ...before, seq } };
  });
  await replaceLeads(connection, rows.owner, replacements);
  const reports = ofKind("report").map(({ row }) => ({ jobId, ...row }));
  if (reports.length > 0) await connection.insert(leadImportRows).values(reports).onConflictDoNothing();
  await notes.write(ofKind("note"));
  for (const { job, change } of ofKind("job")) await writeJob(connection, job, change);
}
