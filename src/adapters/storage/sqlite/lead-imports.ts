import { and, asc, eq, gt, sql, type SQL } from "drizzle-orm";
import type {
  ImportBatch,
  BatchOutcome,
  ImportReportRequest,
  ImportRowError,
} from "../../../features/leads/change-model.ts";
import { targetOf, type LeadFacts } from "../../../features/leads/decisions.ts";
import {
  decideImport,
  type ImportChange,
  type ImportFacts,
  type ReportedRow,
} from "../../../features/leads/import-decision.ts";
import { unpackedRow } from "../../../features/leads/import/packed-rows.ts";
import type { LeadStore } from "../../../features/leads/store.ts";
import type { Engine } from "./engine.ts";
import { createDryRunNotes } from "./lead-dry-run.ts";
import type { LeadParts } from "./lead-parts.ts";
import { countRows } from "./list-pages.ts";
import { createNewLeadParts, NewLeads } from "./new-leads.ts";
import { lazy, prepared, RowInserter } from "./prepared.ts";
import type { Person, SuppressionRows } from "./suppressions.ts";
import { jobs, leadImportRows } from "./tables.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

/**
 * Block the event loop for 10 to 20 ms: the row of a known person is compared with leads that are spread over the table, and
 * an update also writes them. Even fewer would take longer in total, because each batch has its own commit.
 */
const knownRowsAtOnce = { skip: 160, update: 80 };

/** Imports: batches of rows, their report, and the notes of dry runs. */
export function createLeadImports(
  engine: Engine,
  { owners, keys, phoneKeys, rows }: LeadParts,
  suppressions: SuppressionRows,
  leadFacts: (workspaceId: WorkspaceId) => LeadFacts,
): Pick<
  LeadStore,
  "ownerNumber" | "knownRowsAtOnce" | "importBatch" | "importReport" | "countImportReport" | "forgetDryRun"
