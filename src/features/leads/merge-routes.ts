import { Type } from "@sinclair/typebox";
import { decodeCursor, notACursor } from "../../platform/http/cursor.ts";
import { body, params } from "../../platform/http/input.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { pageFields, pageOf, pageQuery } from "../../platform/http/paging.ts";
import { etagOf, ok } from "../../platform/http/request-context.ts";
import { routes } from "../../platform/http/route.ts";
import { duplicateReasons, type DuplicatePlace } from "./duplicate-model.ts";
import { takenFields } from "./merge-decision.ts";
import type { LeadMergeService } from "./merge-service.ts";
import { LeadView } from "./model.ts";
import { leadView } from "./service.ts";

const MergeInput = Type.Object(
  {
    otherId: Type.String({ minLength: 1, maxLength: 100, description: "Lead that disappears into this one." }),
    take: Type.Optional(
      Type.Array(Type.Union(takenFields.map((field) => Type.Literal(field))), {
        maxItems: takenFields.length,
        description: "Fields whose value comes from the other lead although both have one.",
      }),
    ),
    userId: Type.Optional(Type.String({ description: "User to act as. Required with a global key." })),
  },
  { examples: [{ otherId: "01a1…", take: ["email"] }] },
);
const Duplicates = Type.Object({
  groups: Type.Array(
    Type.Object({
      reason: Type.Union(duplicateReasons.map((reason) => Type.Literal(reason))),
      leads: Type.Array(LeadView, { description: "Oldest first, at most 20." }),
    }),
  ),
  ...pageFields,
});

export function leadMergeRoutes(merges: LeadMergeService) {
  return routes("/api/v2/leads")
    .get(
      "/duplicates",
      async ({ workspaceId, query: { limit = 20, cursor } }) => {
        const found = await merges.duplicates(workspaceId, limit + 1, placeIn(cursor));
        const { items, ...page } = pageOf(found.groups, limit, ({ reason, value }) => [reason, value]);
        const groups = items.map(({ reason, leads }) => ({ reason, leads: leads.map(leadView) }));
        return ok({ groups, total: found.total, ...page });
      },
      {
        access: "leads:read",
        query: params(Type.Object(pageQuery(20, 50))),
        docs: answersJson(success(Duplicates), {
          tag: "Leads",
          summary: "List leads that may be the same person",
          description:
            "Groups of leads with the same email address, profile, or name and company, whatever the case. A pair can be in several groups.",
        }),
      },
    )
    .post(
      "/:leadId/merge",
      async (context) => {
        const {
          params: { leadId },
          body: { otherId, take = [] },
          set,
        } = context;
        const lead = await merges.merge(context, leadId, otherId, take);
        set.headers.etag = etagOf(lead.version);
        return ok(leadView(lead));
      },
      {
        access: "leads:delete",
        params: params(Type.Object({ leadId: Type.String() })),
        body: body(MergeInput),
        docs: answersJson(success(LeadView), {
          tag: "Leads",
          summary: "Merge another lead into a lead",
          description:
            "What the lead lacks comes from the other one, tags, custom fields, and notes are combined, and actions, campaigns, conversations, contacts, and history follow. The other lead is deleted; its ID returns the merged lead from then on. If one of the two is on the do-not-contact list, the merged lead is, too.",
          errors: ["NOT_FOUND", "CONFLICT"],
          headers: { ETag: "Version of the lead." },
        }),
      },
    );
}

function placeIn(cursor: string | undefined): DuplicatePlace | null {
  if (cursor === undefined) return null;
  const [name, value] = decodeCursor(cursor, 2);
  const reason = duplicateReasons.find((known) => known === name);
  if (reason === undefined || typeof value !== "string") throw notACursor();
  return { reason, value };
}
