import { Type } from "@sinclair/typebox";
import { body, params } from "../../../platform/http/input.ts";
import { answersJson, success } from "../../../platform/http/openapi.ts";
import { pageFields, pageOf, pageQuery, timePlaceIn, timePlaceOf } from "../../../platform/http/paging.ts";
import { ok } from "../../../platform/http/request-context.ts";
import { routes } from "../../../platform/http/route.ts";
import { AcceptedInvitation, InvitationInput, InvitationView, NewInvitationView, TokenInput } from "./model.ts";
import type { InvitationService } from "./service.ts";

const InvitationId = Type.Object({ invitationId: Type.String() });
const InvitationList = Type.Object({ invitations: Type.Array(InvitationView), ...pageFields });
const Revoked = Type.Object({ success: Type.Literal(true), message: Type.String() });

export function invitationRoutes(invitations: InvitationService) {
  return routes("/api/v2/invitations")
    .post(
      "/",
      async ({ caller, workspaceId, body: input }) => ok(await invitations.create(caller, workspaceId, input)),
      {
        access: "users:write",
        body: body(InvitationInput),
        docs: answersJson(success(NewInvitationView), {
          tag: "Workspaces",
          summary: "Invite a person to the workspace",
          description:
            "For owners and admins. Pass the link in `data.url` on; it is not shown again, works once, and expires after 7 days. A new invitation for the same address replaces the earlier one.",
          errors: ["CONFLICT"],
        }),
      },
    )
    .get(
      "/",
      async ({ workspaceId, query: { limit = 50, cursor } }) => {
        const { invitations: found, total } = await invitations.list(workspaceId, limit + 1, timePlaceIn(cursor));
        const { items, ...page } = pageOf(found, limit, ({ place }) => timePlaceOf(place));
        return ok({ invitations: items.map(({ view }) => view), total, ...page });
      },
      {
        access: "users:read",
        query: params(Type.Object(pageQuery(50, 200))),
        docs: answersJson(success(InvitationList), {
          tag: "Workspaces",
          summary: "List open invitations, newest first",
        }),
      },
    )
    .delete(
      "/:invitationId",
      async ({ caller, workspaceId, params: { invitationId } }) => {
        await invitations.revoke(caller, workspaceId, invitationId);
        return { success: true as const, message: "Invitation revoked. Its link no longer works." };
      },
      {
        access: "users:write",
        params: params(InvitationId),
        docs: answersJson(Revoked, { tag: "Workspaces", summary: "Revoke an invitation", errors: ["NOT_FOUND"] }),
      },
    )
    .post("/join", async ({ caller, body: { token } }) => ok(await invitations.join(caller, token)), {
      callerOnly: "users:write",
      body: body(TokenInput),
      docs: answersJson(success(AcceptedInvitation), {
        tag: "Workspaces",
        summary: "Accept an invitation as an existing user",
        description: "The user of the API key joins the workspace and receives a key for it, which is not shown again.",
        errors: ["CONFLICT"],
      }),
    });
}