> {
  const { orm, database, writer } = engine;
  const newLeads = createNewLeadParts(engine, keys, phoneKeys, rows);
  const notes = createDryRunNotes(engine);
  const insertReport = new RowInserter(
    database,
    "INSERT OR IGNORE INTO lead_import_rows (job_id, row, outcome, lead_id, errors)",
    5,
  );
  const jobById = lazy(() =>
    orm
      .select()
      .from(jobs)
      .where(eq(jobs.id, sql.placeholder("id")))
      .prepare(),
  );
  const writeProgress = lazy(() =>
    orm
      .update(jobs)
      .set({
        metadata: sql`${sql.placeholder("metadata")}`,
        progress: sql`${sql.placeholder("progress")}`,
        message: sql`${sql.placeholder("message")}`,
        leaseUntil: sql`${sql.placeholder("leaseUntil")}`,
        updatedAt: sql`${sql.placeholder("updatedAt")}`,
      })
      .where(eq(jobs.id, sql.placeholder("id")))
      .prepare(),
  );

  function storeBatch(batch: ImportBatch): BatchOutcome {
    const { outcome, changes } = decideImport(batch, factsOf(batch));
    if (changes.length > 0) apply(batch, changes);
    return outcome;
  }

  function factsOf({ workspaceId, jobId }: ImportBatch): ImportFacts {
    return {
      ...leadFacts(workspaceId),
      job: jobById().get({ id: jobId }) ?? null,
      mayHave: (key) => keys.has(key),
      hasSuppressions: suppressions.hasAny(workspaceId),
      notes: notes.factsOf(jobId),
    };
  }

  function apply({ jobId, rows: packed, at }: ImportBatch, changes: readonly ImportChange[]): void {
    const created = new NewLeads(newLeads, jobId, packed, at);
    const report: (string | number | null)[] = [];
    for (const change of changes)
      switch (change.kind) {
        case "create":
          created.store(change.from, change.to);
          break;
        case "replace": {
          const { before, lead, identity } = change;
          const seq = before.seq < 0 ? created.numberOf(-before.seq) : before.seq;
          rows.replace({ ...before, seq }, lead, identity);
          break;
        }
        case "report":
          report.push(...reportParams(jobId, change.row));
          break;
        case "note":
          notes.write(jobId, change);
          break;
        case "job": {
          const job = { ...change.job, ...change.change };
          writeProgress().run({ ...job, metadata: JSON.stringify(job.metadata) });
        }
      }
    insertReport.insert(report);
  }

  function* peopleIn({ workspaceId, rows: packed }: ImportBatch): Generator<Person, void, void> {
    for (const index of packed.numbers.keys()) {
      const row = unpackedRow(packed, index);
      if (!("errors" in row)) yield { workspaceId, target: targetOf({ lead: row.content, identity: row.identity }) };
    }
  }

  // From the range with the row before the page, in the order of both keys, so that nothing is sorted.
  const createdRows = prepared<{ row: number; leadId: string }, [Record<string, string | number>]>(
    database,
    `SELECT c.row + leads.seq - c.lead AS row, leads.id AS leadId FROM jobs
     CROSS JOIN lead_import_created AS c ON c.job_id = jobs.id AND c.row >= coalesce(
       (SELECT max(row) FROM lead_import_created WHERE job_id = $jobId AND row <= $afterRow), 0)
     CROSS JOIN leads ON leads.seq >= c.lead AND leads.seq < c.lead + c.leads AND leads.created_at = c.created_at
     WHERE jobs.id = $jobId AND jobs.workspace_id = $workspaceId AND c.row + leads.seq - c.lead > $afterRow
     ORDER BY c.row, leads.seq LIMIT $limit`,
  );

  async function importReport({ workspaceId, jobId, outcome, afterRow, limit }: ImportReportRequest) {
    if (outcome === "created")
      return createdRows
        .all({ workspaceId, jobId, afterRow, limit })
        .map((row) => ({ ...row, outcome, errors: [] as ImportRowError[] }));
    return orm
      .select({
        row: leadImportRows.row,
        outcome: leadImportRows.outcome,
        leadId: leadImportRows.leadId,
        errors: leadImportRows.errors,
      })
      .from(leadImportRows)
      .innerJoin(jobs, and(eq(jobs.id, leadImportRows.jobId), eq(jobs.workspaceId, workspaceId)))
      .where(and(eq(leadImportRows.jobId, jobId), gt(leadImportRows.row, afterRow), hasOutcome(outcome)))
      .orderBy(asc(leadImportRows.row))
      .limit(limit)
      .all();
  }

  const countImportReport: LeadStore["countImportReport"] = ({ jobId, outcome }) =>
    countRows(
      engine,
      outcome === "created"
        ? { sql: createdOfJob, params: [jobId] }
        : orm
            .select({ row: leadImportRows.row })
            .from(leadImportRows)
            .where(and(eq(leadImportRows.jobId, jobId), hasOutcome(outcome)))
            .toSQL(),
    );

  async function importBatch(batch: ImportBatch): Promise<BatchOutcome> {
    await keys.room();
    return suppressions.knowing(
      () => peopleIn(batch),
      () => writer.write(() => storeBatch(batch)),
    );
  }

  const forgetDryRun = (jobId: string, limit: number) => writer.write(() => notes.forget(jobId, limit));
  return {
    ownerNumber: async (workspaceId) => owners(workspaceId),
    knownRowsAtOnce,
    importBatch,
    importReport,
    countImportReport,
    forgetDryRun,
  };
}

function reportParams(jobId: string, { row, outcome, leadId, errors }: ReportedRow): (string | number | null)[] {
  return [jobId, row, outcome, leadId, errors.length === 0 ? "[]" : JSON.stringify(errors)];
}

const createdOfJob = `SELECT 1 FROM lead_import_created AS c CROSS JOIN leads
  ON leads.seq >= c.lead AND leads.seq < c.lead + c.leads AND leads.created_at = c.created_at WHERE c.job_id = ?1`;

function hasOutcome(outcome: Exclude<ImportReportRequest["outcome"], "created">): SQL | undefined {
  return outcome === null ? undefined : eq(leadImportRows.outcome, outcome);
}
