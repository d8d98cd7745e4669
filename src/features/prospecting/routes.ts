import { Type } from "@sinclair/typebox";
import type { Core } from "../../platform/http/core.ts";
import { feature } from "../../platform/http/feature.ts";
import { givenUp } from "../../platform/http/idempotency.ts";
import { body, optionalBody, params } from "../../platform/http/input.ts";
import { pageFields, pageOf, pageQuery, timePlaceIn, timePlaceOf } from "../../platform/http/paging.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/responses.ts";
import { LeadView, maxTagLength, maxTags } from "../leads/model.ts";
import { leadView } from "../leads/service.ts";
import {
  defaultSearchLimit,
  facetNames,
  onlyKnown,
  PageInput,
  ProspectView,
  SavedSearchInput,
  SavedSearchUpdate,
  SavedSearchView,
  SearchFilters,
  SearchInput,
} from "./model.ts";
import { savedSearchView, type SavedSearchService } from "./saved-searches.ts";
import { prospectView, type ProspectingService, type SearchRequest, type SearchResult } from "./service.ts";

const ProspectId = Type.Object({ prospectId: Type.String() });
const SearchId = Type.Object({ searchId: Type.String() });
const userId = Type.Optional(Type.String({ description: "Needed with a global key: whom to act for." }));

const Found = Type.Object({
  prospects: Type.Array(ProspectView),
  total: Type.Union([Type.Integer(), Type.Null()], {
    description:
      "Prospects that fit, exactly, including people on the do-not-contact list, who are neither shown nor charged; of a live source, what it says. null only after a dry run of a live source, which is not asked.",
  }),
  limit: Type.Integer(),
  offset: Type.Integer(),
  creditsUsed: Type.Integer(),
  creditsRequired: Type.Integer({
    description: "What this page costs; after a dry run, what it would cost: of a live source, at most.",
  }),
  remainingCredits: Type.Integer(),
});

const facetFields = {
  facet: Type.Optional(
    Type.Union(
      facetNames.map((name) => Type.Literal(name)),
      { description: "Whose values to list; of all facets unless it is named." },
    ),
  ),
  q: Type.Optional(Type.String({ maxLength: 200, description: "A word of the value begins so." })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
};
const FacetsOfAll = Type.Object(facetFields);
const FacetsOfSome = Type.Object({ ...facetFields, filters: Type.Optional(SearchFilters), userId });
const Facets = Type.Object({
  facets: Type.Array(
    Type.Object({
      facet: Type.Union(facetNames.map((name) => Type.Literal(name))),
      values: Type.Array(
        Type.Object({
          value: Type.String({
            description: "What a filter takes. Of revenue only a name: there a filter takes `min` and `max`.",
          }),
          count: Type.Integer({ description: "Prospects that have it, exactly." }),
          min: Type.Optional(
            Type.Number({ description: "Of revenue alone: dollars a year, as the `min` of a filter takes them." }),
          ),
          max: Type.Optional(
            Type.Union([Type.Number(), Type.Null()], {
              description: "Of revenue alone, for the `max` of a filter. null = no upper end.",
            }),
          ),
        }),
      ),
    }),
  ),
});

const ListQuery = Type.Object({
  ...pageQuery(50, 100),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
});
const SavedSearches = Type.Object({ searches: Type.Array(SavedSearchView), ...pageFields });
/** What an older version saved is checked as what is sent now. */
const savedFilters = body(Type.Object({ filters: SearchFilters }))["~standard"];
const RunInput = Type.Object({ ...PageInput, userId }, onlyKnown);
const LeadOptions = Type.Object({
  tags: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: maxTagLength }), {
      maxItems: maxTags,
      description: "For the lead, if it is new.",
    }),
  ),
  userId,
});
const MadeLead = Type.Object({
  lead: LeadView,
  isNew: Type.Boolean({ description: "false: the person was a lead already." }),
});
const Deleted = Type.Object({ success: Type.Literal(true), message: Type.String() });

