import type { BlobStore } from "../platform/blobs/blob-store.ts";
import type { ScratchStore } from "../platform/blobs/scratch-store.ts";
import type { Clock, Ids } from "../platform/base/clock.ts";
import { FileImports } from "../platform/imports/file-imports.ts";
import { FileIntake } from "../platform/imports/file-intake.ts";
import { HeldFiles } from "../platform/imports/held-files.ts";
import { retryableMs } from "../platform/imports/job-files.ts";
import type { Chore } from "../platform/jobs/maintenance.ts";
import type { JobService } from "../platform/jobs/service.ts";
import { createImportHandler, leadImportKind, type LeadImports } from "../features/leads/import-job.ts";
import { KeptFailedRows } from "../features/leads/kept-failed-rows.ts";
import type { WorkspaceId } from "../platform/base/ids.ts";
import type { Log } from "../platform/base/log.ts";
import {
  createProspectImportHandler,
  prospectImportKind,
  type ProspectImports,
} from "../features/prospecting/import-job.ts";
import type { Storage } from "../adapters/storage/storage.ts";

export type ImportParts = {
  storage: Storage;
  blobs: BlobStore;
  scratch: ScratchStore;
  jobs: JobService;
  clock: Clock;
  ids: Ids;
  log: Log;
};

/** Of the dashboard, which shows one at a time; each can hold a file of the maximum size. */
const previewLimits = { perOwner: 4, total: 16 };

/** Each reads a workbook in a thread, and writes as fast as the database can. */
const listLimits = { perOwner: 2, total: 4 };

/** Composes file imports. */
export function composeImports({ storage, blobs, scratch, jobs, clock, ids, log }: ImportParts) {
  const intake = new FileIntake(jobs, blobs, clock, ids);
  const leads: LeadImports = new FileImports(leadImportKind(storage.leads), jobs, intake);
  const prospects: ProspectImports = new FileImports(prospectImportKind(storage.prospects), jobs, intake);

  const failedRows = new KeptFailedRows(blobs, clock, log);

  async function sweep(): Promise<void> {
    const hasJob = async (workspaceId: WorkspaceId, id: string) =>
      ["pending", "running", "completed"].includes((await jobs.find(workspaceId, id))?.status ?? "");
    await failedRows.sweep(hasJob);
    const isOpen = (id: string) => storage.jobs.isOpen(id, clock.now() - retryableMs);
    const removed = (await leads.sweep(isOpen)) + (await prospects.sweep(isOpen));
    if (removed > 0) log.info({ removed }, "removed files of imports that ended or never started");
  }
  const chores: Chore[] = [
    { name: "remove files of imports that cannot be retried", pattern: "50 40 3 * * *", run: sweep },
  ];
  return {
    leads,
    prospects,
    failedRows,
    previews: new HeldFiles(scratch, "previews", previewLimits),
    listWorkbooks: new HeldFiles(scratch, "imports of do-not-contact lists from Excel", listLimits),
    leadHandler: createImportHandler(storage.leads, storage.workspaces, blobs, failedRows, jobs, clock),
    prospectHandler: createProspectImportHandler(storage.prospects, blobs, clock),
    chores,
    /** Does what the chore does, at the start. */
    sweep,
  };
}
