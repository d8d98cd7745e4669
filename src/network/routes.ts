import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { isoTime } from "../clock.ts";
import type { Core } from "../http/core.ts";
import { body, params } from "../http/input.ts";
import { answersJson, success } from "../http/openapi.ts";
import { ok } from "../http/responses.ts";
import { JobView } from "../jobs/model.ts";
import { jobView } from "../jobs/service.ts";
import { AccountUpdate, AccountView, ScheduleInput, TaskCompletion, TaskView, type NetworkAction } from "./model.ts";
import type { NetworkService } from "./service.ts";

const ScheduleAnswer = Type.Object({
  success: Type.Literal(true),
  message: Type.String({ description: "Names the action and its delay in milliseconds." }),
  data: Type.Object({
    jobId: Type.String(),
    scheduledFor: Type.String({ format: "date-time" }),
    delay: Type.Integer({ description: "Milliseconds until it runs." }),
    reason: Type.String({ description: "What holds it back: queued (nothing), spacing, outsideWorkingHours." }),
    isNew: Type.Boolean({ description: "false: the same action was on its way already, and this is that one." }),
  }),
});
const AccountList = Type.Object({ accounts: Type.Array(AccountView), total: Type.Integer() });
const TaskPage = Type.Object({ tasks: Type.Array(TaskView), total: Type.Integer() });
const TaskQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
});

export function networkRoutes(core: Core, network: NetworkService) {
  return new Elysia({ prefix: "/api/v2/network" })
    .use(core)
    .post(
      "/scheduleNetworkAction",
      async ({ userId, body: input }) => {
        const { job, isNew } = await network.schedule(userId, input);
        const delay = Math.max(0, Number(job.metadata.delay));
        const reason = String(job.metadata.pendingReason);
        const when = isNew ? `runs in ${delay} ms` : `was scheduled already, with a delay of ${delay} ms`;
        return {
          success: true as const,
          message: `${String(job.metadata.actionType)} ${when}.`,
          data: { jobId: job.id, scheduledFor: isoTime(job.runAt), delay, reason, isNew },
        };
      },
      {
        access: "network:schedule",
        body: body(ScheduleInput),
        detail: answersJson(ScheduleAnswer, {
          tag: "Network",
          summary: "Schedule an action on the network",
          description:
            "The service chooses the moment: within the working hours of the account and at a random distance behind its last action. Follow the job at /api/v2/users/jobs/{jobId}.",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    )
    .get(
      "/accounts",
      async ({ userId }) => {
        const accounts = await network.accounts(userId);
        return ok({ accounts, total: accounts.length });
      },
      {
        access: "network:read",
        detail: answersJson(success(AccountList), { tag: "Network", summary: "List your network accounts" }),
      },
    )
    .patch(
      "/accounts/:accountId",
      async ({ userId, params: { accountId }, body: change }) =>
        ok(await network.updateAccount(userId, accountId, change)),
      {
        access: "network:schedule",
        params: params(Type.Object({ accountId: Type.String() })),
        body: body(AccountUpdate),
        detail: answersJson(success(AccountView), {
          tag: "Network",
          summary: "Change how an account is used",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .get(
      "/tasks",
      async ({ userId, query }) => {
        const { tasks, total } = await network.tasks(userId, query.limit ?? 50, query.offset ?? 0);
        return ok({ tasks: tasks.map(taskView), total });
      },
      {
        access: "network:read",
        query: params(TaskQuery),
        detail: answersJson(success(TaskPage), {
          tag: "Network",
          summary: "List actions that wait for a person, longest waiting first",
        }),
      },
    )
    .post(
      "/tasks/:jobId/complete",
      async ({ userId, params: { jobId }, body: completion }) =>
        ok(jobView(await network.completeTask(userId, jobId, completion))),
      {
        access: "network:schedule",
        params: params(Type.Object({ jobId: Type.String() })),
        body: body(TaskCompletion),
        detail: answersJson(success(JobView), {
          tag: "Network",
          summary: "Mark a task done, failed or skipped",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    );
}

function taskView({ jobId, accountId, actionType, profileUrl, message, leadId, updatedAt }: NetworkAction) {
  return { jobId, accountId, actionType, profileUrl, message, leadId, since: isoTime(updatedAt) };
}
