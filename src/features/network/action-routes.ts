import { Type } from "@sinclair/typebox";
import { durationText } from "../../platform/base/duration.ts";
import type { Core } from "../../platform/http/core.ts";
import { feature } from "../../platform/http/feature.ts";
import { notACursor } from "../../platform/http/cursor.ts";
import { body, params } from "../../platform/http/input.ts";
import { logPageFields } from "../../platform/http/paging.ts";
import { answers, answersJson, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/responses.ts";
import { requireApprover, type Caller } from "../../platform/auth/caller.ts";
import { actionTypes } from "./action-kinds.ts";
import {
  ActionUpdate,
  ActionView,
  actionOrders,
  actionStates,
  openStates,
  RecordInput,
  ResolveInput,
  ScheduleInput,
  type ActionOrder,
  type ActionPlace,
  type NetworkAction,
} from "./action-model.ts";
import { actionView, type ActionService, type Scheduler } from "./action-service.ts";
import { canonicalProfileUrl } from "../../platform/identity/profile-url.ts";
import { waitOf } from "./texts.ts";

const ScheduleAnswer = Type.Object({
  success: Type.Literal(true),
  message: Type.String({ description: "Names the action and its delay, in milliseconds and for people." }),
  data: Type.Object({
    jobId: Type.String(),
    scheduledFor: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
      description: "null while it waits for approval, or for the account.",
    }),
    delay: Type.Union([Type.Integer(), Type.Null()], { description: "Milliseconds until it runs." }),
    reason: Type.String({ description: "What holds it back, as pendingReason of the action; queued: nothing else." }),
    isNew: Type.Boolean({
      description: "false: the same action was scheduled already with the same text, and this is that one.",
    }),
    dryRun: Type.Boolean(),
    action: ActionView,
  }),
});
const ActionList = Type.Object({
  actions: Type.Array(ActionView),
  ...logPageFields,
});
const ActionQuery = Type.Object({
  state: Type.Optional(
    Type.Union([...actionStates.map((state) => Type.Literal(state)), Type.Literal("open")], {
      description: "open: all that are on their way.",
    }),
  ),
  actionType: Type.Optional(Type.Union(actionTypes.map((type) => Type.Literal(type)))),
  accountId: Type.Optional(Type.String()),
  leadId: Type.Optional(Type.String()),
  profileUrl: Type.Optional(Type.String({ maxLength: 500 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  order: Type.Optional(
    Type.Union(
      actionOrders.map((order) => Type.Literal(order)),
      {
        default: "newest",
        description:
          "newest: as they were scheduled. soonest: only those that wait for their moment, by it. latest: only those that were carried out, the latest first.",
      },
    ),
  ),
  cursor: Type.Optional(
    Type.String({ pattern: "^[0-9]{1,16}(-[0-9]{1,15})?$", description: "nextCursor of the page before." }),
  ),
});
const byJob = params(Type.Object({ jobId: Type.String() }));
const change = (summary: string, description: string) => ({
  params: byJob,
  detail: answersJson(success(ActionView), {
    tag: "Network",
    summary,
    description,
    errors: ["NOT_FOUND", "CONFLICT", "DO_NOT_CONTACT"],
  }),
});

export function actionRoutes(core: Core, actions: ActionService) {
  return feature(core, "/api/v2/network")
    .post(
      "/scheduleNetworkAction",
      async ({ caller, userId, body: input }) => {
        const { action, account, isNew } = await actions.schedule(schedulerOf(caller, userId), input);
        const until = waitOf(action, account.state)?.until ?? null;
        const delay = until === null ? null : Math.max(0, until - action.createdAt);
        const view = actionView(action, account.state);
        return {
          success: true as const,
          message: scheduleMessage(view, delay, isNew, input.dryRun === true),
          data: {
            jobId: action.jobId,
            scheduledFor: view.scheduledFor,
            delay,
            reason: view.pendingReason ?? "queued",
            isNew,
            dryRun: input.dryRun === true,
            action: view,
          },
        };
      },
      {
        access: "network:schedule",
        body: body(ScheduleInput),
        detail: answersJson(ScheduleAnswer, {
          tag: "Network",
          summary: "Schedule an action on the network",
          description:
            "The service chooses the moment: within the account's working hours, caps and pace. Nobody on the do-not-contact list is contacted, and nobody twice: the same action with the same text is that one again, with another text or other details it is a CONFLICT with `details.jobId`, whose text you change with PATCH /api/v2/network/actions/{jobId}. Follow the action at /api/v2/network/actions/{jobId}, or its job at /api/v2/users/jobs/{jobId}. dryRun does all but store it.",
          errors: ["NOT_FOUND", "CONFLICT", "DO_NOT_CONTACT"],
        }),
      },
    )
    .get(
      "/actions",
      async ({ userId, query }) => {
        const { state, actionType, accountId, leadId, profileUrl, limit = 50, order = "newest", cursor } = query;
        const filter = {
          ...(state !== undefined && { states: state === "open" ? openStates : [state] }),
          ...(actionType !== undefined && { actionType }),
          ...(accountId !== undefined && { accountId }),
          ...(leadId !== undefined && { leadId }),
          ...(profileUrl !== undefined && { profileKey: canonicalProfileUrl(profileUrl) ?? "" }),
        };
        const after = cursor === undefined ? null : placeOf(cursor, order);
        const page = await actions.page({ userId, filter, limit, order, after });
        const nextCursor = page.last && cursorOf(page.last, order);
        return ok({ actions: page.actions, total: page.total, limit, nextCursor });
      },
      {
        access: "network:read",
        query: params(ActionQuery),
        detail: answersJson(success(ActionList), {
          tag: "Network",
          summary: "List actions",
          description: "Each tells where it stands: its state, what it waits for, and until when.",
        }),
      },
    )
    .post(
      "/actions/record",
      async ({ userId, body: input }) => {
        const { action, account } = await actions.record(userId, input);
        return ok(actionView(action, account.state));
      },
      {
        access: "network:schedule",
        body: body(RecordInput),
        detail: answersJson(success(ActionView), {
          tag: "Network",
          summary: "Record an action that a person did by hand",
          description: "It counts in the meters of the account, and nobody is invited twice.",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    )
    .get("/actions/:jobId", async ({ userId, params: { jobId } }) => ok(await actions.get(userId, jobId)), {
      access: "network:read",
      params: byJob,
      detail: answersJson(success(ActionView), { tag: "Network", summary: "Get an action", errors: ["NOT_FOUND"] }),
    })
    .get(
      "/actions/:jobId/audio",
      async ({ userId, params: { jobId }, request }) => {
        const { bytes, mediaType } = await actions.audio(userId, jobId, request.signal);
        return new Response(new Uint8Array(bytes), {
          headers: { "content-type": mediaType, "x-ai-generated": "true" },
        });
      },
      {
        access: "network:voice",
        params: byJob,
        detail: answers(
          { "audio/mp4": { schema: Type.String({ format: "binary" }) } },
          {
            tag: "Network",
            summary: "Get the sound of a voice message",
            description:
              "For the person or program that sends it by hand. It is spoken when it is asked for, and kept for a while.",
            errors: ["NOT_FOUND", "CONFLICT"],
            headers: { "X-AI-Generated": "true: nobody said this." },
          },
        ),
      },
    )
    .patch(
      "/actions/:jobId",
      async ({ caller, userId, params: { jobId }, body: input }) =>
        ok(await actions.edit(schedulerOf(caller, userId), jobId, input)),
      {
        access: "network:schedule",
        body: body(ActionUpdate),
        ...change(
          "Edit an action that has not begun",
          "Changes its text, its details, or its earliest moment. Edited with a key that may only propose, it waits for approval again.",
        ),
      },
    )
    .post("/actions/:jobId/cancel", async ({ userId, params: { jobId } }) => ok(await actions.cancel(userId, jobId)), {
      access: "network:schedule",
      ...change("Cancel an action", "CONFLICT for one that has ended, or is being carried out at this moment."),
    })
    .post(
      "/actions/:jobId/approve",
      async ({ caller, userId, params: { jobId } }) => {
        requireApprover(caller, "approve actions");
        return ok(await actions.approve(userId, jobId));
      },
      {
        access: "network:schedule",
        ...change("Approve an action", "It gets its slot now. A key that may only propose can't approve."),
      },
    )
    .post(
      "/actions/:jobId/resolve",
      async ({ userId, params: { jobId }, body: input }) => ok(await actions.resolve(userId, jobId, input)),
      {
        access: "network:schedule",
        body: body(ResolveInput),
        ...change(
          "Tell the outcome of an action that is unknown",
          "After a crash or a time-out in the middle of a call nobody knows whether an action had its effect, and it is not repeated. A person looks at the profile and tells.",
        ),
      },
    );
}

export function schedulerOf(caller: Caller, userId: string): Scheduler {
  return { userId, needsApproval: caller.requiresApproval, permissions: caller.permissions };
}

/** The number alone in the order of scheduling, the moment before it in the others. */
function cursorOf({ seq, action }: { seq: number; action: NetworkAction }, order: ActionOrder): string {
  return order === "newest" ? String(seq) : `${action.slotAt ?? 0}-${seq}`;
}

function placeOf(cursor: string, order: ActionOrder): ActionPlace {
  const [first = "", second] = cursor.split("-");
  if ((second === undefined) !== (order === "newest")) throw notACursor();
  return second === undefined ? { at: 0, seq: Number(first) } : { at: Number(first), seq: Number(second) };
}

function scheduleMessage(
  { actionType, status }: ActionView,
  delay: number | null,
  isNew: boolean,
  isDryRun: boolean,
): string {
  if (delay === null) return `${actionType} ${isNew ? "is stored" : "was stored already"}. ${status}.`;
  const forPeople = durationText(delay);
  if (isDryRun) return `${actionType} would run in ${delay} ms (in ${forPeople}). ${status}.`;
  const when = isNew
    ? `runs in ${delay} ms (in ${forPeople})`
    : `was scheduled already, with a delay of ${delay} ms (${forPeople})`;
  return `${actionType} ${when}. ${status}.`;
}
