import { Type, type Static } from "@sinclair/typebox";
import { parseInstant } from "../base/clock.ts";
import { invalid } from "../base/errors.ts";
import type { Core } from "../http/core.ts";
import { feature } from "../http/feature.ts";
import { decodeCursor, encodeCursor } from "../http/cursor.ts";
import { byteStream } from "../http/files.ts";
import { body, params } from "../http/input.ts";
import { answersJson, success } from "../http/openapi.ts";
import { ok } from "../http/responses.ts";
import { denied, type Caller } from "../auth/caller.ts";
import { JobDay, jobStatuses, JobStatisticsView, jobTypes, JobView, type Job, type JobFilter } from "./model.ts";
import { jobListPieces } from "./job-list.ts";
import { jobView, type JobPage, type JobService } from "./service.ts";

const instant = (description: string) =>
  Type.Optional(
    Type.Number({ description: `${description} Unix time in seconds; above 100,000,000,000 in milliseconds.` }),
  );

const JobQuery = Type.Object({
  startDate: instant("Created at or after."),
  endDate: instant("Created at or before."),
  status: Type.Optional(Type.Union(jobStatuses.map((status) => Type.Literal(status)))),
  type: Type.Optional(Type.Union(jobTypes.map((type) => Type.Literal(type)))),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: "Jobs per page. Without limit, offset and cursor the response has all jobs.",
    }),
  ),
  offset: Type.Optional(Type.Integer({ minimum: 0 })),
  cursor: Type.Optional(Type.String({ description: "nextCursor of the page before." })),
});

const JobPageView = Type.Object({
  userId: Type.String(),
  success: Type.Literal(true),
  data: Type.Object({
    jobs: Type.Array(JobView),
    statistics: JobStatisticsView,
    total: Type.Integer({ description: "As statistics.total." }),
    nextCursor: Type.Union([Type.String(), Type.Null()]),
  }),
});
const HistoryQuery = Type.Object({
  days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 90, default: 30, description: "Today is the last of them." }),
  ),
  userId: Type.Optional(Type.String({ description: "Needed with a global key: whom to act for." })),
});
const History = Type.Object({ timeZone: Type.String(), days: Type.Array(JobDay) });
const JobId = Type.Object({ jobId: Type.String() });
const UserId = Type.Object({ userId: Type.String() });
const Counts = Type.Object({ success: Type.Literal(true), data: JobStatisticsView });

/** Where a client pages without saying by how many. */
const usualPage = 100;
const allOrPages =
  "All jobs in the range, unless you page with `limit`, `offset` or `cursor`. The statistics are those of all jobs that match.";

const legacyRoute = "/api/v2/users/jobs/userJobStatus/:userId";

/** Whose time zone the days of a history are counted in. */
export type UsersOfJobs = { get(userId: string): Promise<{ timeZone: string }> };

