import { findCompany, type CompanyFinder } from "../../../../features/prospecting/companies.ts";
import type { CompanyNews } from "../../../../features/prospecting/company-news.ts";
import {
  countsIn,
  importProgress,
  newsOf,
  noCounts,
  reportOf,
  settleBatch,
  tellPeople,
  type Settled,
} from "../../../../features/prospecting/directory-decisions.ts";
import type { ProspectBatch, ProspectImportCounts } from "../../../../features/prospecting/directory-model.ts";
import type { ProspectStore } from "../../../../features/prospecting/store.ts";
import type { WorkspaceId } from "../../../../platform/base/ids.ts";
import type { Job } from "../../../../platform/jobs/model.ts";
import { isHeld } from "../../../../platform/jobs/transitions.ts";
import { DryRun } from "../../sqlite/directory/dry-run.ts";
import type { Connection, Engine } from "../engine.ts";
import { lockJob, writeJob } from "../jobs.ts";
import { decideLoaded, OutOfReach } from "../loaded.ts";
import { LoadedCompanies } from "./company-facts.ts";
import type { DirectoryIndex } from "./directory-index.ts";
import { ownerOf } from "./directory-row.ts";
import { DirectoryUnit, LoadedProspects } from "./directory-unit.ts";
import { createImportReports, dropReport, writeReport } from "./import-reports.ts";
import { lowestNumbers } from "./rows.ts";

type ImportStore = Pick<
  ProspectStore,
  "lookUp" | "importBatch" | "importReport" | "countImportReport" | "forgetDryRun"
>;

/** People of companies in one transaction. */
const peopleAtOnce = 1000;
/** People per look at the keys: many, because each look sorts all people of a company. */
const peopleOfSlice = 16_384;

/** Imports of prospects: batches of rows and their report. */
export function createProspectImports(engine: Engine, index: DirectoryIndex): ImportStore {
  const { orm, transact } = engine;
  /** By job. An attempt stays with the process that has claimed it. */
  const dryRuns = new Map<string, { attempt: number; foreseen: DryRun; counts: ProspectImportCounts }>();

  async function importBatch(batch: ProspectBatch): Promise<ProspectImportCounts | null> {
    const owner = await knownOwner(orm, batch.workspaceId);
    await index.prepare(owner);
    if (batch.dryRun) return await foresee(owner, batch);
    // Before the batch counts as stored: after a crash in between, all of it is repeated.
    if (!(await tellAll(owner, batch))) return null;
    const stored = await transact((connection) => storeBatch(connection, owner, batch));
    if (stored === null) return null;
    index.written(owner, stored.unfolded);
    return stored.counts;
  }

  async function storeBatch(connection: Connection, owner: number, batch: ProspectBatch) {
    const unit = await DirectoryUnit.open(connection, owner);
    const job = await heldJob(connection, batch);
    if (job === null) return null;
    for (const row of batch.rows)
      if ("kind" in row && row.kind === "person") unit.prospects.expectPerson(row.keys, row.beside);
    const settled = await unit.decide(({ records }) => settleBatch(records, batch));
    const unfolded = await unit.write();
    const counts = await noteBatch(connection, batch, job, countsIn(job.metadata), settled);
    return { counts, unfolded };
  }

  /** Tells people what the file says about their companies, some at a time. Repeating it has no effect. */
  async function tellAll(owner: number, batch: ProspectBatch): Promise<boolean> {
    const news = await newsIn(owner, batch);
    const { keys } = news;
    if (keys.length === 0) return true;
    for (let from = 0; ;) {
      const people = await lowestNumbers(orm, owner, keys, from, peopleOfSlice);
      for (let at = 0; at < people.length; at += peopleAtOnce)
        if (!(await tellSome(owner, batch, news, people.slice(at, at + peopleAtOnce)))) return false;
      if (people.length < peopleOfSlice) return true;
      from = people.at(-1)! + 1;
    }
  }

  async function tellSome(owner: number, batch: ProspectBatch, news: CompanyNews, numbers: number[]): Promise<boolean> {
    const unfolded = await transact(async (connection) => {
      const unit = await DirectoryUnit.open(connection, owner);
      if ((await heldJob(connection, batch)) === null) return null;
      unit.prospects.expect(numbers);
      await unit.decide(({ records }) => tellPeople(records, numbers, news, batch.at));
      return await unit.write();
    });
    if (unfolded !== null) index.written(owner, unfolded);
    return unfolded !== null;
  }

  async function newsIn(owner: number, batch: ProspectBatch): Promise<CompanyNews> {
    const companies = await LoadedCompanies.open(orm, owner);
    return await decideLoaded(() => newsOf(finderIn(companies), batch), companies);
  }

  /** Only the report is written. */
  async function foresee(owner: number, batch: ProspectBatch): Promise<ProspectImportCounts | null> {
    let run = dryRuns.get(batch.jobId);
    if (run?.attempt !== batch.attempt) {
      forgetDryRun(batch.jobId);
      await dropReport(engine, batch.jobId);
      run = { attempt: batch.attempt, foreseen: new DryRun(), counts: noCounts };
      dryRuns.set(batch.jobId, run);
    }
    const { foreseen, counts: before } = run;
    const settled = await settleDryRun(orm, owner, batch, foreseen);
    const counts = await transact(async (connection) => {
      const job = await heldJob(connection, batch);
      return job === null ? null : await noteBatch(connection, batch, job, before, settled);
    });
    run.counts = counts ?? before;
    return counts;
  }

  function forgetDryRun(jobId: string): void {
    dryRuns.get(jobId)?.foreseen.close();
    dryRuns.delete(jobId);
  }

  return {
    // A batch looks up its people itself, once it has locked the directory.
    lookUp: async () => ({ release: () => {}, of: () => [] }),
    importBatch: (batch, hints) => importBatch(batch).finally(() => hints.release()),
    forgetDryRun,
    ...createImportReports(engine),
  };
}

