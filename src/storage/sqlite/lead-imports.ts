import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { JobMetadata } from "../../jobs/model.ts";
import type { ImportOutcome, Lead } from "../../leads/model.ts";
import type {
  ImportBatch,
  ImportCounts,
  ImportReportRequest,
  ImportRow,
  ImportRowError,
  LeadStore,
} from "../../leads/store.ts";
import type { SuppressionMatch } from "../../suppression/model.ts";
import { doNotContactText, suppressedField } from "../../suppression/refusal.ts";
import type { Engine } from "./engine.ts";
import { isHeld } from "./jobs.ts";
import type { createDryRuns } from "./lead-dry-run.ts";
import type { LeadKeys } from "./lead-keys.ts";
import type { LeadRows } from "./lead-rows.ts";
import { placeholdersOf } from "./placeholders.ts";
import type { SuppressionRows } from "./suppressions.ts";
import { jobs, leadImportRows } from "./tables.ts";

type Settled = { outcome: "created" | ImportOutcome; leadId: string | null; match?: SuppressionMatch };

/** Imports: batches of rows, their report, and the notes of dry runs. */
export function createLeadImports(
  engine: Engine,
  rows: LeadRows,
  keys: LeadKeys,
  suppressions: SuppressionRows,
  dryRuns: ReturnType<typeof createDryRuns>,
): Pick<LeadStore, "importBatch" | "importReport" | "forgetDryRun"> {
  const { orm, writer } = engine;
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
    for (const row of batch.rows) {
      const { outcome, leadId, match } = settle(batch, row);
      counts.rows++;
      counts[outcome]++;
      if (outcome === "created") continue;
      if (match) counts.doNotContact = (counts.doNotContact ?? 0) + 1;
      const errors = match ? [suppressed(match)] : "errors" in row ? row.errors : [];
      insertReport.run({ jobId: batch.jobId, row: row.row, outcome, leadId, errors });
    }
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

  function settle(batch: ImportBatch, row: ImportRow): Settled {
    if ("errors" in row) return { outcome: "failed", leadId: null };
    const { userId, onDuplicate, at } = batch;
    const { email, network: profileKey } = row.identity;
    const match = suppressions.find(userId, { email, profileKey, phone: row.content.phone });
    if (match !== null) return { outcome: "skipped", leadId: null, match };
    if (batch.dryRun) return dryRuns.foresee(batch, row.content, row.identity);
    const existing = onDuplicate === "create" ? null : rows.findSame(userId, row.identity);
    if (existing !== null && onDuplicate === "skip") return { outcome: "skipped", leadId: existing.lead.id };
    if (existing !== null) return { outcome: "updated", leadId: rows.merge(existing, row.content, at).id };
    const lead: Lead = { ...row.content, id: row.id, userId, version: 1, createdAt: at, updatedAt: at };
    rows.insert(lead, row.identity);
    return { outcome: "created", leadId: lead.id };
  }

  async function importReport({ userId, jobId, outcome, afterRow, limit }: ImportReportRequest) {
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

  async function importBatch(batch: ImportBatch): Promise<ImportCounts | null> {
    await keys.room();
    return writer.write(() => storeBatch(batch));
  }

  const forgetDryRun = (jobId: string, limit: number) => writer.write(() => dryRuns.forget(jobId, limit));
  return { importBatch, importReport, forgetDryRun };
}

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
