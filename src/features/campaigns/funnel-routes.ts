import { Type, type TSchema } from "@sinclair/typebox";
import { params } from "../../platform/http/input.ts";
import { answers, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/request-context.ts";
import { routes } from "../../platform/http/route.ts";
import { comparisonCsv, funnelCsv, seriesCsv } from "./funnel-csv.ts";
import { ComparisonQuery, ComparisonView, FunnelQuery, FunnelView, SeriesView } from "./funnel-model.ts";
import type { FunnelService } from "./funnel-service.ts";

const byId = params(Type.Object({ campaignId: Type.String() }));
const period =
  "`from` and `to` select the days on which something happened, in UTC. `format=csv` returns the same as a file.";

export function funnelRoutes(funnels: FunnelService) {
  return routes("/api/v2/campaigns")
    .get(
      "/compare",
      async ({ workspaceId, query }) => {
        const view = await funnels.compare(workspaceId, query);
        return query.format === "csv" ? csvFile(comparisonCsv(view), "campaigns") : ok(view);
      },
      {
        access: "network:read",
        query: params(ComparisonQuery),
        docs: documented(
          ComparisonView,
          "Compare campaigns",
          `The funnels of up to 20 campaigns, side by side. ${period}`,
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
        query: params(FunnelQuery),
        docs: documented(SeriesView, "Get the funnel of a campaign by day", `One entry a day. ${period}`),
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
