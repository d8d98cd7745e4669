import { Type } from "@sinclair/typebox";
import { body, params } from "../../platform/http/input.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { pageFields, pageOf, pageQuery, timePlaceIn, timePlaceOf } from "../../platform/http/paging.ts";
import { ok } from "../../platform/http/request-context.ts";
import { routes } from "../../platform/http/route.ts";
import { WorkspaceInput, WorkspaceUpdate, WorkspaceView } from "./model.ts";
import type { WorkspaceService } from "./service.ts";

const WorkspaceIdParam = Type.Object({ workspaceId: Type.String() });
const WorkspaceList = Type.Object({ workspaces: Type.Array(WorkspaceView), ...pageFields });

export function workspaceRoutes(workspaces: WorkspaceService) {
  return routes("/api/v2/workspaces")
    .get(
      "/",
      async ({ caller, query: { limit = 50, cursor } }) => {
        const { workspaces: found, total } = await workspaces.list(caller, limit + 1, timePlaceIn(cursor));
        const { items, ...page } = pageOf(found, limit, ({ place }) => timePlaceOf(place));
        return ok({ workspaces: items.map(({ view }) => view), total, ...page });
      },
      {
        callerOnly: "users:read",
        query: params(Type.Object(pageQuery(50, 100))),
        docs: answersJson(success(WorkspaceList), {
          tag: "Workspaces",
          summary: "List your workspaces",
          description:
            "Workspaces in which the user of the key is an active member. With a global key: all workspaces.",
        }),
      },
    )
    .post("/", async ({ caller, body: input }) => ok(await workspaces.create(caller, input)), {
      callerOnly: "users:write",
      body: body(WorkspaceInput),
      docs: answersJson(success(WorkspaceView), {
        tag: "Workspaces",
        summary: "Create a workspace",
        description: "Admins only. It starts with a network account and the default credit grant.",
        errors: ["NOT_FOUND"],
      }),
    })
    .get(
      "/:workspaceId",
      async ({ caller, params: { workspaceId } }) => ok(await workspaces.view(caller, workspaceId)),
      {
        callerOnly: "users:read",
        params: params(WorkspaceIdParam),
        docs: answersJson(success(WorkspaceView), {
          tag: "Workspaces",
          summary: "Get a workspace",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .put(
      "/:workspaceId",
      async ({ caller, params: { workspaceId }, body: change }) =>
        ok(await workspaces.update(caller, workspaceId, change)),
      {
        callerOnly: "users:write",
        params: params(WorkspaceIdParam),
        body: body(WorkspaceUpdate),
        docs: answersJson(success(WorkspaceView), {
          tag: "Workspaces",
          summary: "Update a workspace",
          description: "For its owners and admins.",
          errors: ["NOT_FOUND"],
        }),
      },
    );
}
