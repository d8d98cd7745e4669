import type { BlobStore } from "../platform/blobs/blob-store.ts";
import type { ScratchStore } from "../platform/blobs/scratch-store.ts";
import type { Clock, Ids } from "../platform/base/clock.ts";
import type { Log } from "../platform/base/log.ts";
import type { Chore } from "../platform/jobs/maintenance.ts";
import type { JobService } from "../platform/jobs/service.ts";
import { LeadAssignees } from "../features/leads/assignees.ts";
import { createBulkHandler } from "../features/leads/bulk-job.ts";
import { LeadBulkJobs } from "../features/leads/bulk-jobs.ts";
import { LeadService } from "../features/leads/service.ts";
import { LeadStatusFollower } from "../features/leads/status-follower.ts";
import { LeadValueService } from "../features/leads/value-service.ts";
import { LeadMergeService } from "../features/leads/merge-service.ts";
import { LeadViewService } from "../features/leads/views/service.ts";
import type { CampaignService } from "../features/campaigns/service.ts";
import { accountUser } from "../features/network/may-use.ts";
import type { SuppressionService } from "../features/suppression/service.ts";
import type { Storage } from "../adapters/storage/storage.ts";
import type { Config } from "./config/config.ts";
import { composeImports } from "./imports.ts";

export type LeadParts = {
  config: Pick<Config, "leadStatus">;
  storage: Storage;
  blobs: BlobStore;
  scratch: ScratchStore;
  jobs: JobService;
  suppressions: SuppressionService;
  /** Composed later, from the leads. */
  campaigns: () => CampaignService;
  clock: Clock;
  ids: Ids;
  log: Log;
};

/** Composes leads, their imports, and changes of many at once. */
export function composeLeads({ config, campaigns, suppressions, ...parts }: LeadParts) {
  const { storage, jobs, clock, ids } = parts;
  const assignees = new LeadAssignees(storage.workspaces);
  const leads = new LeadService(storage.leads, suppressions, clock, ids);
  const imports = composeImports(parts);
  const bulkJobs = new LeadBulkJobs(
    storage.leads,
    jobs,
    assignees,
    (requester, campaignId) => campaigns().canEnroll(accountUser(requester), campaignId),
    clock,
    ids,
  );
  const bulkHandler = createBulkHandler(
    storage.leads,
    storage.workspaces,
    (workspaceId, campaignId, leadIds) => campaigns().enrollLeads(workspaceId, campaignId, leadIds, false),
    clock,
  );
  const leadParts = {
    ...{ assignees, leads, bulkJobs, imports: imports.leads, prospectImports: imports.prospects },
    ...{ failedRows: imports.failedRows, previews: imports.previews, listWorkbooks: imports.listWorkbooks },
    leadValues: new LeadValueService(storage.leads),
    leadMerges: new LeadMergeService(storage.leads, suppressions, clock),
    leadViews: new LeadViewService(storage.leadViews, clock, ids),
  };
  const follower = new LeadStatusFollower(storage.events, leads, config.leadStatus);
  const chores: Chore[] = [
    ...imports.chores,
    { name: "let the status of leads follow events", pattern: "*/5 * * * * *", run: () => follower.follow() },
  ];
  return { assignees, leads, imports: { ...imports, chores }, bulkHandler, leadParts };
}
