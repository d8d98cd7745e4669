import { routes } from "../../platform/http/route.ts";
import { body } from "../../platform/http/input.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/request-context.ts";
import { BulkRemoveInput, BulkReport, BulkUpdateInput } from "./bulk-model.ts";
import type { LeadBulkService } from "./bulk-service.ts";

export function leadBulkRoutes(leads: LeadBulkService) {
  return routes("/api/v2/leads/bulk")
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
