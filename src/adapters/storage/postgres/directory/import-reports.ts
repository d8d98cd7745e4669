import { and, asc, eq, gt, gte, lt, sql, type SQL } from "drizzle-orm";
import type { ReportLine } from "../../../../features/prospecting/directory-decisions.ts";
import type { ProspectReportRow } from "../../../../features/prospecting/directory-model.ts";
import { prospectId } from "../../../../features/prospecting/prospect-id.ts";
import type { ProspectReportRequest, ProspectStore } from "../../../../features/prospecting/store.ts";
import { stretchesOf } from "../../../../features/prospecting/stretches.ts";
import type { Connection, Engine } from "../engine.ts";
import { countRows } from "../list-pages.ts";
import { jobs, workspaces } from "../tables.ts";
import { importCreated, importRows, prospects } from "./tables.ts";

/** Report lines deleted at a time. */
const dropAtOnce = 2000;

/** The reports of imports. */
export function createImportReports({ orm }: Engine): Pick<ProspectStore, "importReport" | "countImportReport"> {
  return {
    async importReport(request) {
      const { workspaceId, jobId, outcome, afterRow, limit } = request;
      if (outcome === "created") return await createdRows(orm, request);
      const rows = await orm
        .select({
          row: importRows.row,
          outcome: importRows.outcome,
          prospect: importRows.prospect,
          errors: importRows.errors,
        })
        .from(importRows)
        .innerJoin(jobs, and(eq(jobs.id, importRows.jobId), eq(jobs.workspaceId, workspaceId)))
        .where(and(eq(importRows.jobId, jobId), isOutcome(outcome), gt(importRows.row, afterRow)))
        .orderBy(asc(importRows.row))
        .limit(limit);
      return rows.map(({ prospect, ...line }) => ({
        ...line,
        prospectId: prospect === null ? null : prospectId(workspaceId, prospect),
      }));
    },
    countImportReport({ jobId, outcome }) {
      if (outcome !== "created")
        return countRows(
          orm,
          orm
            .select({ row: importRows.row })
            .from(importRows)
            .where(and(eq(importRows.jobId, jobId), isOutcome(outcome)))
            .$dynamic(),
        );
      const created = orm
        .select({ number: prospects.number })
        .from(importCreated)
        .innerJoin(jobs, eq(jobs.id, importCreated.jobId))
        .innerJoin(workspaces, eq(workspaces.id, jobs.workspaceId))
        .innerJoin(prospects, isOfStretch)
        .where(eq(importCreated.jobId, jobId));
      return countRows(orm, created.$dynamic());
    },
  };
}

/** Stores the report of a batch, in the transaction that stores the batch. */
export async function writeReport(
  connection: Connection,
  jobId: string,
  lines: readonly ReportLine[],
  created: readonly { row: number; number: number }[],
): Promise<void> {
  if (lines.length > 0) {
    const rows = lines.map(({ row, outcome, number, errors }) => ({ jobId, row, outcome, prospect: number, errors }));
    const set = {
      outcome: sql.raw("excluded.outcome"),
      prospect: sql.raw("excluded.prospect"),
      errors: sql.raw("excluded.errors"),
    };
    await connection
      .insert(importRows)
      .values(rows)
      .onConflictDoUpdate({ target: [importRows.jobId, importRows.row], set });
  }
  if (created.length === 0) return;
  const stretches = stretchesOf(created).map(({ row, number, prospects: of }) => ({
    ...{ jobId, row, prospect: number, prospects: of },
  }));
  const set = { prospect: sql.raw("excluded.prospect"), prospects: sql.raw("excluded.prospects") };
  await connection
    .insert(importCreated)
    .values(stretches)
    .onConflictDoUpdate({ target: [importCreated.jobId, importCreated.row], set });
}

/** Deletes the lines that an earlier attempt at a dry run has reported. */
export async function dropReport({ orm }: Engine, jobId: string): Promise<void> {
  const some = sql`${importRows.row} = ANY(ARRAY(
    SELECT row FROM ${importRows} WHERE job_id = ${jobId} LIMIT ${dropAtOnce}))`;
  for (;;) {
    const dropped = await orm
      .delete(importRows)
      .where(and(eq(importRows.jobId, jobId), some))
      .returning({ row: importRows.row });
    if (dropped.length < dropAtOnce) return;
  }
}

/** The prospects that still exist. */
async function createdRows(
  orm: Connection,
  { workspaceId, jobId, afterRow, limit }: ProspectReportRequest,
): Promise<ProspectReportRow[]> {
  const row = sql<number>`${importCreated.row} + ${prospects.number} - ${importCreated.prospect}`.mapWith(Number);
  const rows = await orm
    .select({ row, number: prospects.number })
    .from(importCreated)
    .innerJoin(jobs, and(eq(jobs.id, importCreated.jobId), eq(jobs.workspaceId, workspaceId)))
    .innerJoin(workspaces, eq(workspaces.id, jobs.workspaceId))
    .innerJoin(prospects, isOfStretch)
    .where(
      and(
        eq(importCreated.jobId, jobId),
        gt(sql`${importCreated.row} + ${importCreated.prospects} - 1`, afterRow),
        gt(row, afterRow),
      ),
    )
    .orderBy(asc(importCreated.row), asc(prospects.number))
    .limit(limit);
  return rows.map(({ number, row: at }) => ({
    ...{ row: at, outcome: "created", prospectId: prospectId(workspaceId, number), errors: [] },
  }));
}

const isOfStretch = and(
  eq(prospects.owner, workspaces.seq),
  gte(prospects.number, importCreated.prospect),
  lt(prospects.number, sql`${importCreated.prospect} + ${importCreated.prospects}`),
);

function isOutcome(outcome: ProspectReportRequest["outcome"]): SQL | undefined {
  return outcome === null ? undefined : sql`${importRows.outcome} = ${outcome}`;
}
