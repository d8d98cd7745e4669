import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { JobMetadata } from "../../../platform/jobs/model.ts";
import { identityKeysOf, isLead, unpackedRow, type PackedRows } from "../../../features/leads/import/packed-rows.ts";
import type { ImportOutcome, LeadContent, LeadIdentity } from "../../../features/leads/model.ts";
import type {
  ImportBatch,
  ImportCounts,
  ImportReportRequest,
  ImportRowError,
  LeadStore,
} from "../../../features/leads/store.ts";
import type { SuppressionMatch } from "../../../features/suppression/model.ts";
import { doNotContactText, suppressedField } from "../../../features/suppression/refusal.ts";
import type { Engine } from "./engine.ts";
import { isHeld } from "../../../platform/jobs/transitions.ts";
import type { createDryRuns } from "./lead-dry-run.ts";
import type { HashIndex } from "./hash-index.ts";
import type { StoredLead } from "./lead-row.ts";
import type { LeadRows } from "./lead-rows.ts";
import { createNewLeadParts, NewLeads } from "./new-leads.ts";
import type { PhoneKeys } from "./phone-keys.ts";
import { countRows } from "./list-pages.ts";
import { createOwners } from "./owners.ts";
import { placeholdersOf } from "./placeholders.ts";
import type { Person, SuppressionRows } from "./suppressions.ts";
import { jobs, leadImportRows } from "./tables.ts";

/** What a row comes to; `created` ones are still to be stored. */
type Settled = { outcome: "created" | ImportOutcome; leadId: string | null; errors: ImportRowError[] };

