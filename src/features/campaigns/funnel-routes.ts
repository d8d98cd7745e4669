import { Type, type TSchema } from "@sinclair/typebox";
import { params } from "../../platform/http/input.ts";
import { answers, success } from "../../platform/http/openapi.ts";
import { pageFields, pageOf, pageQuery, timePlaceIn, timePlaceOf } from "../../platform/http/paging.ts";
import { ok } from "../../platform/http/request-context.ts";
import { routes } from "../../platform/http/route.ts";
import { comparisonCsv, funnelCsv, seriesCsv } from "./funnel-csv.ts";
import { ComparisonQuery, ComparisonView, FunnelQuery, FunnelView, SeriesQuery, SeriesView } from "./funnel-model.ts";
import type { FunnelService } from "./funnel-service.ts";

const byId = params(Type.Object({ campaignId: Type.String() }));
const ComparisonPage = Type.Object({ ...ComparisonView.properties, ...pageFields }, { $id: "CampaignComparison" });
const period =
  "`from` and `to` select the days on which something happened, in UTC. `format=csv` returns the same as a file.";

export function funnelRoutes(funnels: FunnelService) {
  return routes("/api/v2/campaigns")
    .get(
      "/compare",
      async ({ workspaceId, query }) => {
        const { ids, limit = 20, cursor } = query;
        const { found, total } = await funnels.toCompare(workspaceId, ids, limit + 1, timePlaceIn(cursor));
        const { items, ...page } = pageOf(found, ids === undefined ? limit : found.length, timePlaceOf);
        const view = await funnels.compare(items, query);
        return query.format === "csv" ? csvFile(comparisonCsv(view), "campaigns") : ok({ ...view, total, ...page });
      },
      {
        access: "network:read",
        query: params(Type.Object({ ...ComparisonQuery.properties, ...pageQuery(20, 100) })),
        docs: documented(
          ComparisonPage,
          "Compare campaigns",
          `The funnels of campaigns side by side: all of them, newest first, or up to 20 that are chosen. ${period}`,
        ),
      },
    )
    .get(
      "/:campaignId/funnel",
      async ({ workspaceId, params: { campaignId }, query }) => {
        const view = await funnels.funnel(workspaceId, campaignId, query);
        return query.format === "csv" ? csvFile(funnelCsv(view), "campaign-funnel") : ok(view);
      },
      {
        access: "network:read",
        params: byId,
        query: params(FunnelQuery),
        docs: documented(
          FunnelView,
          "Get the funnel of a campaign",
          `How many leads were enrolled, contacted, connected, replied, and interested: in total, by step, branch, variant, and account; and where every lead is now. ${period}`,
        ),
      },
    )
    .get(
      "/:campaignId/series",
      async ({ workspaceId, params: { campaignId }, query }) => {
        const view = await funnels.series(workspaceId, campaignId, query);
        return query.format === "csv" ? csvFile(seriesCsv(view), "campaign-days") : ok(view);
      },
      {
        access: "network:read",
        params: byId,
        query: params(SeriesQuery),
        docs: documented(
          SeriesView,
          "Get the funnel of a campaign by day",
          `One entry a day, in total and, with \`by\`, for each step, side of a branch, variant, or account. ${period}`,
        ),
      },
    );
}

function documented(view: TSchema, summary: string, description: string) {
  const content = { "application/json": { schema: success(view) }, "text/csv": { schema: Type.String() } };
  return answers(content, { tag: "Campaigns", summary, description, errors: ["NOT_FOUND"] });
}

function csvFile(text: string, name: string): Response {
  return new Response(text, {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${name}.csv"`,
    },
  });
}
