import { Type, type Static } from "@sinclair/typebox";
import { parseInstant } from "../base/clock.ts";
import { invalid } from "../base/errors.ts";
import { routes } from "../http/route.ts";
import { decodeCursor, encodeCursor, wholeIn } from "../http/cursor.ts";
import { byteStream } from "../http/files.ts";
import { body, params } from "../http/input.ts";
import { answersJson, success } from "../http/openapi.ts";
import { ok } from "../http/request-context.ts";
import { onlyWorkspace, type Acting, type Named } from "../auth/access.ts";
import { denied, type Caller } from "../auth/caller.ts";
import {
  JobDay,
  jobDayBases,
  jobStatuses,
  JobStatisticsView,
  jobTypes,
  JobView,
  type Job,
  type JobFilter,
} from "./model.ts";
import { jobListPieces } from "./job-list.ts";
import type { UserId, WorkspaceId } from "../base/ids.ts";
import { jobView, type JobPage, type JobService } from "./service.ts";

const instant = (description: string) =>
  Type.Optional(
    Type.Number({
      description: `${description} Unix time in seconds; values above 100,000,000,000 are in milliseconds.`,
    }),
  );

const JobQuery = Type.Object({
  startDate: instant("Jobs created at or after this time."),
  endDate: instant("Jobs created at or before this time."),
  status: Type.Optional(Type.Union(jobStatuses.map((status) => Type.Literal(status)))),
  type: Type.Optional(Type.Union(jobTypes.map((type) => Type.Literal(type)))),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: "Jobs per page. Without `limit`, `offset`, and `cursor`, all jobs are returned.",
    }),
  ),
  offset: Type.Optional(Type.Integer({ minimum: 0 })),
  cursor: Type.Optional(Type.String({ description: "`nextCursor` of the previous page." })),
});

const JobPageView = Type.Object({
  userId: Type.String(),
  success: Type.Literal(true),
  data: Type.Object({
    jobs: Type.Array(JobView),
    statistics: JobStatisticsView,
    total: Type.Integer({ description: "Same as `statistics.total`." }),
    nextCursor: Type.Union([Type.String(), Type.Null()]),
  }),
});
const HistoryQuery = Type.Object({
  days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 90, default: 30, description: "Number of days, up to and including today." }),
  ),
  by: Type.Optional(
    Type.Union(
      jobDayBases.map((basis) => Type.Literal(basis)),
      { default: "created", description: "What the day of a job is: when it was created, or when it was executed." },
    ),
  ),
  userId: Type.Optional(Type.String({ description: "User to act as. Required with a global key." })),
});
const History = Type.Object({ timeZone: Type.String(), days: Type.Array(JobDay) });
const JobId = Type.Object({ jobId: Type.String({ description: "ID of the job." }) });
const UserId = Type.Object({ userId: Type.String({ description: "ID of the user." }) });
const Counts = Type.Object({ success: Type.Literal(true), data: JobStatisticsView });

/** For clients that paginate without `limit`. */
const defaultPageSize = 100;
const allOrPages =
  "Returns all jobs in the range unless you paginate with `limit`, `offset`, or `cursor`. The statistics cover all matching jobs.";

const legacyRoute = "/api/v2/users/jobs/userJobStatus/:userId";

/** What the routes of jobs ask about users and workspaces. */
export type OwnersOfJobs = {
  timeZone(acting: Acting): Promise<string>;
  find(id: string): Promise<Named>;
};

/** Throws PERMISSION_DENIED for a job that belongs to something in the workspace that the caller may not use. */
export type RequireUsable = (
  context: { caller: Caller; workspaceId: WorkspaceId; userId: UserId | null },
  jobId: string,
) => Promise<void>;

