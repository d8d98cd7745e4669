import { Type } from "@sinclair/typebox";
import { routes } from "../../platform/http/route.ts";
import { body, params } from "../../platform/http/input.ts";
import { pageFields, pageOf, pageQuery, timePlaceIn } from "../../platform/http/paging.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/request-context.ts";
import { ActionView, OutcomeInput, TaskCompletion, TaskView, type TaskPlace } from "./action-model.ts";
import { actionView } from "./action-service.ts";
import { HeartbeatInput, WorkerClaimInput, WorkerClaimView, WorkerOutcomeInput } from "./work-model.ts";
import { accountUser } from "./may-use.ts";
import type { WorkService } from "./work-service.ts";

const TaskPage = Type.Object({ tasks: Type.Array(TaskView), ...pageFields });
const TaskQuery = Type.Object({
  ...pageQuery(50, 100),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
});
const Lease = Type.Object({ leaseUntil: Type.String({ format: "date-time" }) });
const byJob = params(Type.Object({ jobId: Type.String() }));
const defaultLeaseSeconds = 300;

export function workRoutes(work: WorkService) {
  return routes("/api/v2/network")
    .get(
      "/tasks",
      async ({ workspaceId, query: { limit = 50, offset = 0, cursor } }) => {
        const { tasks, total } = await work.tasks(workspaceId, limit + 1, offset, taskPlaceIn(cursor));
        const { items, ...page } = pageOf(tasks, limit, ({ place: { updatedAt, jobId } }) => [updatedAt, jobId]);
        return ok({ tasks: items.map(({ view }) => view), total, ...page });
      },
      {
        access: "network:read",
        query: params(TaskQuery),
        docs: answersJson(success(TaskPage), {
          tag: "Network work",
          summary: "List tasks, longest waiting first",
          description: "A task is an action that a person performs manually.",
        }),
      },
    )
    .post(
      "/tasks/:jobId/complete",
      async (context) => {
        const action = await work.completeTask(accountUser(context), context.params.jobId, context.body);
        return ok(actionView(action, "active"));
      },
      {
        access: "network:schedule",
        params: byJob,
        body: body(TaskCompletion),
        docs: answersJson(success(ActionView), {
          tag: "Network work",
          summary: "Complete a task",
          description:
            "Reports the task as done, failed, or skipped. A completed action counts toward the caps of the account from now on.",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    )
    .post(
      "/actions/:jobId/outcome",
      async (context) => {
        const action = await work.report(accountUser(context), context.params.jobId, context.body);
        return ok(actionView(action, "active"));
      },
      {
        access: "network:schedule",
        params: byJob,
        body: body(OutcomeInput),
        docs: answersJson(success(ActionView), {
          tag: "Network work",
          summary: "Report the outcome of a delegated action",
          description:
            "For receivers of the webhook connector that responded with 202. If no outcome is reported within two days, the action ends as `unknown`.",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    )
    .post(
      "/worker/claim",
      async (context) => {
        const { accountId, leaseSeconds = defaultLeaseSeconds } = context.body;
        return ok(await work.claim(accountUser(context), accountId ?? null, leaseSeconds));
      },
      {
        access: "network:schedule",
        body: body(WorkerClaimInput),
        docs: answersJson(success(WorkerClaimView), {
          tag: "Network work",
          summary: "Claim the next action for a worker",
          description:
            "For your own programs that perform the actions of accounts with the `worker` connector. The server enforces working hours, caps, and spacing. If no action can be sent now, the response says when to try again.",
        }),
      },
    )
    .post(
      "/worker/:jobId/heartbeat",
      async (context) => {
        const { claim, leaseSeconds = defaultLeaseSeconds } = context.body;
        return ok(await work.heartbeat(accountUser(context), context.params.jobId, claim, leaseSeconds));
      },
      {
        access: "network:schedule",
        params: byJob,
        body: body(HeartbeatInput),
        docs: answersJson(success(Lease), {
          tag: "Network work",
          summary: "Extend the lease of a claimed action",
          errors: ["CONFLICT"],
        }),
      },
    )
    .post(
      "/worker/:jobId/complete",
      async (context) => {
        const { claim, ...outcome } = context.body;
        const action = await work.complete(accountUser(context), context.params.jobId, claim, outcome);
        return ok(actionView(action, "active"));
      },
      {
        access: "network:schedule",
        params: byJob,
        body: body(WorkerOutcomeInput),
        docs: answersJson(success(ActionView), {
          tag: "Network work",
          summary: "Report the outcome of a claimed action",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    );
}

function taskPlaceIn(cursor: string | undefined): TaskPlace | null {
  const place = timePlaceIn(cursor);
  return place && { updatedAt: place.createdAt, jobId: place.id };
}
