import { Type } from "@sinclair/typebox";
import { routes } from "../../platform/http/route.ts";
import { body, optionalBody, params } from "../../platform/http/input.ts";
import { pageFields, pageOf, pageQuery, timePlaceIn, timePlaceOf } from "../../platform/http/paging.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/request-context.ts";
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
  prospectSources,
} from "./model.ts";
import { savedSearchView, type SavedSearchService } from "./saved-searches.ts";
import { prospectView, type ProspectingService, type SearchRequest, type SearchResult } from "./service.ts";

const ProspectId = Type.Object({ prospectId: Type.String() });
const SearchId = Type.Object({ searchId: Type.String() });
const userId = Type.Optional(Type.String({ description: "User to act as. Required with a global key." }));

const Found = Type.Object({
  prospects: Type.Array(ProspectView),
  total: Type.Union([Type.Integer(), Type.Null()], {
    description:
      "Exact number of matching prospects, including people on the do-not-contact list, who are neither returned nor charged. For a live source, the number it reports. null only for a dry run of a live source, which is not queried.",
  }),
  limit: Type.Integer(),
  offset: Type.Integer(),
  creditsUsed: Type.Integer(),
  creditsRequired: Type.Integer({
    description: "Cost of this page. For a dry run, what the page would cost; with a live source, the maximum.",
  }),
  remainingCredits: Type.Integer(),
});

const facetFields = {
  facet: Type.Optional(
    Type.Union(
      facetNames.map((name) => Type.Literal(name)),
      { description: "Facet to list values of. Defaults to all facets." },
    ),
  ),
  q: Type.Optional(
    Type.String({ maxLength: 200, description: "Returns values in which a word starts with this text." }),
  ),
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
            description: "Value to use in a filter. For revenue this is a label; filter by `min` and `max` instead.",
          }),
          count: Type.Integer({ description: "Exact number of prospects with this value." }),
          min: Type.Optional(
            Type.Number({
              description: "Revenue only: lower bound in US dollars per year, for the `min` of a filter.",
            }),
          ),
          max: Type.Optional(
            Type.Union([Type.Number(), Type.Null()], {
              description: "Revenue only: upper bound, for the `max` of a filter. null if there is none.",
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
/** Filters that were saved by an older version are validated like those of a new request. */
const savedFilters = body(Type.Object({ filters: SearchFilters }))["~standard"];
const RunInput = Type.Object({ ...PageInput, userId }, onlyKnown);
const LeadOptions = Type.Object({
  tags: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: maxTagLength }), {
      maxItems: maxTags,
      description: "Tags for the lead. Applied only if the lead is new.",
    }),
  ),
  userId,
});
const MadeLead = Type.Object({
  lead: LeadView,
  isNew: Type.Boolean({ description: "false if the person was already a lead." }),
});
const Sources = Type.Object({
  sources: Type.Array(
    Type.Object({
      name: Type.Union(
        prospectSources.map((source) => Type.Literal(source)),
        { description: "For `source` of a search." },
      ),
    }),
  ),
});
const Deleted = Type.Object({ success: Type.Literal(true), message: Type.String() });