export function jobRoutes(jobs: JobService, owners: OwnersOfJobs, requireUsable: RequireUsable) {
  async function list(acting: Acting, query: Static<typeof JobQuery>, onStreamError: (error: unknown) => void) {
    const { workspaceId } = acting;
    const { limit: wanted, offset: skipped, cursor } = query;
    if (wanted === undefined && skipped === undefined && cursor === undefined)
      return new Response(
        await byteStream(jobListPieces(userIdOf(acting), jobs.all(workspaceId, filterOf(query))), onStreamError),
        {
          headers: { "content-type": "application/json;charset=utf-8" },
        },
      );
    const { limit = defaultPageSize, offset = 0 } = query;
    const after = cursor === undefined ? null : placeOf(cursor);
    const found = await jobs.page(workspaceId, filterOf(query), limit, offset, after);
    return pageView(acting, found, limit);
  }

  /** Whose jobs a request names. An unknown ID has none. */
  async function named(caller: Caller, id: string): Promise<Acting> {
    const { workspaceId, userId } = caller;
    if (workspaceId !== null) {
      if (id === workspaceId || id === userId) return { workspaceId, userId };
      throw denied(caller, "*", "A user-specific key can read only the jobs of its own user. Use a global key.");
    }
    const found = await owners.find(id);
    if (found.workspaceIds.length === 0) return { workspaceId: id, userId: null };
    return { workspaceId: onlyWorkspace(found, id), userId: found.userId };
  }

  const own = routes("/api/v2/users/jobs")
    .get("/", async (context) => list(context, context.query, context.onStreamError), {
      ownKey: { permission: "users:read", availableRoute: legacyRoute },
      query: params(JobQuery),
      docs: answersJson(JobPageView, {
        tag: "Jobs",
        summary: "List jobs, newest first, with statistics",
        description: `${allOrPages} Requires a user-specific key. With a global key, returns 400 with the route to use in \`availableRoute\`.`,
      }),
    })
    .get(
      "/history",
      async ({ workspaceId, userId, query: { days = 30, by = "created" } }) => {
        const timeZone = await owners.timeZone({ workspaceId, userId });
        return ok({ timeZone, days: await jobs.history(workspaceId, days, timeZone, by) });
      },
      {
        access: "users:read",
        query: params(HistoryQuery),
        docs: answersJson(success(History), {
          tag: "Jobs",
          summary: "Count jobs by day and status",
          description:
            "Counts jobs by the day they were created or, with `by=executed`, by the day they ended, are running, or are due, in your time zone. Then actions that wait for a person or a worker count as pending. Oldest day first.",
        }),
      },
    )
    .get("/:jobId", async ({ workspaceId, params: { jobId } }) => ok(jobView(await jobs.get(workspaceId, jobId))), {
      access: "users:read",
      params: params(JobId),
      docs: answersJson(success(JobView), { tag: "Jobs", summary: "Get a job", errors: ["NOT_FOUND"] }),
    })
    .post(
      "/:jobId/cancel",
      async (context) => {
        const { workspaceId, params } = context;
        await requireUsable(context, params.jobId);
        return ok(jobView(await jobs.cancel(workspaceId, params.jobId)));
      },
      {
        access: "jobs:update",
        params: params(JobId),
        docs: answersJson(success(JobView), {
          tag: "Jobs",
          summary: "Cancel a job",
          description:
            "The job fails with `metadata.canceled`. Rows that an import has already stored are not removed. Its file is retained for 7 days so that the import can be retried.",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    )
    .post(
      "/:jobId/retry",
      async (context) => {
        const { workspaceId, params } = context;
        await requireUsable(context, params.jobId);
        return ok(jobView(await jobs.retry(workspaceId, params.jobId)));
      },
      {
        access: "jobs:update",
        params: params(JobId),
        docs: answersJson(success(JobView), {
          tag: "Jobs",
          summary: "Retry a failed job",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    );

  return own
    .get(
      "/userJobStatus/:userId",
      async ({ caller, params: { userId }, query, onStreamError }) =>
        list(await named(caller, userId), query, onStreamError),
      {
        callerOnly: "jobs:read",
        params: params(UserId),
        query: params(JobQuery),
        docs: answersJson(JobPageView, {
          tag: "Jobs",
          summary: "List a user's jobs (legacy)",
          description: `${allOrPages} For global keys. A user-specific key can list only the jobs of its own user.`,
        }),
      },
    )
    .get("/jobStatus", async ({ workspaceId, query }) => ok(jobView(await jobs.get(workspaceId, query.jobId))), {
      access: "jobs:read",
      query: params(Type.Composite([JobId, Type.Partial(UserId)])),
      docs: answersJson(success(JobView), {
        tag: "Jobs",
        summary: "Get a job by query parameters (legacy)",
        description: "With a global key, identify the user with `userId`.",
        errors: ["NOT_FOUND"],
      }),
    })
    .get(
      "/jobCounts",
      async ({ caller, query }) => {
        const id = query.userId ?? caller.workspaceId;
        return ok(
          id === null ? await jobs.allStatistics() : await jobs.statistics((await named(caller, id)).workspaceId),
        );
      },
      {
        callerOnly: "jobs:read",
        query: params(Type.Partial(UserId)),
        docs: answersJson(Counts, {
          tag: "Jobs",
          summary: "Count jobs by status (legacy)",
          description: "With a global key, counts the jobs of all users, or of the user in `userId`.",
        }),
      },
    )
    .put(
      "/editJobMessage/:jobId",
      async ({ caller, params: { jobId }, body: { message } }) => {
        // A user-specific key can change only its own jobs. Jobs of other users are reported as not found.
        if (caller.workspaceId !== null) await jobs.get(caller.workspaceId, jobId);
        return ok(jobView(await jobs.editMessage(jobId, message)));
      },
      {
        callerOnly: "jobs:update",
        params: params(JobId),
        body: body(Type.Object({ message: Type.String({ minLength: 1, maxLength: 2000 }) })),
        docs: answersJson(success(JobView), {
          tag: "Jobs",
          summary: "Update the message of a job (legacy)",
          description:
            "The message is shown until the job ends and its result replaces it. The message of a job that has already ended is permanent.",
          errors: ["NOT_FOUND"],
        }),
      },
    );
}

function filterOf({ status, type, startDate, endDate }: Static<typeof JobQuery>): JobFilter {
  if (startDate !== undefined && endDate !== undefined && startDate > endDate)
    throw invalid([{ path: "startDate", message: "Must not be later than endDate." }]);
  return {
    ...(status && { status }),
    ...(type && { type }),
    ...(startDate !== undefined && { createdFrom: parseInstant(startDate) ?? 0 }),
    ...(endDate !== undefined && { createdTo: parseInstant(endDate) ?? 0 }),
  };
}

function placeOf(cursor: string) {
  const [createdAt, id] = decodeCursor(cursor, 2);
  return { createdAt: wholeIn(createdAt), id: String(id) };
}

/** The user of the response; a workspace that is named without a user stands for its own. */
function userIdOf({ workspaceId, userId }: Acting): string {
  return userId ?? workspaceId;
}

function pageView(acting: Acting, { jobs, statistics }: JobPage, limit: number) {
  const last: Job | undefined = jobs.length === limit ? jobs.at(-1) : undefined;
  const nextCursor = last === undefined ? null : encodeCursor([last.createdAt, last.id]);
  return {
    userId: userIdOf(acting),
    success: true as const,
    data: { jobs: jobs.map(jobView), statistics, total: statistics.total, nextCursor },
  };
}
