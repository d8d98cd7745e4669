import { Type } from "@sinclair/typebox";
import type { Core } from "../http/core.ts";
import { feature } from "../http/feature.ts";
import { answers } from "../http/openapi.ts";
import { requireAdmin } from "../auth/caller.ts";
import type { Metrics } from "../metrics/metrics.ts";

const mediaType = "text/plain; version=0.0.4; charset=utf-8";

export function metricsRoutes(core: Core, metrics: Metrics) {
  return feature(core, "").get(
    "/metrics",
    async ({ caller }) => {
      // They are of the whole installation.
      requireAdmin(caller);
      return new Response(await metrics.text(), { headers: { "content-type": mediaType } });
    },
    {
      callerOnly: "metrics:read",
      detail: answers(
        { "text/plain": { schema: Type.String() } },
        {
          tag: "Health",
          summary: "Measurements for Prometheus",
          description:
            "In its text format, of the whole installation: for keys of admins, and global ones. Counts a tenth of a request against the rate limits.",
        },
      ),
    },
  );
}
