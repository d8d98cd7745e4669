import { Type } from "@sinclair/typebox";
import { body, params } from "../../../platform/http/input.ts";
import { answersJson, success } from "../../../platform/http/openapi.ts";
import { pageFields, pageOfAll, pageQuery } from "../../../platform/http/paging.ts";
import { ok } from "../../../platform/http/request-context.ts";
import { routes } from "../../../platform/http/route.ts";
import { maxMembers, MemberUpdate, MemberView } from "./model.ts";
import type { MemberService } from "./service.ts";

const MemberId = Type.Object({ memberId: Type.String({ description: "ID of the user." }) });
const successor = (what: string) =>
  Type.Optional(
    Type.String({ description: `Member who gets the ${what} of the removed one (user ID). Default: nobody.` }),
  );
const SuccessorQuery = Type.Object({ leadsTo: successor("leads"), accountsTo: successor("network accounts") });
const MemberList = Type.Object({ members: Type.Array(MemberView), ...pageFields });
const Removed = Type.Object({ success: Type.Literal(true), message: Type.String() });

export function memberRoutes(members: MemberService) {
  return routes("/api/v2/members")
    .get(
      "/",
      async ({ workspaceId, query: { limit = maxMembers, cursor } }) => {
        const all = await members.list(workspaceId);
        const { items, ...page } = pageOfAll(all, { limit, cursor, idOf: ({ userId }) => userId, newestFirst: false });
        return ok({ members: items, ...page });
      },
      {
        access: "users:read",
        query: params(Type.Object(pageQuery(maxMembers, maxMembers))),
        docs: answersJson(success(MemberList), {
          tag: "Workspaces",
          summary: "List the members of the workspace, oldest first",
        }),
      },
    )
    .get("/:memberId", async ({ workspaceId, params: { memberId } }) => ok(await members.get(workspaceId, memberId)), {
      access: "users:read",
      params: params(MemberId),
      docs: answersJson(success(MemberView), { tag: "Workspaces", summary: "Get a member", errors: ["NOT_FOUND"] }),
    })
    .put(
      "/:memberId",
      async ({ caller, workspaceId, params: { memberId }, body: change }) =>
        ok(await members.update(caller, workspaceId, memberId, change)),
      {
        access: "users:write",
        params: params(MemberId),
        body: body(MemberUpdate),
        docs: answersJson(success(MemberView), {
          tag: "Workspaces",
          summary: "Change the role of a member, or deactivate them",
          description:
            "For owners and admins. Only owners can add, change, or remove owners, and nobody can grant permissions they lack. A workspace must keep at least one active owner.",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    )
    .delete(
      "/:memberId",
      async ({ caller, workspaceId, params: { memberId }, query }) => {
        const { leadsTo, accountsTo } = query;
        await members.remove(caller, workspaceId, memberId, { leadsTo, accountsTo });
        return { success: true as const, message: "Member removed. Their keys and sessions no longer work." };
      },
      {
        access: "users:write",
        params: params(MemberId),
        query: params(SuccessorQuery),
        docs: answersJson(Removed, {
          tag: "Workspaces",
          summary: "Remove a member, or leave the workspace",
          description:
            "Their keys are deleted and their sessions end at once; what those keys spent still counts. The last active owner cannot be removed.",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    )
    .post(
      "/:memberId/transfer-ownership",
      async ({ caller, workspaceId, params: { memberId } }) =>
        ok(await members.transferOwnership(caller, workspaceId, memberId)),
      {
        access: "users:write",
        params: params(MemberId),
        docs: answersJson(success(MemberView), {
          tag: "Workspaces",
          summary: "Transfer your ownership to another member",
          description: "The member becomes an owner and you become an admin.",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    );
}
