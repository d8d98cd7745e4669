import { Type } from "@sinclair/typebox";
import { decodeCursor } from "../../platform/http/cursor.ts";
import { routes } from "../../platform/http/route.ts";
import { body, params } from "../../platform/http/input.ts";
import { pageFields, pageOf, pageQuery, timePlaceIn, timePlaceOf } from "../../platform/http/paging.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/request-context.ts";
import { requireApprover } from "../../platform/auth/caller.ts";
import {
  CampaignInput,
  CampaignStatistics,
  CampaignUpdate,
  CampaignView,
  DuplicateInput,
  EnrollAnswer,
  EnrollInput,
  EnrollmentView,
  enrollmentStates,
  PreviewInput,
  PreviewView,
} from "./model.ts";
import { CampaignTemplate } from "./template-model.ts";
import { campaignTemplates } from "./templates.ts";
import { accountUser } from "../network/may-use.ts";
import type { CampaignService } from "./service.ts";
import { outcomes } from "./variant-results.ts";
import { campaignView } from "./views.ts";

const byId = params(Type.Object({ campaignId: Type.String() }));
const CampaignQuery = Type.Object(pageQuery(1000, 1000));
const CampaignList = Type.Object({ campaigns: Type.Array(CampaignView), ...pageFields });
const TemplateList = Type.Object({ templates: Type.Array(CampaignTemplate) });
const EnrollmentList = Type.Object({
  enrollments: Type.Array(EnrollmentView),
  ...pageFields,
});
const EnrollmentQuery = Type.Object({
  state: Type.Optional(Type.Union(enrollmentStates.map((state) => Type.Literal(state)))),
  outcome: Type.Optional(
    Type.Union(
      outcomes.map((outcome) => Type.Literal(outcome)),
      { description: "Only leads with this outcome, at any time." },
    ),
  ),
  ...pageQuery(50, 100),
});
const Removed = Type.Object({ success: Type.Literal(true), message: Type.String() });
const tag = "Campaigns";

