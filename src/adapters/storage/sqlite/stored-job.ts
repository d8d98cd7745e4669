import type { SQLQueryBindings } from "bun:sqlite";
import type { Job, JobStatus, JobType } from "../../../platform/jobs/model.ts";
import { networkActions, type ActionRow } from "./network-tables.ts";
import { insertSqlOf } from "./placeholders.ts";
import { jobs } from "./tables.ts";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";

/** What a row of `jobs` has, in the order of the table in tables.ts. */
type JobValues = [
  ...[id: string, workspaceId: WorkspaceId, type: JobType, status: JobStatus],
  ...[runAt: number, attempt: number, failures: number, maxAttempts: number, leaseUntil: number | null],
  ...[message: string, progress: number, metadata: string, payload: string],
  ...[createdAt: number, updatedAt: number, completedAt: number | null, editedMessage: string | null],
  userId: UserId | null,
];
const jobWidth = 18;

/** The job in a row as SQLite gives it; drizzle's mapping column by column costs as much as finding the row. */
export function storedJob(row: unknown[]): Job {
  const values = row as JobValues;
  return {
    id: values[0],
    workspaceId: values[1],
    type: values[2],
    status: values[3],
    runAt: values[4],
    attempt: values[5],
    failures: values[6],
    maxAttempts: values[7],
    leaseUntil: values[8],
    message: values[9],
    progress: values[10],
    metadata: objectOf(values[11]),
    payload: objectOf(values[12]),
    createdAt: values[13],
    updatedAt: values[14],
    completedAt: values[15],
    editedMessage: values[16],
    userId: values[17],
  };
}

/** The other way round, with a place for each column. */
export const insertJobSql = insertSqlOf(jobs);

export function jobValues(job: Job): JobValues {
  return [
    job.id,
    job.workspaceId,
    job.type,
    job.status,
    job.runAt,
    job.attempt,
    job.failures,
    job.maxAttempts,
    job.leaseUntil,
    job.message,
    job.progress,
    JSON.stringify(job.metadata),
    JSON.stringify(job.payload),
    job.createdAt,
    job.updatedAt,
    job.completedAt,
    job.editedMessage ?? null,
    job.userId,
  ];
}

/** What a row of `network_actions` has, in the order of network-tables.ts. */
type ActionValues = [
  ...[seq: number, jobId: string, workspaceId: WorkspaceId, account: number],
  ...[actionType: ActionRow["actionType"], meter: number, hasNote: number],
  ...[profileUrl: string, profileKey: string, targetKey: string, message: string | null, details: string],
  ...[leadId: string | null, enrollmentId: string | null, campaignId: string | null, campaignStep: number | null],
  ...[state: ActionRow["state"], pendingReason: ActionRow["pendingReason"]],
  ...[used: number, slotAt: number | null, notBefore: number, draw: number],
  ...[reference: string | null, createdAt: number, updatedAt: number, mayBeOpen: number, carriedOutAt: number | null],
  isUrgent: number,
];

/** As `storedJob`, for actions; `offset`: where they begin in a joined row. */
export function storedAction(row: unknown[], offset = 0): ActionRow {
  const values = (offset === 0 ? row : row.slice(offset)) as ActionValues;
  return {
    seq: values[0],
    jobId: values[1],
    workspaceId: values[2],
    account: values[3],
    actionType: values[4],
    meter: values[5],
    hasNote: values[6] === 1,
    profileUrl: values[7],
    profileKey: values[8],
    targetKey: values[9],
    message: values[10],
    details: objectOf(values[11]),
    leadId: values[12],
    enrollmentId: values[13],
    campaignId: values[14],
    campaignStep: values[15],
    state: values[16],
    pendingReason: values[17],
    used: values[18],
    slotAt: values[19],
    notBefore: values[20],
    draw: values[21],
    reference: values[22],
    createdAt: values[23],
    updatedAt: values[24],
    mayBeOpen: values[25] === 1,
    carriedOutAt: values[26],
    isUrgent: values[27] === 1,
  };
}

export const insertActionSql = insertSqlOf(networkActions);

/** As `jobValues`; SQLite gives it its number. */
export function actionValues(row: Omit<ActionRow, "seq">): SQLQueryBindings[] {
  return [
    null,
    row.jobId,
    row.workspaceId,
    row.account,
    row.actionType,
    row.meter,
    row.hasNote ? 1 : 0,
    row.profileUrl,
    row.profileKey,
    row.targetKey,
    row.message,
    JSON.stringify(row.details),
    row.leadId,
    row.enrollmentId,
    row.campaignId,
    row.campaignStep,
    row.state,
    row.pendingReason,
    row.used,
    row.slotAt,
    row.notBefore,
    row.draw,
    row.reference,
    row.createdAt,
    row.updatedAt,
    row.mayBeOpen ? 1 : 0,
    row.carriedOutAt,
    row.isUrgent ? 1 : 0,
  ];
}

/** A row of `jobs` and, behind it, one of `network_actions`. */
export function storedActionJob(row: unknown[]): { job: Job; row: ActionRow } {
  return { job: storedJob(row), row: storedAction(row, jobWidth) };
}

function objectOf(text: string): Record<string, unknown> {
  return text === "{}" ? {} : (JSON.parse(text) as Record<string, unknown>);
}
