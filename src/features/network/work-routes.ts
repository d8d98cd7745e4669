import { Type } from "@sinclair/typebox";
import type { Core } from "../../platform/http/core.ts";
import { feature } from "../../platform/http/feature.ts";
import { body, params } from "../../platform/http/input.ts";
import { pageFields, pageOf, pageQuery, timePlaceIn } from "../../platform/http/paging.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/responses.ts";
import { ActionView, OutcomeInput, TaskCompletion, TaskView, type TaskPlace } from "./action-model.ts";
import { actionView } from "./action-service.ts";
import { HeartbeatInput, WorkerClaimInput, WorkerClaimView, WorkerOutcomeInput } from "./work-model.ts";
import type { WorkService } from "./work-service.ts";

const TaskPage = Type.Object({ tasks: Type.Array(TaskView), ...pageFields });
const TaskQuery = Type.Object({
  ...pageQuery(50, 100),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
});
const Lease = Type.Object({ leaseUntil: Type.String({ format: "date-time" }) });
const byJob = params(Type.Object({ jobId: Type.String() }));
const defaultLeaseSeconds = 300;

export function workRoutes(core: Core, work: WorkService) {
  return feature(core, "/api/v2/network")
    .get(
      "/tasks",
      async ({ userId, query: { limit = 50, offset = 0, cursor } }) => {
        const { tasks, total } = await work.tasks(userId, limit + 1, offset, taskPlaceIn(cursor));
        const { items, ...page } = pageOf(tasks, limit, ({ place: { updatedAt, jobId } }) => [updatedAt, jobId]);
        return ok({ tasks: items.map(({ view }) => view), total, ...page });
      },
      {
        access: "network:read",
        query: params(TaskQuery),
        detail: answersJson(success(TaskPage), {
          tag: "Network work",
          summary: "List actions that wait for a person, longest waiting first",
        }),
      },
    )
    .post(
      "/tasks/:jobId/complete",
      async ({ userId, params: { jobId }, body: completion }) =>
        ok(actionView(await work.completeTask(userId, jobId, completion), "active")),
      {
        access: "network:schedule",
        params: byJob,
        body: body(TaskCompletion),
        detail: answersJson(success(ActionView), {
          tag: "Network work",
          summary: "Mark a task done, failed or skipped",
          description: "What was done counts in the meters of the account from this moment.",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    )
    .post(
      "/actions/:jobId/outcome",
      async ({ userId, params: { jobId }, body: outcome }) =>
        ok(actionView(await work.report(userId, jobId, outcome), "active")),
      {
        access: "network:schedule",
        params: byJob,
        body: body(OutcomeInput),
        detail: answersJson(success(ActionView), {
          tag: "Network work",
          summary: "Report the outcome of an action that was handed on",
          description:
            "For the receiver of the webhook connector that answered 202. What is not reported within two days is unknown.",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    )
    .post(
      "/worker/claim",
      async ({ userId, body: { accountId, leaseSeconds } }) =>
        ok(await work.claim(userId, accountId ?? null, leaseSeconds ?? defaultLeaseSeconds)),
      {
        access: "network:schedule",
        body: body(WorkerClaimInput),
        detail: answersJson(success(WorkerClaimView), {
          tag: "Network work",
          summary: "Claim the next action to carry out",
          description:
            "For programs of yours that carry out the actions of accounts with the connector `worker`. Hours, caps and pace are kept here: when nothing may go now, it tells when to come again.",
        }),
      },
    )
    .post(
      "/worker/:jobId/heartbeat",
      async ({ userId, params: { jobId }, body: { claim, leaseSeconds } }) =>
        ok(await work.heartbeat(userId, jobId, claim, leaseSeconds ?? defaultLeaseSeconds)),
      {
        access: "network:schedule",
        params: byJob,
        body: body(HeartbeatInput),
        detail: answersJson(success(Lease), {
          tag: "Network work",
          summary: "Prolong the lease of a claim",
          errors: ["CONFLICT"],
        }),
      },
    )
    .post(
      "/worker/:jobId/complete",
      async ({ userId, params: { jobId }, body: { claim, ...outcome } }) =>
        ok(actionView(await work.complete(userId, jobId, claim, outcome), "active")),
      {
        access: "network:schedule",
        params: byJob,
        body: body(WorkerOutcomeInput),
        detail: answersJson(success(ActionView), {
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
