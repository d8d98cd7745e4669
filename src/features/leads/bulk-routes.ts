import { routes } from "../../platform/http/route.ts";
import { body } from "../../platform/http/input.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/request-context.ts";
import { accepted } from "../../platform/imports/file-requests.ts";
import { JobView } from "../../platform/jobs/model.ts";
import type { LeadBulkJobs } from "./bulk-jobs.ts";
import { BulkByFilterInput, BulkRemoveInput, BulkReport, BulkUpdateInput } from "./bulk-model.ts";
import type { LeadBulkService } from "./bulk-service.ts";

export function leadBulkRoutes(leads: LeadBulkService, jobs: LeadBulkJobs) {
  return routes("/api/v2/leads/bulk")
    .post(
      "/",
      async ({ caller, workspaceId, userId, body: input, set }) =>
        accepted(set, await jobs.start({ caller, workspaceId, userId }, input)),
      {
        access: "leads:write",
        body: body(BulkByFilterInput),
        docs: answersJson(success(JobView), {
          tag: "Leads",
          summary: "Change all leads that match a filter",
          description:
            "Updates, enrolls, or deletes the leads in a job, which is returned immediately. Its metadata has the counts: total, processed, changed, unchanged, and skipped by reason. Deleting also requires leads:delete, and enrolling network:schedule. Leads that are created or start to match later are not changed.",
          status: 202,
          errors: ["NOT_FOUND", "CONFLICT"],
          headers: { Location: "URL of the job." },
        }),
      },
    )
    .post(
      "/update",
      async ({ workspaceId, userId, body: { ids, ...change } }) =>
        ok(await leads.update({ workspaceId, userId }, ids, change)),
      {
        access: "leads:write",
        body: body(BulkUpdateInput),
        docs: answersJson(success(BulkReport), {
          tag: "Leads",
          summary: "Update the status, tags, or assignee of several leads",
          description: "Updates up to 500 leads by ID. The report lists the leads that failed, with the reason.",
        }),
      },
    )
    .post(
      "/delete",
      async ({ workspaceId, userId, body: { ids } }) => ok(await leads.remove({ workspaceId, userId }, ids)),
      {
        access: "leads:delete",
        body: body(BulkRemoveInput),
        docs: answersJson(success(BulkReport), {
          tag: "Leads",
          summary: "Delete several leads permanently",
          description: "Deletes up to 500 leads by ID. The report lists the IDs that were not found.",
        }),
      },
    );
}