export function campaignRoutes(campaigns: CampaignService) {
  const turn = (summary: string, description: string) => ({
    access: "network:schedule" as const,
    params: byId,
    docs: answersJson(success(CampaignView), { tag, summary, description, errors: ["NOT_FOUND", "CONFLICT"] }),
  });
  return routes("/api/v2/campaigns")
    .get(
      "",
      async ({ workspaceId, query: { limit = 1000, cursor } }) => {
        const [found, total] = await Promise.all([
          campaigns.list(workspaceId, limit + 1, timePlaceIn(cursor)),
          campaigns.count(workspaceId),
        ]);
        const { items, ...page } = pageOf(found, limit, timePlaceOf);
        return ok({ campaigns: items.map(campaignView), total, ...page });
      },
      {
        access: "network:read",
        query: params(CampaignQuery),
        docs: answersJson(success(CampaignList), { tag, summary: "List campaigns, newest first" }),
      },
    )
    .post("", async (context) => ok(await campaigns.create(accountUser(context), context.body)), {
      access: "network:schedule",
      body: body(CampaignInput),
      docs: answersJson(success(CampaignView), {
        tag,
        summary: "Create a campaign",
        description: "Creates a draft. Enroll leads, review the preview, then start the campaign.",
        errors: ["NOT_FOUND"],
      }),
    })
    .get("/templates", () => ok({ templates: [...campaignTemplates] }), {
      access: "network:read",
      docs: answersJson(success(TemplateList), {
        tag,
        summary: "List campaign templates",
        description: "Common sequences of steps, as a starting point for a new campaign.",
      }),
    })
    .get(
      "/:campaignId",
      async ({ workspaceId, params: { campaignId } }) => ok(await campaigns.get(workspaceId, campaignId)),
      {
        access: "network:read",
        params: byId,
        docs: answersJson(success(CampaignView), { tag, summary: "Get a campaign", errors: ["NOT_FOUND"] }),
      },
    )
    .patch(
      "/:campaignId",
      async (context) => ok(await campaigns.update(accountUser(context), context.params.campaignId, context.body)),
      {
        body: body(CampaignUpdate),
        ...turn(
          "Update a campaign",
          "Steps and accounts can be changed in a draft and while the campaign is paused. Leads that have begun finish the steps they began and keep their account. With `version`, the change is rejected if the campaign has been edited since.",
        ),
      },
    )
    .post(
      "/:campaignId/duplicate",
      async (context) => ok(await campaigns.duplicate(accountUser(context), context.params.campaignId, context.body)),
      {
        access: "network:schedule",
        params: byId,
        body: body(DuplicateInput),
        docs: answersJson(success(CampaignView), {
          tag,
          summary: "Duplicate a campaign",
          description: "Creates a draft with the same steps, settings, and accounts. Leads are not copied.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .delete(
      "/:campaignId",
      async (context) => {
        const { campaignId } = context.params;
        await campaigns.remove(accountUser(context), campaignId);
        return { success: true as const, message: `Campaign ${campaignId} deleted.` };
      },
      {
        access: "network:schedule",
        params: byId,
        docs: answersJson(Removed, { tag, summary: "Delete a draft campaign", errors: ["NOT_FOUND", "CONFLICT"] }),
      },
    )
    .post(
      "/:campaignId/start",
      async (context) => {
        requireApprover(context.caller, "start a campaign");
        return ok(await campaigns.start(accountUser(context), context.params.campaignId));
      },
      turn("Start a campaign", "Also resumes a paused campaign. Not allowed with a key that may only propose actions."),
    )
    .post(
      "/:campaignId/pause",
      async (context) => ok(await campaigns.pause(accountUser(context), context.params.campaignId)),
      turn(
        "Pause a campaign",
        "Leads stay at their current step. Pending actions are rescheduled when the campaign resumes.",
      ),
    )
    .post(
      "/:campaignId/cancel",
      async (context) => ok(await campaigns.cancel(accountUser(context), context.params.campaignId)),
      turn(
        "Cancel a campaign",
        "Ends the campaign for every lead that is still in progress and cancels pending actions.",
      ),
    )
    .post(
      "/:campaignId/enroll",
      async (context) => {
        const { caller, workspaceId, params, body: input } = context;
        const { campaignId } = params;
        if ((await campaigns.get(workspaceId, campaignId)).state !== "draft")
          requireApprover(caller, "enroll leads in a campaign that has started");
        return ok(await campaigns.enroll(accountUser(context), campaignId, input));
      },
      {
        access: "network:schedule",
        params: byId,
        body: body(EnrollInput),
        docs: answersJson(success(EnrollAnswer), {
          tag,
          summary: "Enroll leads",
          description:
            "Enrolls leads by ID, or all leads with a tag, up to 10,000 per request. Leads that are skipped are listed with the reason: no profile, missing variable, in another campaign, contacted recently, or do not contact.",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    )
    .get(
      "/:campaignId/enrollments",
      async ({ workspaceId, params: { campaignId }, query }) => {
        const { limit = 50, cursor, ...filter } = query;
        const after = cursor === undefined ? null : String(decodeCursor(cursor, 1)[0]);
        const found = await campaigns.enrollments(workspaceId, campaignId, filter, after, limit + 1);
        const { items, ...page } = pageOf(found.enrollments, limit, ({ id }) => [id]);
        return ok({ enrollments: items, total: found.total, ...page });
      },
      {
        access: "network:read",
        params: byId,
        query: params(EnrollmentQuery),
        docs: answersJson(success(EnrollmentList), {
          tag,
          summary: "List enrollments of a campaign",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .post(
      "/:campaignId/enrollments/:enrollmentId/stop",
      async (context) => {
        const { campaignId, enrollmentId } = context.params;
        return ok(await campaigns.stop(accountUser(context), campaignId, enrollmentId));
      },
      {
        access: "network:schedule",
        params: params(Type.Object({ campaignId: Type.String(), enrollmentId: Type.String() })),
        docs: answersJson(success(EnrollmentView), {
          tag,
          summary: "Remove a lead from a campaign",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .get(
      "/:campaignId/statistics",
      async ({ workspaceId, params: { campaignId } }) => ok(await campaigns.statistics(workspaceId, campaignId)),
      {
        access: "network:read",
        params: byId,
        docs: answersJson(success(CampaignStatistics), {
          tag,
          summary: "Get campaign statistics",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .post(
      "/:campaignId/preview",
      async ({ workspaceId, params: { campaignId }, body: input }) =>
        ok(await campaigns.preview(workspaceId, campaignId, input)),
      {
        access: "network:read",
        params: byId,
        body: body(PreviewInput),
        docs: answersJson(success(PreviewView), {
          tag,
          summary: "Preview a campaign",
          description:
            "Forecasts when each step would be sent, given the current caps, working hours, and queues of the accounts. Nothing is stored.",
          errors: ["NOT_FOUND"],
        }),
      },
    );
}
