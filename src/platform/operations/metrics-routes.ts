import { Type } from "@sinclair/typebox";
import { routes } from "../http/route.ts";
import { answers } from "../http/openapi.ts";
import { requireAdmin } from "../auth/caller.ts";
import type { Metrics } from "../metrics/metrics.ts";

const mediaType = "text/plain; version=0.0.4; charset=utf-8";

export function metricsRoutes(metrics: Metrics) {
  return routes("").get(
    "/metrics",
    async ({ caller }) => {
      // The metrics cover the whole installation.
      requireAdmin(caller);
      return new Response(await metrics.text(), { headers: { "content-type": mediaType } });
    },
    {
      callerOnly: "metrics:read",
      docs: answers(
        { "text/plain": { schema: Type.String() } },
        {
          tag: "Health",
          summary: "Get metrics for Prometheus",
          description:
            "Returns the metrics of the whole installation in the Prometheus text format. For admins and global keys. Counts as a tenth of a request toward the rate limits.",
        },
      ),
    },
  );
}
