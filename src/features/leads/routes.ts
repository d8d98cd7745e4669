import { Type, type Static } from "@sinclair/typebox";
import { type Core, feature } from "../../platform/http/routes.ts";
import { decodeCursor, encodeCursor, notACursor } from "../../platform/http/cursor.ts";
import { itemBody, params } from "../../platform/http/input.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { etagOf, isUnchanged, ok, versionsIn } from "../../platform/http/response.ts";
import { filterOf, leadFilterFields } from "./filter-query.ts";
import { LeadInput, leadSortFields, LeadUpdate, LeadView, type Lead, type LeadPlace, type LeadSort } from "./model.ts";
import type { Suppression } from "../suppression/model.ts";
import type { SuppressionService } from "../suppression/service.ts";
import { leadView, type LeadService } from "./service.ts";

const LeadId = Type.Object({ leadId: Type.String() });
const sorts = leadSortFields.flatMap((field) => [field, `-${field}`]);

const LeadQuery = Type.Object({
  ...leadFilterFields,
  sort: Type.Optional(
    Type.Union(
      sorts.map((sort) => Type.Literal(sort)),
      { default: "-createdAt", description: "Field to sort by; with - the largest first." },
    ),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
  cursor: Type.Optional(
    Type.String({ description: "nextCursor of the page before; goes with the same sort and filters." }),
  ),
});

const LeadPage = Type.Object({
  leads: Type.Array(LeadView),
  total: Type.Integer({ description: "Leads that the filters let through, exactly." }),
  limit: Type.Integer(),
  offset: Type.Integer(),
  nextCursor: Type.Union([Type.String(), Type.Null()], { description: "null on the last page." }),
});

const CreateQuery = Type.Object({
  onDuplicate: Type.Optional(
    Type.Union(
      ["create", "update", "error"].map((choice) => Type.Literal(choice as "create" | "update" | "error")),
      { default: "create", description: "What to do when the same person is a lead already." },
    ),
  ),
});
const DeleteQuery = Type.Object({
  suppress: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "In the same step, put the lead's e-mail address, profile and phone number on the do-not-contact list, as hashes that nobody can read.",
    }),
  ),
});
const Deleted = Type.Object({ success: Type.Literal(true), message: Type.String() });
const etag = { ETag: "Version of the lead, for If-Match and If-None-Match." };

export function leadRoutes(core: Core, leads: LeadService, suppressions: SuppressionService) {
  /** Leads as they are shown, with the mark of those that may not be contacted. */
  async function views(userId: string, found: readonly Lead[]): Promise<LeadView[]> {
    const suppressed = await suppressions.among(userId, found);
    if (suppressed.size === 0) return found.map(leadView);
    return found.map((lead) => ({
      ...leadView(lead),
      ...(suppressed.has(lead.id) && { doNotContact: true as const }),
    }));
  }

  async function page(userId: string, query: Static<typeof LeadQuery>) {
    const { limit = 50, offset = 0, cursor } = query;
    const sort = sortOf(query.sort ?? "-createdAt");
    const after = cursor === undefined ? null : placeIn(cursor, sort);
    const request = { userId, filter: filterOf(query), sort, limit, offset, after };
    const { leads: found, total, next } = await leads.page(request);
    return {
      leads: await views(userId, found),
      total,
      limit,
      offset,
      nextCursor: next && encodeCursor([next.value, next.tie, sort.field]),
    };
  }

  /** The body of an answer that shows one lead. */
  async function shown(lead: Lead) {
    const [view] = await views(lead.userId, [lead]);
    return ok(view!);
  }

  return feature(core, "/api/v2/leads")
    .post(
      "/",
      async ({ userId, body: input, query, set }) => {
        const lead = await leads.create(userId, input, query.onDuplicate ?? "create");
        set.headers.etag = etagOf(lead.version);
        return ok(leadView(lead));
      },
      {
        access: "leads:write",
        body: itemBody(LeadInput),
        query: params(CreateQuery),
        detail: answersJson(success(LeadView), {
          tag: "Leads",
          summary: "Store a lead",
          errors: ["CONFLICT", "DO_NOT_CONTACT"],
          headers: etag,
        }),
      },
    )
    .get("/", async ({ userId, query }) => ok(await page(userId, query)), {
      access: "leads:read",
      query: params(LeadQuery),
      detail: answersJson(success(LeadPage), {
        tag: "Leads",
        summary: "List leads",
        description: "Page by `offset`, or by `cursor`, which stays fast and skips nothing however far it goes.",
      }),
    })
    .get(
      "/:leadId",
      async ({ userId, params: { leadId }, headers, set, status }) => {
        const lead = await leads.get(userId, leadId);
        set.headers.etag = etagOf(lead.version);
        const answer = await shown(lead);
        // The mark is no part of the version. Nobody shall go on with a copy from before it.
        const isCurrent = isUnchanged(headers["if-none-match"], lead.version) && !answer.data.doNotContact;
        return isCurrent ? status(304, null) : answer;
      },
      {
        access: "leads:read",
        params: params(LeadId),
        detail: answersJson(success(LeadView), {
          tag: "Leads",
          summary: "Read a lead",
          errors: ["NOT_FOUND"],
          headers: etag,
        }),
      },
    )
    .put(
      "/:leadId",
      async ({ userId, params: { leadId }, body: change, headers, set }) => {
        const lead = await leads.update(userId, leadId, change, versionsIn(headers["if-match"]));
        set.headers.etag = etagOf(lead.version);
        return shown(lead);
      },
      {
        access: "leads:write",
        params: params(LeadId),
        body: itemBody(LeadUpdate),
        detail: answersJson(success(LeadView), {
          tag: "Leads",
          summary: "Change a lead",
          description: "With If-Match, only if nobody changed it since you read it; otherwise 412.",
          errors: ["NOT_FOUND", "PRECONDITION_FAILED", "DO_NOT_CONTACT"],
          headers: etag,
        }),
      },
    )
    .delete(
      "/:leadId",
      async ({ caller, userId, params: { leadId }, query: { suppress = false }, headers }) => {
        const versions = versionsIn(headers["if-match"]);
        if (suppress) {
          const entries = await leads.erase(caller, userId, leadId, versions);
          return { success: true as const, message: erased(leadId, entries) };
        }
        await leads.remove(userId, leadId, versions);
        return { success: true as const, message: `Deleted the lead ${leadId}.` };
      },
      {
        access: "leads:delete",
        params: params(LeadId),
        query: params(DeleteQuery),
        detail: answersJson(Deleted, {
          tag: "Leads",
          summary: "Delete a lead for good",
          errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
        }),
      },
    );
}

function erased(leadId: string, entries: readonly Suppression[]): string {
  const kept = entries.map(({ kind }) => kind).join(", ");
  return entries.length === 0
    ? `Deleted the lead ${leadId}. It had no e-mail address, profile or phone number to keep off.`
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
  // A cursor of another sort would silently skip or repeat leads.
  if (sortedBy !== field || (typeof value === "number") !== isNumber) throw notACursor();
  return { value, tie: Number(tie) };
}
