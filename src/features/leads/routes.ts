import { Type, type Static } from "@sinclair/typebox";
import { routes } from "../../platform/http/route.ts";
import { decodeCursor, encodeCursor, notACursor, wholeIn } from "../../platform/http/cursor.ts";
import { itemBody, params } from "../../platform/http/input.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { etagOf, isUnchanged, ok, versionsIn } from "../../platform/http/request-context.ts";
import { filterOf, leadFilterFields } from "./filter-query.ts";
import { LeadInput, leadSortFields, LeadUpdate, LeadView, type Lead, type LeadPlace, type LeadSort } from "./model.ts";
import type { Suppression } from "../suppression/model.ts";
import type { SuppressionService } from "../suppression/service.ts";
import { leadView, type LeadService } from "./service.ts";
import type { Acting } from "../../platform/auth/access.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

const LeadId = Type.Object({ leadId: Type.String() });
const sorts = leadSortFields.flatMap((field) => [field, `-${field}`]);

const LeadQuery = Type.Object({
  ...leadFilterFields,
  sort: Type.Optional(
    Type.Union(
      sorts.map((sort) => Type.Literal(sort)),
      { default: "-createdAt", description: "Field to sort by; prefix with - for descending order." },
    ),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
  cursor: Type.Optional(
    Type.String({ description: "nextCursor of the previous page; requires the same sort and filters." }),
  ),
});

const LeadPage = Type.Object({
  leads: Type.Array(LeadView),
  total: Type.Integer({ description: "Exact number of leads that match the filters." }),
  limit: Type.Integer(),
  offset: Type.Integer(),
  nextCursor: Type.Union([Type.String(), Type.Null()], { description: "null on the last page." }),
});

const CreateQuery = Type.Object({
  onDuplicate: Type.Optional(
    Type.Union(
      ["create", "update", "error"].map((choice) => Type.Literal(choice as "create" | "update" | "error")),
      { default: "create", description: "What to do if the person is already a lead." },
    ),
  ),
});
const DeleteQuery = Type.Object({
  suppress: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "Also adds hashes of the lead's email address, profile, and phone number to the do-not-contact list. The values can't be recovered from them.",
    }),
  ),
});
const Deleted = Type.Object({ success: Type.Literal(true), message: Type.String() });
const etag = { ETag: "Version of the lead, for If-Match and If-None-Match." };

