import { Type } from "@sinclair/typebox";
import { params } from "../../platform/http/input.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { pageFields, pageOfAll, pageQuery } from "../../platform/http/paging.ts";
import { ok } from "../../platform/http/request-context.ts";
import { routes } from "../../platform/http/route.ts";
import { EnrollmentView } from "./model.ts";
import type { CampaignService } from "./service.ts";

const Membership = Type.Composite([
  EnrollmentView,
  Type.Object({ campaignId: Type.String(), campaignName: Type.String() }),
]);
const Memberships = Type.Object({ campaigns: Type.Array(Membership), ...pageFields });

/** The campaigns of a lead, for its page. */
export function leadCampaignRoutes(campaigns: CampaignService) {
  return routes("/api/v2/leads").get(
    "/:leadId/campaigns",
    async ({ workspaceId, params: { leadId }, query: { limit = 50, cursor } }) => {
      const all = await campaigns.ofLead(workspaceId, leadId);
      const { items, ...page } = pageOfAll(all, { limit, cursor, idOf: ({ id }) => id, newestFirst: true });
      return ok({ campaigns: items, ...page });
    },
    {
      access: "network:read",
      params: params(Type.Object({ leadId: Type.String() })),
      query: params(Type.Object(pageQuery(50, 100))),
      docs: answersJson(success(Memberships), {
        tag: "Leads",
        summary: "List the campaigns of a lead, newest first",
        description: "Campaigns that the lead is or was enrolled in, with its progress.",
        errors: ["NOT_FOUND"],
      }),
    },
  );
}