/** The workspace of a directory that is written to. */
export async function knownOwner(connection: Connection, workspaceId: WorkspaceId): Promise<number> {
  const owner = await ownerOf(connection, workspaceId);
  if (owner === null) throw new Error(`Workspace ${workspaceId} is gone`);
  return owner;
}

/** What the run has recorded is kept only once everything that it asked for was loaded. */
async function settleDryRun(
  connection: Connection,
  owner: number,
  batch: ProspectBatch,
  foreseen: DryRun,
): Promise<Settled[]> {
  const people = new LoadedProspects(connection, owner);
  const companies = await LoadedCompanies.open(connection, owner);
  for (const row of batch.rows) if ("kind" in row && row.kind === "person") people.expectPerson(row.keys, row.beside);
  const below = { candidates: people.candidates, findCompany: finderIn(companies) };
  const isComplete = () => !people.isMissing && !companies.isMissing;
  const decide = () =>
    foreseen.settle(batch, below, () => {
      if (!isComplete()) throw new OutOfReach();
    });
  return await decideLoaded(decide, people, companies);
}

function finderIn(companies: LoadedCompanies): CompanyFinder {
  return (domain, name) => findCompany(companies.facts, domain, name);
}

/** The job, locked, if the attempt still holds it. */
async function heldJob(connection: Connection, { jobId, workspaceId, attempt }: ProspectBatch): Promise<Job | null> {
  const job = await lockJob(connection, jobId);
  return job !== null && job.workspaceId === workspaceId && isHeld(job, { attempt }) ? job : null;
}

async function noteBatch(
  connection: Connection,
  batch: ProspectBatch,
  job: Job,
  before: ProspectImportCounts,
  settled: readonly Settled[],
): Promise<ProspectImportCounts> {
  const { counts, lines } = reportOf(before, batch.rows, settled);
  const created = batch.rows.flatMap(({ row }, place) => {
    const { outcome, number } = settled[place]!;
    return outcome === "created" && number !== null ? [{ row, number }] : [];
  });
  await writeReport(connection, batch.jobId, lines, created);
  await writeJob(connection, job, importProgress(job.metadata, counts, batch));
  return counts;
}
