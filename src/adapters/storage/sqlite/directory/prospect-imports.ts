import type { CompanyFinder } from "../../../../features/prospecting/companies.ts";
import {
  countsIn,
  importProgress,
  maxNamesakes,
  newsOf,
  noCounts,
  reportOf,
  settleBatch,
  type Settled,
} from "../../../../features/prospecting/directory-decisions.ts";
import type {
  ProspectBatch,
  ProspectImportCounts,
  ProspectReportRow,
} from "../../../../features/prospecting/directory-model.ts";
import type { ProspectOutcome } from "../../../../features/prospecting/model.ts";
import type { BatchHints, ProspectReportRequest, ProspectStore } from "../../../../features/prospecting/store.ts";
import type { JobMetadata } from "../../../../platform/jobs/model.ts";
import type { Engine } from "../engine.ts";
import { countRows } from "../list-pages.ts";
import type { Owners } from "../owners.ts";
import { createCreatedProspects, createdOfJob } from "./created-prospects.ts";
import { createCompanyPeople } from "./company-people.ts";
import { DryRun } from "./dry-run.ts";
import type { ProspectCompanies } from "./prospect-companies.ts";
import type { StoredRows } from "./index-messages.ts";
import { addAskedKeys } from "../../../../features/prospecting/name-keys.ts";
import { prospectId } from "../../../../features/prospecting/prospect-id.ts";
import type { ProspectIndex } from "./prospect-index.ts";
import type { ProspectRows } from "./prospect-rows.ts";
import { prepared } from "../prepared.ts";
import type { WorkspaceId } from "../../../../platform/base/ids.ts";

/** Report lines deleted at a time. */
const dropAtOnce = 2000;
const none: readonly number[] = [];

