import { Type } from "@sinclair/typebox";
import { body, params } from "../../../platform/http/input.ts";
import { answersJson, success } from "../../../platform/http/openapi.ts";
import { pageFields, pageOf, pageQuery, timePlaceIn, timePlaceOf } from "../../../platform/http/paging.ts";
import { ok } from "../../../platform/http/request-context.ts";
import { routes } from "../../../platform/http/route.ts";
import { LeadViewInput, LeadViewUpdate, SavedLeadViewView } from "./model.ts";
import { savedLeadViewView, type LeadViewService } from "./service.ts";

const ViewId = Type.Object({ viewId: Type.String() });
const ListQuery = Type.Object(pageQuery(50, 100));
const Views = Type.Object({ views: Type.Array(SavedLeadViewView), ...pageFields });
const Deleted = Type.Object({ success: Type.Literal(true), message: Type.String() });

export function leadViewRoutes(views: LeadViewService) {
  return routes("/api/v2/leads/views")
    .get(
      "/",
      async ({ workspaceId, query: { limit = 50, cursor } }) => {
        const { views: found, total } = await views.page(workspaceId, limit + 1, timePlaceIn(cursor));
        const { items, ...page } = pageOf(found, limit, timePlaceOf);
        return ok({ views: items.map(savedLeadViewView), total, ...page });
      },
      {
        access: "leads:read",
        query: params(ListQuery),
        docs: answersJson(success(Views), {
          tag: "Leads",
          summary: "List saved views of leads, oldest first",
          description: "Views are shared by the workspace.",
        }),
      },
    )
    .post("/", async (context) => ok(savedLeadViewView(await views.create(context, context.body))), {
      access: "leads:write",
      body: body(LeadViewInput),
      docs: answersJson(success(SavedLeadViewView), {
        tag: "Leads",
        summary: "Save a view of leads",
        description: "Filters, columns, and order under a name.",
        errors: ["CONFLICT"],
      }),
    })
    .put(
      "/:viewId",
      async (context) => ok(savedLeadViewView(await views.update(context, context.params.viewId, context.body))),
      {
        access: "leads:write",
        params: params(ViewId),
        body: body(LeadViewUpdate),
        docs: answersJson(success(SavedLeadViewView), {
          tag: "Leads",
          summary: "Update a saved view of leads",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .delete(
      "/:viewId",
      async (context) => {
        await views.remove(context, context.params.viewId);
        return { success: true as const, message: `View ${context.params.viewId} deleted.` };
      },
      {
        access: "leads:write",
        params: params(ViewId),
        docs: answersJson(Deleted, { tag: "Leads", summary: "Delete a saved view of leads", errors: ["NOT_FOUND"] }),
      },
    );
}
