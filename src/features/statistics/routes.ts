import { Type } from "@sinclair/typebox";
import type { Acting } from "../../platform/auth/access.ts";
import { params } from "../../platform/http/input.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/request-context.ts";
import { routes } from "../../platform/http/route.ts";
import { defaultWeeks, maxWeeks, WeeklyStatistics } from "./model.ts";
import type { StatisticsService } from "./service.ts";

const WeeklyQuery = Type.Object({
  weeks: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxWeeks,
      default: defaultWeeks,
      description: "How many, the current included.",
    }),
  ),
  userId: Type.Optional(Type.String({ description: "User to act as. Required with a global key." })),
});

export function statisticsRoutes(
  statistics: StatisticsService,
  owners: { timeZone: (acting: Acting) => Promise<string> },
) {
  return routes("/api/v2/statistics").get(
    "/weekly",
    async ({ workspaceId, userId, query: { weeks = defaultWeeks } }) => {
      const timeZone = await owners.timeZone({ workspaceId, userId });
      return ok({ timeZone, weeks: await statistics.weekly(workspaceId, weeks, timeZone) });
    },
    {
      access: "network:read",
      query: params(WeeklyQuery),
      docs: answersJson(success(WeeklyStatistics), {
        tag: "Network",
        summary: "Count what was sent, accepted, and replied per week",
        description: "All accounts of the workspace together. Weeks begin on Monday, in your time zone.",
      }),
    },
  );
}