export function prospectingRoutes(prospecting: ProspectingService, searches: SavedSearchService) {
  return routes("/api/v2/prospecting")
    .post(
      "/search",
      async ({ caller, workspaceId: actsFor, body: { filters = {}, source = "directory", ...page }, signal }) => {
        const asked = { filters, source, ...page };
        return ok(foundView(await prospecting.search(caller, actsFor, asked, signal), asked));
      },
      {
        access: "prospecting:search",
        body: body(SearchInput),
        docs: answersJson(success(Found), {
          tag: "Prospecting",
          summary: "Search for prospects",
          description:
            "Searches your own directory unless `source` names a live source. Costs credits for each returned prospect that comes from a vendor and that you have not paid for within 90 days. People whom you imported are free. Use `dryRun` to get the cost in advance. A live source is queried only if your credits cover the full `limit`; unused credits are returned immediately. Sorted by confidence, highest first, then in the order in which prospects were stored.",
          errors: ["ENRICHMENT_CREDITS_EXHAUSTED", "CONFLICT"],
        }),
      },
    )
    .get("/sources", () => ok({ sources: prospecting.sources().map((name) => ({ name })) }), {
      access: "prospecting:search",
      docs: answersJson(success(Sources), {
        tag: "Prospecting",
        summary: "List the sources that a search can use",
        description: "Your own directory, and the vendors that the operator has configured.",
      }),
    })
    .get(
      "/facets",
      async ({ workspaceId: actsFor, query: { facet, q = "", limit = 50 } }) =>
        ok({ facets: await prospecting.facets(actsFor, facet, q, limit, {}) }),
      {
        access: "prospecting:search",
        query: params(FacetsOfAll),
        docs: answersJson(success(Facets), {
          tag: "Prospecting",
          summary: "List facet values, most frequent first",
          description:
            "Lists the values in your directory to build filters from: the `limit` most frequent ones. Sizes, revenue, and seniority are in their own order. Titles are as most people write them. Costs no credits.",
        }),
      },
    )
    .post(
      "/facets",
      async ({ workspaceId: actsFor, body: { facet, q = "", limit = 50, filters = {} } }) =>
        ok({ facets: await prospecting.facets(actsFor, facet, q, limit, filters) }),
      {
        access: "prospecting:search",
        body: optionalBody(FacetsOfSome),
        docs: answersJson(success(Facets), {
          tag: "Prospecting",
          summary: "List facet values of matching prospects",
          description:
            "Counts only prospects that match `filters`, among the 500 most frequent values in the whole directory; titles are taken from a sample of the matches. Sizes, revenue, and seniority are in their own order. Costs no credits.",
        }),
      },
    )
    .get(
      "/prospects/:prospectId",
      async ({ workspaceId: actsFor, params: { prospectId } }) =>
        ok(prospectView(await prospecting.get(actsFor, prospectId))),
      {
        access: "prospecting:search",
        params: params(ProspectId),
        docs: answersJson(success(ProspectView), {
          tag: "Prospecting",
          summary: "Get a prospect",
          description:
            "If the record was merged into another one, because both described the same person, the merged record is returned with its own `id`. Either ID can be used to delete it or add it to leads.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .delete(
      "/prospects/:prospectId",
      async ({ workspaceId: actsFor, params: { prospectId } }) => {
        await prospecting.remove(actsFor, prospectId);
        return { success: true as const, message: `Prospect ${prospectId} deleted.` };
      },
      {
        access: "leads:delete",
        params: params(ProspectId),
        docs: answersJson(Deleted, {
          tag: "Prospecting",
          summary: "Delete a prospect permanently",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .post(
      "/prospects/:prospectId/lead",
      async ({ workspaceId: actsFor, userId, params: { prospectId }, body: options }) => {
        const acting = { workspaceId: actsFor, userId };
        const { lead, isNew } = await prospecting.makeLead(acting, prospectId, options.tags ?? []);
        return ok({ lead: leadView(lead), isNew });
      },
      {
        access: "leads:write",
        params: params(ProspectId),
        body: optionalBody(LeadOptions),
        docs: answersJson(success(MadeLead), {
          tag: "Prospecting",
          summary: "Add a prospect to leads",
          description:
            "Safe to repeat: if the person is already a lead, even by the email address of a former job, that lead is returned. People whose current or former address is on the do-not-contact list are rejected.",
          errors: ["NOT_FOUND", "DO_NOT_CONTACT"],
        }),
      },
    )
    .post(
      "/searches",
      async ({ workspaceId: actsFor, body: input }) => ok(savedSearchView(await searches.create(actsFor, input))),
      {
        access: "prospecting:search",
        body: body(SavedSearchInput),
        docs: answersJson(success(SavedSearchView), {
          tag: "Prospecting",
          summary: "Save a search",
          errors: ["CONFLICT"],
        }),
      },
    )
    .get(
      "/searches",
      async ({ workspaceId: actsFor, query: { limit = 50, offset = 0, cursor } }) => {
        const { searches: found, total } = await searches.page(actsFor, limit + 1, offset, timePlaceIn(cursor));
        const { items, ...page } = pageOf(found, limit, timePlaceOf);
        return ok({ searches: items.map(savedSearchView), total, ...page });
      },
      {
        access: "prospecting:search",
        query: params(ListQuery),
        docs: answersJson(success(SavedSearches), {
          tag: "Prospecting",
          summary: "List saved searches, newest first",
        }),
      },
    )
    .get(
      "/searches/:searchId",
      async ({ workspaceId: actsFor, params: { searchId } }) =>
        ok(savedSearchView(await searches.get(actsFor, searchId))),
      {
        access: "prospecting:search",
        params: params(SearchId),
        docs: answersJson(success(SavedSearchView), {
          tag: "Prospecting",
          summary: "Get a saved search",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .put(
      "/searches/:searchId",
      async ({ workspaceId: actsFor, params: { searchId }, body: change }) =>
        ok(savedSearchView(await searches.update(actsFor, searchId, change))),
      {
        access: "prospecting:search",
        params: params(SearchId),
        body: body(SavedSearchUpdate),
        docs: answersJson(success(SavedSearchView), {
          tag: "Prospecting",
          summary: "Update a saved search",
          description: "Updates only the fields that are sent. `filters` is replaced as a whole.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .delete(
      "/searches/:searchId",
      async ({ workspaceId: actsFor, params: { searchId } }) => {
        await searches.remove(actsFor, searchId);
        return { success: true as const, message: `Saved search ${searchId} deleted.` };
      },
      {
        access: "prospecting:search",
        params: params(SearchId),
        docs: answersJson(Deleted, { tag: "Prospecting", summary: "Delete a saved search", errors: ["NOT_FOUND"] }),
      },
    )
    .post(
      "/searches/:searchId/run",
      async ({ caller, workspaceId: actsFor, params: { searchId }, body: page, signal }) => {
        const { filters, source } = await searches.get(actsFor, searchId);
        savedFilters.validate({ filters });
        const asked = { filters, source, ...page };
        return ok(foundView(await prospecting.search(caller, actsFor, asked, signal), asked));
      },
      {
        access: "prospecting:search",
        params: params(SearchId),
        body: optionalBody(RunInput),
        docs: answersJson(success(Found), {
          tag: "Prospecting",
          summary: "Run a saved search",
          description:
            "Same response and cost as the search itself. Fails if the search was saved by an older version with a misspelled filter name; correct the filter first.",
          errors: ["NOT_FOUND", "ENRICHMENT_CREDITS_EXHAUSTED", "CONFLICT"],
        }),
      },
    );
}

function foundView({ prospects, ...result }: SearchResult, { limit = defaultSearchLimit, offset = 0 }: SearchRequest) {
  return { prospects: prospects.map(prospectView), ...result, limit, offset };
}
