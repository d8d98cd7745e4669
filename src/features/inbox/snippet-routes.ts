import { Type } from "@sinclair/typebox";
import { decodeCursor, encodeCursor } from "../../platform/http/cursor.ts";
import { body, params } from "../../platform/http/input.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { pageFields, pageQuery } from "../../platform/http/paging.ts";
import { ok } from "../../platform/http/request-context.ts";
import { routes } from "../../platform/http/route.ts";
import { SnippetInput, SnippetUpdate, SnippetView } from "./model.ts";
import type { SnippetService } from "./snippets.ts";
import { snippetView } from "./views.ts";

const byId = params(Type.Object({ snippetId: Type.String() }));
const SnippetList = Type.Object({ snippets: Type.Array(SnippetView), ...pageFields });
const Deleted = Type.Object({ success: Type.Literal(true), message: Type.String() });

export function snippetRoutes(snippets: SnippetService) {
  return routes("/api/v2/inbox/snippets")
    .get(
      "",
      async ({ workspaceId, query: { limit = 50, cursor } }) => {
        const after = cursor === undefined ? null : String(decodeCursor(cursor, 1)[0]);
        const { snippets: found, total, next } = await snippets.page(workspaceId, limit, after);
        const nextCursor = next === null ? null : encodeCursor([next]);
        return ok({ snippets: found.map(snippetView), total, limit, nextCursor });
      },
      {
        access: "network:read",
        query: params(Type.Object(pageQuery(50, 100))),
        docs: answersJson(success(SnippetList), { tag: "Inbox", summary: "List snippets by name" }),
      },
    )
    .post("", async ({ workspaceId, body: input }) => ok(snippetView(await snippets.create(workspaceId, input))), {
      access: "network:schedule",
      body: body(SnippetInput),
      docs: answersJson(success(SnippetView), { tag: "Inbox", summary: "Create a snippet", errors: ["CONFLICT"] }),
    })
    .get(
      "/:snippetId",
      async ({ workspaceId, params: { snippetId } }) => ok(snippetView(await snippets.find(workspaceId, snippetId))),
      {
        access: "network:read",
        params: byId,
        docs: answersJson(success(SnippetView), { tag: "Inbox", summary: "Get a snippet", errors: ["NOT_FOUND"] }),
      },
    )
    .patch(
      "/:snippetId",
      async ({ workspaceId, params: { snippetId }, body: change }) =>
        ok(snippetView(await snippets.update(workspaceId, snippetId, change))),
      {
        access: "network:schedule",
        params: byId,
        body: body(SnippetUpdate),
        docs: answersJson(success(SnippetView), {
          tag: "Inbox",
          summary: "Update a snippet",
          description: "Updates only the fields that are sent.",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    )
    .delete(
      "/:snippetId",
      async ({ workspaceId, params: { snippetId } }) => {
        await snippets.remove(workspaceId, snippetId);
        return { success: true as const, message: `Snippet ${snippetId} deleted.` };
      },
      {
        access: "network:schedule",
        params: byId,
        docs: answersJson(Deleted, { tag: "Inbox", summary: "Delete a snippet", errors: ["NOT_FOUND"] }),
      },
    );
}