/** Imports: batches of rows, their report, and the notes of dry runs. */
export function createLeadImports(
  engine: Engine,
  rows: LeadRows,
  keys: HashIndex,
  phoneKeys: PhoneKeys,
  suppressions: SuppressionRows,
  dryRuns: ReturnType<typeof createDryRuns>,
): Pick<LeadStore, "ownerNumber" | "importBatch" | "importReport" | "countImportReport" | "forgetDryRun"> {
  const { orm, database, writer } = engine;
  const owners = createOwners(engine);
  const newLeads = createNewLeadParts(engine, keys, phoneKeys, rows);
  const insertReport = orm
    .insert(leadImportRows)
    .values(placeholdersOf(leadImportRows))
    .onConflictDoNothing()
    .prepare();
  const jobById = orm
    .select()
    .from(jobs)
    .where(eq(jobs.id, sql.placeholder("id")))
    .prepare();
  const tellProgress = orm
    .update(jobs)
    .set({
      metadata: sql`${sql.placeholder("metadata")}`,
      progress: sql`${sql.placeholder("progress")}`,
      message: sql`${sql.placeholder("message")}`,
      leaseUntil: sql`${sql.placeholder("leaseUntil")}`,
      updatedAt: sql`${sql.placeholder("at")}`,
    })
    .where(eq(jobs.id, sql.placeholder("id")))
    .prepare();

  function storeBatch(batch: ImportBatch): ImportCounts | null {
    const job = jobById.get({ id: batch.jobId });
    if (job?.userId !== batch.userId || !isHeld(job, batch)) return null;
    const counts = countsOf(job.metadata);
    const created = new NewLeads(newLeads, batch.jobId, batch.rows, batch.at);
    for (const [place, row] of batch.rows.numbers.entries()) {
      const { outcome, leadId, errors } = settle(batch, place, created);
      counts.rows++;
      counts[outcome]++;
      if (outcome === "created") continue;
      if (errors[0]?.code === "DO_NOT_CONTACT") counts.doNotContact = (counts.doNotContact ?? 0) + 1;
      insertReport.run({ jobId: batch.jobId, row, outcome, leadId, errors });
    }
    created.store();
    tellProgress.run({
      id: job.id,
      metadata: JSON.stringify({ ...job.metadata, ...counts, lastRow: batch.lastRow }),
      progress: batch.progress,
      message: `${counts.rows} rows read`,
      leaseUntil: batch.leaseUntil,
      at: batch.at,
    });
    return counts;
  }

  function* peopleIn({ userId, rows: packed }: ImportBatch): Generator<Person, void, void> {
    for (const place of packed.numbers.keys()) {
      const row = unpackedRow(packed, place);
      if (!("errors" in row)) yield { userId, target: targetOf(row) };
    }
  }

  function settle(batch: ImportBatch, place: number, created: NewLeads): Settled {
    const { rows: packed, userId, onDuplicate } = batch;
    const isNew = onDuplicate === "create" || !isKnown(packed, place);
    if (isNew && isLead(packed, place) && !batch.dryRun && !suppressions.hasAny(userId)) {
      // Nearly every row of nearly every import: nothing of it is read here but its keys.
      created.add(place);
      return stored;
    }
    const row = unpackedRow(packed, place);
    if ("errors" in row) return { outcome: "failed", leadId: null, errors: row.errors };
    const { content, identity } = row;
    const match = suppressions.find(userId, targetOf(row));
    if (match !== null) return { outcome: "skipped", leadId: null, errors: [suppressed(match)] };
    if (batch.dryRun) return { ...dryRuns.foresee(batch, content, identity), errors: [] };
    const existing = isNew ? null : sameLead(userId, identity, created);
    if (existing === null) created.add(place);
    if (existing === null) return stored;
    if (onDuplicate === "skip") return { outcome: "skipped", leadId: existing.lead.id, errors: [] };
    return { outcome: "updated", leadId: rows.merge(existing, content, batch.at).id, errors: [] };
  }

  /** Whether some lead may be the same person. */
  function isKnown(packed: PackedRows, place: number): boolean {
    return identityKeysOf(packed, place).some((key) => !Number.isNaN(key) && keys.has(key));
  }

  function sameLead(userId: string, identity: LeadIdentity, created: NewLeads): StoredLead | null {
    created.store(); // it may be one of them
    return rows.findSame(userId, identity);
  }

  // From the stretch that the row before the page is in, in the order of both keys, so that nothing is sorted.
  const createdRows = database.prepare<{ row: number; leadId: string }, Record<string, string | number>>(
    `SELECT c.row + leads.seq - c.lead AS row, leads.id AS leadId FROM jobs
     CROSS JOIN lead_import_created AS c ON c.job_id = jobs.id AND c.row >= coalesce(
       (SELECT max(row) FROM lead_import_created WHERE job_id = $jobId AND row <= $afterRow), 0)
     CROSS JOIN leads ON leads.seq >= c.lead AND leads.seq < c.lead + c.leads AND leads.created_at = c.created_at
     WHERE jobs.id = $jobId AND jobs.user_id = $userId AND c.row + leads.seq - c.lead > $afterRow
     ORDER BY c.row, leads.seq LIMIT $limit`,
  );

  async function importReport({ userId, jobId, outcome, afterRow, limit }: ImportReportRequest) {
    if (outcome === "created")
      return createdRows
        .all({ userId, jobId, afterRow, limit })
        .map((row) => ({ ...row, outcome, errors: [] as ImportRowError[] }));
    return orm
      .select({
        row: leadImportRows.row,
        outcome: leadImportRows.outcome,
        leadId: leadImportRows.leadId,
        errors: leadImportRows.errors,
      })
      .from(leadImportRows)
      .innerJoin(jobs, and(eq(jobs.id, leadImportRows.jobId), eq(jobs.userId, userId)))
      .where(
        and(
          eq(leadImportRows.jobId, jobId),
          gt(leadImportRows.row, afterRow),
          outcome === null ? undefined : eq(leadImportRows.outcome, outcome),
        ),
      )
      .orderBy(asc(leadImportRows.row))
      .limit(limit)
      .all();
  }

  const countImportReport: LeadStore["countImportReport"] = ({ jobId, outcome }) =>
    countRows(
      engine,
      outcome === "created"
        ? { sql: createdOfJob, params: [jobId] }
        : {
            sql: "SELECT 1 FROM lead_import_rows WHERE job_id = ?1 AND (?2 IS NULL OR outcome = ?2)",
            params: [jobId, outcome],
          },
    );

  async function importBatch(batch: ImportBatch): Promise<ImportCounts | null> {
    await keys.room();
    return suppressions.knowing(
      () => peopleIn(batch),
      () => writer.write(() => storeBatch(batch)),
    );
  }

  const forgetDryRun = (jobId: string, limit: number) => writer.write(() => dryRuns.forget(jobId, limit));
  return { ownerNumber: async (userId) => owners(userId), importBatch, importReport, countImportReport, forgetDryRun };
}

function targetOf({ content, identity }: { content: LeadContent; identity: LeadIdentity }): Person["target"] {
  return { email: identity.email, profileKey: identity.network, phone: content.phone };
}

const createdOfJob = `SELECT 1 FROM lead_import_created AS c CROSS JOIN leads
  ON leads.seq >= c.lead AND leads.seq < c.lead + c.leads AND leads.created_at = c.created_at WHERE c.job_id = ?1`;

const stored: Settled = { outcome: "created", leadId: null, errors: [] };

function suppressed(match: SuppressionMatch): ImportRowError {
  return { path: suppressedField[match.kind], message: doNotContactText(match), code: "DO_NOT_CONTACT" };
}

function countsOf(metadata: JobMetadata): ImportCounts {
  const count = (name: keyof ImportCounts) => (typeof metadata[name] === "number" ? metadata[name] : 0);
  return {
    rows: count("rows"),
    created: count("created"),
    updated: count("updated"),
    skipped: count("skipped"),
    failed: count("failed"),
    ...(typeof metadata.doNotContact === "number" && { doNotContact: metadata.doNotContact }),
  };
}
