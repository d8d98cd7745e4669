import { CompanyNews } from "../../../../features/prospecting/company-news.ts";
import { isPersonKey, prospectIdentity, prospectKeys } from "../../../../features/prospecting/keys.ts";
import type { Employer } from "../../../../features/prospecting/employer.ts";
import { withCompanyFacts } from "../../../../features/prospecting/merge.ts";
import type { CompanyContent, ProspectContent, ProspectOutcome } from "../../../../features/prospecting/model.ts";
import type {
  BatchHints,
  ProspectBatch,
  ProspectImportCounts,
  ProspectReportRequest,
  ProspectReportRow,
  ProspectRow,
  ProspectStore,
} from "../../../../features/prospecting/store.ts";
import type { JobMetadata } from "../../../../platform/jobs/model.ts";
import type { Engine } from "../engine.ts";
import { countRows } from "../list-pages.ts";
import type { Owners } from "../owners.ts";
import { createCreatedProspects, createdOfJob } from "./created-prospects.ts";
import { createCompanyPeople } from "./company-people.ts";
import { DryRun, type Settled } from "./dry-run.ts";
import type { ProspectCompanies } from "./prospect-companies.ts";
import { maxNamesakes, type StoredRows } from "./index-messages.ts";
import { addAskedKeys } from "./name-keys.ts";
import { prospectId } from "./prospect-id.ts";
import type { ProspectIndex } from "./prospect-index.ts";
import { contentIn, type ProspectRows } from "./prospect-rows.ts";
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
  const people = createCompanyPeople({ writer }, index, rows);
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
      if (!(await people.tellAll(owner, newsIn(owner, batch), batch.at, isHeld))) return null;
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
    const ofBatch = isMixed(batch.rows) ? new Map<number, number[]>() : null;
    const hasCompanies = ofBatch !== null || companies.hasAny(owner);
    const places: number[] = [];
    let first = 0;
    let place = 0;
    const created: { row: number; number: number }[] = [];
    const counts = noteBatch(batch, countsOf, (row) => {
      const settled =
        "kind" in row && row.kind === "company"
          ? settleCompany(owner, batch, row, ofBatch)
          : settle(owner, batch, row, hints, hasCompanies);
      if (ofBatch !== null) noteCompany(owner, settled, ofBatch);
      if (settled.outcome === "created" && settled.number !== null) {
        if (places.length === 0) first = settled.number;
        created.push({ row: row.row, number: settled.number });
        places.push(settled.isAsSent === true ? place : -1);
      }
      place++;
      return settled;
    });
    createdProspects.note(batch.jobId, owner, created);
    if (batch.found === null || places.length === 0) return { counts, stored: null };
    const source = `${batch.jobId} ${batch.attempt}`;
    return { counts, stored: { first, places: Int32Array.from(places), source, found: batch.found } };
  }

  /** Called inside a write unit: stores counts, report lines, and progress of a batch. `settle` decides each row. */
  function noteBatch(
    batch: ProspectBatch,
    countsBefore: (job: JobMetadata) => ProspectImportCounts,
    settle: (row: ProspectRow) => Settled,
  ): ProspectImportCounts | null {
    const job = heldJob(batch);
    if (job === null) return null;
    const counts = countsBefore(job);
    for (const row of batch.rows) {
      const { outcome, number } = settle(row);
      counts.rows++;
      counts[outcome]++;
      if ("kind" in row && row.kind === "company") counts.companies++;
      if (outcome === "created") continue;
      const errors = "errors" in row ? row.errors : [];
      insertReport.run(batch.jobId, row.row, outcome, number, JSON.stringify(errors));
    }
    const metadata = JSON.stringify({ ...job, ...counts, lastRow: batch.lastRow });
    tellProgress.run(metadata, batch.progress, `${counts.rows} rows read`, batch.leaseUntil, batch.at, batch.jobId);
    return counts;
  }

  /** The rows are decided in a separate turn of the event loop; only the report is written. */
  async function foresee(owner: number, batch: ProspectBatch, hints: BatchHints): Promise<ProspectImportCounts | null> {
    let run = dryRuns.get(batch.jobId);
    if (run?.attempt !== batch.attempt) {
      forgetDryRun(batch.jobId);
      while ((await writer.write(() => dropReport.run(batch.jobId, dropAtOnce).changes)) === dropAtOnce);
      run = { attempt: batch.attempt, foreseen: new DryRun(owner, rows, companies), counts: noCounts };
      dryRuns.set(batch.jobId, run);
    }
    const { foreseen, counts: before } = run;
    const outcomes = foreseen.settle(batch, hints.of);
    let at = 0;
    const counts = await writer.write(() =>
      noteBatch(
        batch,
        () => ({ ...before }),
        () => outcomes[at++]!,
      ),
    );
    run.counts = counts ?? before;
    return counts;
  }

  function forgetDryRun(jobId: string): void {
    dryRuns.get(jobId)?.foreseen.close();
    dryRuns.delete(jobId);
  }

  function settle(
    owner: number,
    batch: ProspectBatch,
    row: ProspectRow,
    hints: BatchHints,
    hasCompanies: boolean,
  ): Settled {
    if ("errors" in row) return { outcome: "failed", number: null };
    const isHinted = rows.isHinted(owner, row.keys, row.beside, hints.of);
    // Nearly every row of a large file: the person is new, and the text is stored unchanged.
    if (!isHinted && !hasCompanies) return created(row, batch.at);
    return settlePerson(owner, row, hints, batch);
  }

  function settlePerson(
    owner: number,
    row: Extract<ProspectRow, { kind: string }>,
    hints: BatchHints,
    { onDuplicate, at }: ProspectBatch,
  ): Settled {
    const companyOf = (employer: Employer) => companies.ofEmployer(owner, employer);
    const content = contentIn<ProspectContent>(row);
    const identity = prospectIdentity(content);
    const same = rows.findSame(owner, { content, identity }, hints.of);
    if (same !== null) {
      if (onDuplicate === "skip") return { outcome: "skipped", number: same.person.number };
      const { number, isNews } = rows.updateSame(same, content, companyOf, at);
      return { outcome: isNews ? "updated" : "skipped", number };
    }
    const complete = withCompanyFacts(content, companyOf(content));
    if (complete === content) return created(row, at);
    return { outcome: "created", number: rows.insertContent(complete, at) };
  }

  function created({ content, keys, beside }: Extract<ProspectRow, { kind: string }>, at: number): Settled {
    return { outcome: "created", number: rows.insert(content, keys, beside, at), isAsSent: true };
  }

  /** `ofBatch`: see `noteCompany`. */
  function settleCompany(
    owner: number,
    { onDuplicate, at }: ProspectBatch,
    row: Extract<ProspectRow, { kind: string }>,
    ofBatch: ReadonlyMap<number, readonly number[]> | null,
  ): Settled {
    const content = contentIn<CompanyContent>(row);
    const news = new CompanyNews(onDuplicate === "update");
    news.add(content, known(owner, content));
    if (ofBatch !== null) people.tell(owner, new Set(news.keys.flatMap((key) => ofBatch.get(key) ?? none)), news, at);
    return { outcome: companies.put(owner, content, at, onDuplicate === "update"), number: null };
  }

  /** For a batch with people and companies: the people to update with a company that comes later in the batch, by its keys. */
  function noteCompany(owner: number, { outcome, number }: Settled, ofBatch: Map<number, number[]>): void {
    if (number === null || outcome === "skipped") return;
    for (const key of prospectKeys(prospectIdentity(rows.get(owner, number)!.content)))
      if (!isPersonKey(key)) ofBatch.set(key, [...(ofBatch.get(key) ?? none), number]);
  }

  function newsIn(owner: number, { rows: of, onDuplicate }: ProspectBatch): CompanyNews {
    const news = new CompanyNews(onDuplicate === "update");
    for (const row of of) {
      if (!("kind" in row) || row.kind !== "company") continue;
      const content = contentIn<CompanyContent>(row);
      news.add(content, known(owner, content));
    }
    return news;
  }

  function known(owner: number, { domain, company }: CompanyContent): CompanyContent | null {
    return companies.find(owner, domain ?? null, company ?? null)?.content ?? null;
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

function isMixed(rows: readonly ProspectRow[]): boolean {
  const isCompany = (row: ProspectRow) => "kind" in row && row.kind === "company";
  return rows.some(isCompany) && rows.some((row) => !isCompany(row));
}

const noCounts: ProspectImportCounts = { rows: 0, created: 0, updated: 0, skipped: 0, failed: 0, companies: 0 };

function countsOf(metadata: JobMetadata): ProspectImportCounts {
  const count = (name: keyof ProspectImportCounts) => (typeof metadata[name] === "number" ? metadata[name] : 0);
  return {
    rows: count("rows"),
    created: count("created"),
    updated: count("updated"),
    skipped: count("skipped"),
    failed: count("failed"),
    companies: count("companies"),
  };
}