export function jobRoutes(core: Core, jobs: JobService, users: UsersOfJobs) {
  async function list(userId: string, query: Static<typeof JobQuery>, brokeOff: (error: unknown) => void) {
    const { limit: wanted, offset: skipped, cursor } = query;
    if (wanted === undefined && skipped === undefined && cursor === undefined)
      return new Response(byteStream(jobListPieces(userId, jobs.all(userId, filterOf(query))), brokeOff), {
        headers: { "content-type": "application/json;charset=utf-8" },
      });
    const { limit = usualPage, offset = 0 } = query;
    const after = cursor === undefined ? null : placeOf(cursor);
    const found = await jobs.page(userId, filterOf(query), limit, offset, after);
    return pageView(userId, found, limit);
  }

  const own = feature(core, "/api/v2/users/jobs")
    .get("/", async ({ userId, query, brokeOff }) => list(userId, query, brokeOff), {
      ownKey: { permission: "users:read", availableRoute: legacyRoute },
      query: params(JobQuery),
      detail: answersJson(JobPageView, {
        tag: "Jobs",
        summary: "List your jobs, newest first, with statistics",
        description: `${allOrPages} Needs a user-specific key; a global key gets 400 with the route to use in \`availableRoute\`.`,
      }),
    })
    .get(
      "/history",
      async ({ userId, query: { days = 30 } }) => {
        const { timeZone } = await users.get(userId);
        return ok({ timeZone, days: await jobs.history(userId, days, timeZone) });
      },
      {
        access: "users:read",
        query: params(HistoryQuery),
        detail: answersJson(success(History), {
          tag: "Jobs",
          summary: "Count your jobs by day and status",
          description: "By the day of their creation in your time zone, oldest first, up to today.",
        }),
      },
    )
    .get("/:jobId", async ({ userId, params: { jobId } }) => ok(jobView(await jobs.get(userId, jobId))), {
      access: "users:read",
      params: params(JobId),
      detail: answersJson(success(JobView), { tag: "Jobs", summary: "Read one job", errors: ["NOT_FOUND"] }),
    })
    .post("/:jobId/cancel", async ({ userId, params: { jobId } }) => ok(jobView(await jobs.cancel(userId, jobId))), {
      access: "jobs:update",
      params: params(JobId),
      detail: answersJson(success(JobView), {
        tag: "Jobs",
        summary: "Cancel a job that waits or runs",
        description:
          "It ends as failed, with `metadata.canceled`. What an import has stored stays, and its file for 7 days, in which it can be retried.",
        errors: ["NOT_FOUND", "CONFLICT"],
      }),
    })
    .post("/:jobId/retry", async ({ userId, params: { jobId } }) => ok(jobView(await jobs.retry(userId, jobId))), {
      access: "jobs:update",
      params: params(JobId),
      detail: answersJson(success(JobView), {
        tag: "Jobs",
        summary: "Run a failed job again",
        errors: ["NOT_FOUND", "CONFLICT"],
      }),
    });

  return own
    .get(
      "/userJobStatus/:userId",
      async ({ caller, params: { userId }, query, brokeOff }) => list(allowed(caller, userId), query, brokeOff),
      {
        callerOnly: "jobs:read",
        params: params(UserId),
        query: params(JobQuery),
        detail: answersJson(JobPageView, {
          tag: "Jobs",
          summary: "List a user's jobs (legacy)",
          description: `${allOrPages} For global keys; a user-specific key can name its own user only.`,
        }),
      },
    )
    .get("/jobStatus", async ({ userId, query }) => ok(jobView(await jobs.get(userId, query.jobId))), {
      access: "jobs:read",
      query: params(Type.Object({ jobId: Type.String(), userId: Type.Optional(Type.String()) })),
      detail: answersJson(success(JobView), {
        tag: "Jobs",
        summary: "Read a user's job by query (legacy)",
        description: "With a global key, name the user by `userId`.",
        errors: ["NOT_FOUND"],
      }),
    })
    .get(
      "/jobCounts",
      async ({ caller, query }) => {
        const userId = query.userId ?? caller.userId;
        return ok(userId === null ? await jobs.allStatistics() : await jobs.statistics(allowed(caller, userId)));
      },
      {
        callerOnly: "jobs:read",
        query: params(Type.Partial(UserId)),
        detail: answersJson(Counts, {
          tag: "Jobs",
          summary: "Count jobs by status (legacy)",
          description: "With a global key of all users together, or of the one in `userId`.",
        }),
      },
    )
    .put(
      "/editJobMessage/:jobId",
      async ({ caller, params: { jobId }, body: { message } }) => {
        // A user-specific key changes its own jobs only: a foreign id looks absent.
        if (caller.userId !== null) await jobs.get(caller.userId, jobId);
        return ok(jobView(await jobs.editMessage(jobId, message)));
      },
      {
        callerOnly: "jobs:update",
        params: params(JobId),
        body: body(Type.Object({ message: Type.String({ minLength: 1, maxLength: 2000 }) })),
        detail: answersJson(success(JobView), {
          tag: "Jobs",
          summary: "Change the message of a job (legacy)",
          description: "It is shown until the job ends, and then the result is. Of a job that has ended, it is kept.",
          errors: ["NOT_FOUND"],
        }),
      },
    );
}

function allowed(caller: Caller, userId: string): string {
  if (caller.userId === null || caller.userId === userId) return userId;
  throw denied(caller, "*", "A user-specific key may read its own user's jobs only. Use a global key.");
}

function filterOf({ status, type, startDate, endDate }: Static<typeof JobQuery>): JobFilter {
  if (startDate !== undefined && endDate !== undefined && startDate > endDate)
    throw invalid([{ path: "startDate", message: "Expected a moment not after endDate." }]);
  return {
    ...(status && { status }),
    ...(type && { type }),
    ...(startDate !== undefined && { createdFrom: parseInstant(startDate) ?? 0 }),
    ...(endDate !== undefined && { createdTo: parseInstant(endDate) ?? 0 }),
  };
}

function placeOf(cursor: string) {
  const [createdAt, id] = decodeCursor(cursor, 2);
  return { createdAt: Number(createdAt), id: String(id) };
}

function pageView(userId: string, { jobs, statistics }: JobPage, limit: number) {
  const last: Job | undefined = jobs.length === limit ? jobs.at(-1) : undefined;
  const nextCursor = last === undefined ? null : encodeCursor([last.createdAt, last.id]);
  return {
    userId,
    success: true as const,
    data: { jobs: jobs.map(jobView), statistics, total: statistics.total, nextCursor },
  };
}