export function leadRoutes(leads: LeadService, suppressions: SuppressionService) {
  /** Leads as clients see them, with a flag on those on the do-not-contact list. */
  async function views(workspaceId: WorkspaceId, found: readonly Lead[]): Promise<LeadView[]> {
    const suppressed = await suppressions.among(workspaceId, found);
    if (suppressed.size === 0) return found.map(leadView);
    return found.map((lead) => ({
      ...leadView(lead),
      ...(suppressed.has(lead.id) && { doNotContact: true as const }),
    }));
  }

  async function page({ workspaceId, userId }: Acting, query: Static<typeof LeadQuery>) {
    const { limit = 50, offset = 0, cursor } = query;
    const sort = sortOf(query.sort ?? "-createdAt");
    const after = cursor === undefined ? null : placeIn(cursor, sort);
    const request = { workspaceId, filter: filterOf(query, userId), sort, limit, offset, after };
    const { leads: found, total, next } = await leads.page(request);
    return {
      leads: await views(workspaceId, found),
      total,
      limit,
      offset,
      nextCursor: next && encodeCursor([next.value, next.tie, sort.field]),
    };
  }

  /** The body of a response with one lead. */
  async function shown(lead: Lead) {
    const [view] = await views(lead.workspaceId, [lead]);
    return ok(view!);
  }

  return routes("/api/v2/leads")
    .post(
      "/",
      async ({ workspaceId, userId, body: input, query, set }) => {
        const lead = await leads.create({ workspaceId, userId }, input, query.onDuplicate ?? "create");
        set.headers.etag = etagOf(lead.version);
        return ok(leadView(lead));
      },
      {
        access: "leads:write",
        body: itemBody(LeadInput),
        query: params(CreateQuery),
        docs: answersJson(success(LeadView), {
          tag: "Leads",
          summary: "Create a lead",
          errors: ["CONFLICT", "DO_NOT_CONTACT"],
          headers: etag,
        }),
      },
    )
    .get("/", async (context) => ok(await page(context, context.query)), {
      access: "leads:read",
      query: params(LeadQuery),
      docs: answersJson(success(LeadPage), {
        tag: "Leads",
        summary: "List leads",
        description: "Page by `offset`, or by `cursor`, which stays fast on any page and skips nothing.",
      }),
    })
    .get(
      "/:leadId",
      async ({ workspaceId, params: { leadId }, request, set }) => {
        const lead = await leads.get(workspaceId, leadId);
        set.headers.etag = etagOf(lead.version);
        const answer = await shown(lead);
        // The flag is not part of the version, so a copy without it must not be reused.
        const isCurrent = isUnchanged(request.headers.get("if-none-match"), lead.version) && !answer.data.doNotContact;
        if (isCurrent) set.status = 304;
        return isCurrent ? null : answer;
      },
      {
        access: "leads:read",
        params: params(LeadId),
        docs: answersJson(success(LeadView), {
          tag: "Leads",
          summary: "Get a lead",
          description:
            "The ID of a lead that was merged into another one returns the other one, with its own `id`. Updating, assigning, scheduling, and enrolling by such an ID work, too; deleting needs the ID of the lead itself.",
          errors: ["NOT_FOUND"],
          headers: etag,
        }),
      },
    )
    .put(
      "/:leadId",
      async ({ workspaceId, userId, params: { leadId }, body: change, request, set }) => {
        const versions = versionsIn(request.headers.get("if-match"));
        const lead = await leads.update({ workspaceId, userId }, leadId, change, versions);
        set.headers.etag = etagOf(lead.version);
        return shown(lead);
      },
      {
        access: "leads:write",
        params: params(LeadId),
        body: itemBody(LeadUpdate),
        docs: answersJson(success(LeadView), {
          tag: "Leads",
          summary: "Update a lead",
          description:
            "With If-Match, the update succeeds only if the lead has not changed since you read it; otherwise 412.",
          errors: ["NOT_FOUND", "PRECONDITION_FAILED", "DO_NOT_CONTACT"],
          headers: etag,
        }),
      },
    )
    .delete(
      "/:leadId",
      async ({ caller, workspaceId, userId, params: { leadId }, query: { suppress = false }, request }) => {
        const versions = versionsIn(request.headers.get("if-match"));
        if (suppress) {
          const entries = await leads.erase(caller, workspaceId, leadId, versions);
          return { success: true as const, message: erased(leadId, entries) };
        }
        await leads.remove({ workspaceId, userId }, leadId, versions);
        return { success: true as const, message: `Deleted the lead ${leadId}.` };
      },
      {
        access: "leads:delete",
        params: params(LeadId),
        query: params(DeleteQuery),
        docs: answersJson(Deleted, {
          tag: "Leads",
          summary: "Delete a lead permanently",
          errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
        }),
      },
    );
}

function erased(leadId: string, entries: readonly Suppression[]): string {
  const kept = entries.map(({ kind }) => kind).join(", ");
  return entries.length === 0
    ? `Deleted the lead ${leadId}. It had no email address, profile or phone number to keep off.`
    : `Deleted the lead ${leadId}. Its hashes are on the do-not-contact list: ${kept}.`;
}

function sortOf(text: string): LeadSort {
  const name = text.replace(/^-/, "");
  const field = leadSortFields.find((known) => known === name) ?? "createdAt";
  return { field, descending: text.startsWith("-") };
}

function placeIn(cursor: string, { field }: LeadSort): LeadPlace {
  const [value = "", tie, sortedBy] = decodeCursor(cursor, 3);
  const isNumber = field === "createdAt" || field === "updatedAt";
  // A cursor from another sort order would silently skip or repeat leads.
  if (sortedBy !== field || (typeof value === "number") !== isNumber) throw notACursor();
  return { value, tie: wholeIn(tie) };
}