export function prospectingRoutes(core: Core, prospecting: ProspectingService, searches: SavedSearchService) {
  return feature(core, "/api/v2/prospecting")
    .post(
      "/search",
      async ({ caller, userId: actsFor, body: { filters = {}, source = "directory", ...page }, request }) => {
        const asked = { filters, source, ...page };
        return ok(foundView(await prospecting.search(caller, actsFor, asked, givenUp(request)), asked));
      },
      {
        access: "prospecting:search",
        body: body(SearchInput),
        detail: answersJson(success(Found), {
          tag: "Prospecting",
          summary: "Search for prospects",
          description:
            "Looks in your own directory unless `source` names a live one. Costs credits for each prospect returned whom you have not paid for within 90 days; `dryRun` tells how many before. A live source is asked only when the credits would last for all of `limit`; what is not spent of them comes back at once. Better records come first (by confidence), among equals in the order in which they were stored.",
          errors: ["ENRICHMENT_CREDITS_EXHAUSTED", "CONFLICT"],
        }),
      },
    )
    .get(
      "/facets",
      async ({ userId: actsFor, query: { facet, q = "", limit = 50 } }) =>
        ok({ facets: await prospecting.facets(actsFor, facet, q, limit, {}) }),
      {
        access: "prospecting:search",
        query: params(FacetsOfAll),
        detail: answersJson(success(Facets), {
          tag: "Prospecting",
          summary: "List values of facets in your directory, the most frequent first",
          description: "For building filters. Costs no credits.",
        }),
      },
    )
    .post(
      "/facets",
      async ({ userId: actsFor, body: { facet, q = "", limit = 50, filters = {} } }) =>
        ok({ facets: await prospecting.facets(actsFor, facet, q, limit, filters) }),
      {
        access: "prospecting:search",
        body: optionalBody(FacetsOfSome),
        detail: answersJson(success(Facets), {
          tag: "Prospecting",
          summary: "List values of facets among the prospects that fit filters",
          description: "Counts the 500 values that are the most frequent in the whole directory. Costs no credits.",
        }),
      },
    )
    .get(
      "/prospects/:prospectId",
      async ({ userId: actsFor, params: { prospectId } }) =>
        ok(prospectView(await prospecting.get(actsFor, prospectId))),
      {
        access: "prospecting:search",
        params: params(ProspectId),
        detail: answersJson(success(ProspectView), {
          tag: "Prospecting",
          summary: "Read a prospect of your directory",
          description:
            "When the record went up in another, because both turned out to be one person, that one is answered, with its own `id`; a lead can be made of it, and it can be deleted, by either id.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .delete(
      "/prospects/:prospectId",
      async ({ userId: actsFor, params: { prospectId } }) => {
        await prospecting.remove(actsFor, prospectId);
        return { success: true as const, message: `Deleted the prospect ${prospectId}.` };
      },
      {
        access: "leads:delete",
        params: params(ProspectId),
        detail: answersJson(Deleted, {
          tag: "Prospecting",
          summary: "Delete a prospect from your directory for good",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .post(
      "/prospects/:prospectId/lead",
      async ({ userId: actsFor, params: { prospectId }, body: options }) => {
        const { lead, isNew } = await prospecting.makeLead(actsFor, prospectId, options.tags ?? []);
        return ok({ lead: leadView(lead), isNew });
      },
      {
        access: "leads:write",
        params: params(ProspectId),
        body: optionalBody(LeadOptions),
        detail: answersJson(success(MadeLead), {
          tag: "Prospecting",
          summary: "Make a lead of a prospect",
          description:
            "Safe to repeat: when the person is a lead already, by the address of a former job, too, that lead is answered. Who is on the do-not-contact list by an address of now or of a former job becomes no lead.",
          errors: ["NOT_FOUND", "DO_NOT_CONTACT"],
        }),
      },
    )
    .post(
      "/searches",
      async ({ userId: actsFor, body: input }) => ok(savedSearchView(await searches.create(actsFor, input))),
      {
        access: "prospecting:search",
        body: body(SavedSearchInput),
        detail: answersJson(success(SavedSearchView), {
          tag: "Prospecting",
          summary: "Save a search",
          errors: ["CONFLICT"],
        }),
      },
    )
    .get(
      "/searches",
      async ({ userId: actsFor, query: { limit = 50, offset = 0, cursor } }) => {
        const { searches: found, total } = await searches.page(actsFor, limit + 1, offset, timePlaceIn(cursor));
        const { items, ...page } = pageOf(found, limit, timePlaceOf);
        return ok({ searches: items.map(savedSearchView), total, ...page });
      },
      {
        access: "prospecting:search",
        query: params(ListQuery),
        detail: answersJson(success(SavedSearches), {
          tag: "Prospecting",
          summary: "List saved searches, newest first",
        }),
      },
    )
    .get(
      "/searches/:searchId",
      async ({ userId: actsFor, params: { searchId } }) => ok(savedSearchView(await searches.get(actsFor, searchId))),
      {
        access: "prospecting:search",
        params: params(SearchId),
        detail: answersJson(success(SavedSearchView), {
          tag: "Prospecting",
          summary: "Read a saved search",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .put(
      "/searches/:searchId",
      async ({ userId: actsFor, params: { searchId }, body: change }) =>
        ok(savedSearchView(await searches.update(actsFor, searchId, change))),
      {
        access: "prospecting:search",
        params: params(SearchId),
        body: body(SavedSearchUpdate),
        detail: answersJson(success(SavedSearchView), {
          tag: "Prospecting",
          summary: "Change a saved search",
          description: "Only the fields that are sent change; filters are replaced whole.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .delete(
      "/searches/:searchId",
      async ({ userId: actsFor, params: { searchId } }) => {
        await searches.remove(actsFor, searchId);
        return { success: true as const, message: `Deleted the saved search ${searchId}.` };
      },
      {
        access: "prospecting:search",
        params: params(SearchId),
        detail: answersJson(Deleted, { tag: "Prospecting", summary: "Delete a saved search", errors: ["NOT_FOUND"] }),
      },
    )
    .post(
      "/searches/:searchId/run",
      async ({ caller, userId: actsFor, params: { searchId }, body: page, request }) => {
        const { filters, source } = await searches.get(actsFor, searchId);
        savedFilters.validate({ filters });
        const asked = { filters, source, ...page };
        return ok(foundView(await prospecting.search(caller, actsFor, asked, givenUp(request)), asked));
      },
      {
        access: "prospecting:search",
        params: params(SearchId),
        body: optionalBody(RunInput),
        detail: answersJson(success(Found), {
          tag: "Prospecting",
          summary: "Run a saved search",
          description:
            "Answers and costs what the search itself does. Refused when an older version saved a misspelled name of a filter: put it right first.",
          errors: ["NOT_FOUND", "ENRICHMENT_CREDITS_EXHAUSTED", "CONFLICT"],
        }),
      },
    );
}

function foundView({ prospects, ...result }: SearchResult, { limit = defaultSearchLimit, offset = 0 }: SearchRequest) {
  return { prospects: prospects.map(prospectView), ...result, limit, offset };
}