/** Imports of prospects: batches of rows and their report. */
export function createProspectImports(
  { database, reader, writer }: Engine,
  owners: Owners,
  index: ProspectIndex,
  rows: ProspectRows,
  companies: ProspectCompanies,
): Pick<ProspectStore, "lookUp" | "importBatch" | "importReport" | "countImportReport" | "forgetDryRun"> {
  const jobById = prepared<
    { workspace_id: string; status: string; attempt: number; lease_until: number | null; metadata: string },
    [string]
  >(database, "SELECT workspace_id, status, attempt, lease_until, metadata FROM jobs WHERE id = ?");
  const tellProgress = prepared(
    database,
    "UPDATE jobs SET metadata = ?, progress = ?, message = ?, lease_until = ?, updated_at = ? WHERE id = ?",
  );
  const insertReport = prepared(
    database,
    "INSERT OR REPLACE INTO prospect_import_rows (job_id, row, outcome, prospect, errors) VALUES (?, ?, ?, ?, ?)",
  );
  const report = prepared<
    { row: number; outcome: ProspectOutcome; prospect: number | null; errors: string },
    [string, string, string | null, number, number]
  >(
    database,
    `SELECT prospect_import_rows.row, outcome, prospect, errors FROM prospect_import_rows
     JOIN jobs ON jobs.id = job_id AND jobs.workspace_id = ?2
     WHERE job_id = ?1 AND (?3 IS NULL OR outcome = ?3) AND prospect_import_rows.row > ?4 ORDER BY 1 LIMIT +?5`,
  );

  const dropReport = prepared(
    database,
    "DELETE FROM prospect_import_rows WHERE job_id = ?1 AND row IN (SELECT row FROM prospect_import_rows WHERE job_id = ?1 LIMIT +?2)",
  );
  const createdProspects = createCreatedProspects({ database });
  const people = createCompanyPeople({ writer }, index, rows, companies);
  /** By job. */
  const dryRuns = new Map<string, { attempt: number; foreseen: DryRun; counts: ProspectImportCounts }>();

  async function lookUp({
    workspaceId,
    rows: batch,
  }: Pick<ProspectBatch, "workspaceId" | "rows">): Promise<BatchHints> {
    const owner = ownerOf(workspaceId);
    const release = rows.recent(owner).begin();
    try {
      const keys: number[] = [];
      for (const row of batch) if ("keys" in row) addAskedKeys(row.keys, row.beside, keys);
      const found = new Map<number, number[]>();
      const pairs = await index.find(owner, keys, maxNamesakes, rows.next(owner));
      for (let at = 0; at < pairs.length; at += 2) {
        const key = keys[pairs[at]!]!;
        found.set(key, [...(found.get(key) ?? []), pairs[at + 1]!]);
      }
      return { release, of: (key) => found.get(key) ?? none };
    } catch (error) {
      release();
      throw error;
    }
  }

  async function importBatch(batch: ProspectBatch, hints: BatchHints): Promise<ProspectImportCounts | null> {
    const owner = ownerOf(batch.workspaceId);
    try {
      if (batch.dryRun) return await foresee(owner, batch, hints);
      // Before the batch counts as stored: after a crash in between, all of it is repeated.
      const isHeld = () => heldJob(batch) !== null;
      const findCompany: CompanyFinder = (domain, name) => companies.find(owner, domain, name);
      if (!(await people.tellAll(owner, newsOf(findCompany, batch), batch.at, isHeld))) return null;
      // The progress of the job is stored with the rows: it resumes after those that are on disk.
      const { counts, stored } = await writer.writeRelaxed(() =>
        rows.unit(owner, () => storeBatch(owner, batch, hints)),
      );
      if (stored !== null) index.stored(owner, stored);
      return counts;
    } finally {
      hints.release();
    }
  }

  function storeBatch(
    owner: number,
    batch: ProspectBatch,
    hints: BatchHints,
  ): { counts: ProspectImportCounts | null; stored: StoredRows | null } {
    const job = heldJob(batch);
    if (job === null) return { counts: null, stored: null };
    const settled = settleBatch(rows.records(owner, hints.of, companies), batch);
    const counts = noteBatch(batch, job, countsIn(job), settled);
    const places = [...settled.keys()].filter((place) => isCreated(settled[place]!));
    const created = places.map((place) => ({ row: batch.rows[place]!.row, number: settled[place]!.number! }));
    createdProspects.note(batch.jobId, owner, created);
    if (batch.found === null || created.length === 0) return { counts, stored: null };
    const stored: StoredRows = {
      first: created[0]!.number,
      places: Int32Array.from(places, (place) => (settled[place]!.isAsSent === true ? place : -1)),
      source: `${batch.jobId} ${batch.attempt}`,
      found: batch.found,
    };
    return { counts, stored };
  }

  /** Called inside a write unit: stores counts, report lines, and progress of a batch. */
  function noteBatch(
    batch: ProspectBatch,
    job: JobMetadata,
    before: ProspectImportCounts,
    settled: readonly Settled[],
  ): ProspectImportCounts {
    const { counts, lines } = reportOf(before, batch.rows, settled);
    for (const { row, outcome, number, errors } of lines)
      insertReport.run(batch.jobId, row, outcome, number, JSON.stringify(errors));
    const { metadata, progress, message, leaseUntil, updatedAt } = importProgress(job, counts, batch);
    tellProgress.run(JSON.stringify(metadata), progress, message, leaseUntil, updatedAt, batch.jobId);
    return counts;
  }

  /** The rows are decided in a separate turn of the event loop; only the report is written. */
  async function foresee(owner: number, batch: ProspectBatch, hints: BatchHints): Promise<ProspectImportCounts | null> {
    let run = dryRuns.get(batch.jobId);
    if (run?.attempt !== batch.attempt) {
      forgetDryRun(batch.jobId);
      while ((await writer.write(() => dropReport.run(batch.jobId, dropAtOnce).changes)) === dropAtOnce);
      run = { attempt: batch.attempt, foreseen: new DryRun(), counts: noCounts };
      dryRuns.set(batch.jobId, run);
    }
    const { foreseen, counts: before } = run;
    const settled = foreseen.settle(batch, rows.records(owner, hints.of, companies));
    const counts = await writer.write(() => {
      const job = heldJob(batch);
      return job === null ? null : noteBatch(batch, job, before, settled);
    });
    run.counts = counts ?? before;
    return counts;
  }

  function forgetDryRun(jobId: string): void {
    dryRuns.get(jobId)?.foreseen.close();
    dryRuns.delete(jobId);
  }

  /** The metadata of the job, if the attempt still holds it. */
  function heldJob({ jobId, workspaceId, attempt }: ProspectBatch): JobMetadata | null {
    const job = jobById.get(jobId);
    const isHeld =
      job?.workspace_id === workspaceId &&
      job.status === "running" &&
      job.attempt === attempt &&
      job.lease_until !== null;
    return isHeld ? (JSON.parse(job.metadata) as JobMetadata) : null;
  }

  async function importReport({
    workspaceId,
    jobId,
    outcome,
    afterRow,
    limit,
  }: ProspectReportRequest): Promise<ProspectReportRow[]> {
    if (outcome === "created")
      return createdProspects.page({ workspaceId, jobId, afterRow, limit }).map(({ row, number }) => {
        return { row, outcome, prospectId: prospectId(workspaceId, number), errors: [] };
      });
    return report.all(jobId, workspaceId, outcome, afterRow, limit).map(({ prospect, errors, ...line }) => ({
      ...line,
      prospectId: prospect === null ? null : prospectId(workspaceId, prospect),
      errors: JSON.parse(errors) as ProspectReportRow["errors"],
    }));
  }

  const countImportReport: ProspectStore["countImportReport"] = ({ jobId, outcome }) =>
    countRows(
      { reader },
      outcome === "created"
        ? { sql: createdOfJob, params: [jobId] }
        : {
            sql: "SELECT 1 FROM prospect_import_rows WHERE job_id = ?1 AND (?2 IS NULL OR outcome = ?2)",
            params: [jobId, outcome],
          },
    );

  function ownerOf(workspaceId: WorkspaceId): number {
    const owner = owners(workspaceId);
    if (owner === null) throw new Error(`User ${workspaceId} is gone`);
    return owner;
  }

  return { lookUp, importBatch, importReport, countImportReport, forgetDryRun };
}

function isCreated({ outcome, number }: Settled): boolean {
  return outcome === "created" && number !== null;
}
