import { Type } from "@sinclair/typebox";
import type { Core } from "../http/core.ts";
import { feature } from "../http/feature.ts";
import { answers } from "../http/openapi.ts";
import type { Metrics } from "./metrics.ts";

const mediaType = "text/plain; version=0.0.4; charset=utf-8";

export function metricsRoutes(core: Core, metrics: Metrics) {
  return feature(core, "").get(
    "/metrics",
    async () => new Response(await metrics.text(), { headers: { "content-type": mediaType } }),
    {
      callerOnly: "metrics:read",
      detail: answers(
        { "text/plain": { schema: Type.String() } },
        {
          tag: "Health",
          summary: "Measurements for Prometheus",
          description:
            "In its text format. The API key may also be sent as a Bearer token. Counts a tenth of a request against the rate limits.",
        },
      ),
    },
  );
}
