import { Type } from "@sinclair/typebox";
import { durationText } from "../../platform/base/duration.ts";
import { routes } from "../../platform/http/route.ts";
import { notACursor } from "../../platform/http/cursor.ts";
import { body, params } from "../../platform/http/input.ts";
import { logPageFields } from "../../platform/http/paging.ts";
import { answers, answersJson, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/request-context.ts";
import { requireApprover } from "../../platform/auth/caller.ts";
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
import { actionView, type ActionService } from "./action-service.ts";
import { canonicalProfileUrl } from "../../platform/identity/profile-url.ts";
import { accountUser, schedulerOf } from "./may-use.ts";
import { waitOf } from "./texts.ts";

const ScheduleAnswer = Type.Object({
  success: Type.Literal(true),
  message: Type.String({ description: "The action and its delay, in milliseconds and in readable form." }),
  data: Type.Object({
    jobId: Type.String(),
    scheduledFor: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
      description: "null while the action waits for approval or for its account.",
    }),
    delay: Type.Union([Type.Integer(), Type.Null()], { description: "Milliseconds until the action runs." }),
    reason: Type.String({
      description: "Why the action is pending, as in its `pendingReason`. `queued` if nothing blocks it.",
    }),
    isNew: Type.Boolean({
      description:
        "false if the same action with the same text was already scheduled. The existing action is returned.",
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
      description: "`open` matches every action that has not ended.",
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
          "`newest`: by creation, newest first. `soonest`: only actions waiting for their scheduled time, earliest first. `latest`: only actions that were performed, most recent first.",
      },
    ),
  ),
  cursor: Type.Optional(
    Type.String({ pattern: "^[0-9]{1,16}(-[0-9]{1,15})?$", description: "`nextCursor` of the previous page." }),
  ),
});
const byJob = params(Type.Object({ jobId: Type.String() }));
const change = (summary: string, description: string) => ({
  params: byJob,
  docs: answersJson(success(ActionView), {
    tag: "Network",
    summary,
    description,
    errors: ["NOT_FOUND", "CONFLICT", "DO_NOT_CONTACT"],
  }),
});

export function actionRoutes(actions: ActionService) {
  return routes("/api/v2/network")
    .post(
      "/scheduleNetworkAction",
      async (context) => {
        const { body: input } = context;
        const { action, account, isNew } = await actions.schedule(schedulerOf(context), input);
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
        docs: answersJson(ScheduleAnswer, {
          tag: "Network",
          summary: "Schedule a network action",
          description:
            "Schedules the action at the next available time within the account's working hours, caps, and spacing. People on the do-not-contact list are never contacted.\n\nSafe to repeat: if the same action with the same text is already scheduled, it is returned. With different text or details, the request fails with CONFLICT, and `details.jobId` identifies the existing action; edit it with PATCH /api/v2/network/actions/{jobId}.\n\nTrack the action at /api/v2/network/actions/{jobId}, or its job at /api/v2/users/jobs/{jobId}. `dryRun` performs all checks without storing the action.",
          errors: ["NOT_FOUND", "CONFLICT", "DO_NOT_CONTACT"],
        }),
      },
    )
    .get(
      "/actions",
      async ({ workspaceId, query }) => {
        const { state, actionType, accountId, leadId, profileUrl, limit = 50, order = "newest", cursor } = query;
        const filter = {
          ...(state !== undefined && { states: state === "open" ? openStates : [state] }),
          ...(actionType !== undefined && { actionType }),
          ...(accountId !== undefined && { accountId }),
          ...(leadId !== undefined && { leadId }),
          ...(profileUrl !== undefined && { profileKey: canonicalProfileUrl(profileUrl) ?? "" }),
        };
        const after = cursor === undefined ? null : placeOf(cursor, order);
        const page = await actions.page({ workspaceId, filter, limit, order, after });
        const nextCursor = page.last && cursorOf(page.last, order);
        return ok({ actions: page.actions, total: page.total, limit, nextCursor });
      },
      {
        access: "network:read",
        query: params(ActionQuery),
        docs: answersJson(success(ActionList), {
          tag: "Network",
          summary: "List network actions",
          description: "Each action includes its state, what it is waiting for, and until when.",
        }),
      },
    )
    .post(
      "/actions/record",
      async (context) => {
        const { action, account } = await actions.record(accountUser(context), context.body);
        return ok(actionView(action, account.state));
      },
      {
        access: "network:schedule",
        body: body(RecordInput),
        docs: answersJson(success(ActionView), {
          tag: "Network",
          summary: "Record an action that was performed manually",
          description:
            "The action counts toward the caps of the account and prevents a second invitation to the same person.",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    )
    .get("/actions/:jobId", async ({ workspaceId, params: { jobId } }) => ok(await actions.get(workspaceId, jobId)), {
      access: "network:read",
      params: byJob,
      docs: answersJson(success(ActionView), {
        tag: "Network",
        summary: "Get a network action",
        errors: ["NOT_FOUND"],
      }),
    })
    .get(
      "/actions/:jobId/audio",
      async ({ workspaceId, params: { jobId }, request }) => {
        const { bytes, mediaType } = await actions.audio(workspaceId, jobId, request.signal);
        return new Response(new Uint8Array(bytes), {
          headers: { "content-type": mediaType, "x-ai-generated": "true" },
        });
      },
      {
        access: "network:voice",
        params: byJob,
        docs: answers(
          { "audio/mp4": { schema: Type.String({ format: "binary" }) } },
          {
            tag: "Network",
            summary: "Get the audio of a voice message",
            description:
              "For people and programs that send the message themselves. The audio is generated on request and cached for a limited time.",
            errors: ["NOT_FOUND", "CONFLICT"],
            headers: { "X-AI-Generated": "Always `true`: the speech is synthetic." },
          },
        ),
      },
    )
    .patch(
      "/actions/:jobId",
      async (context) => ok(await actions.edit(schedulerOf(context), context.params.jobId, context.body)),
      {
        access: "network:schedule",
        body: body(ActionUpdate),
        ...change(
          "Edit a pending action",
          "Changes the text, the details, or the earliest time. An action that is edited with a key that may only propose actions needs approval again.",
        ),
      },
    )
    .post(
      "/actions/:jobId/cancel",
      async (context) => ok(await actions.cancel(accountUser(context), context.params.jobId)),
      {
        access: "network:schedule",
        ...change("Cancel a network action", "Fails with CONFLICT if the action has ended or is being sent."),
      },
    )
    .post(
      "/actions/:jobId/approve",
      async (context) => {
        requireApprover(context.caller, "approve actions");
        return ok(await actions.approve(accountUser(context), context.params.jobId));
      },
      {
        access: "network:schedule",
        ...change(
          "Approve a network action",
          "The action is scheduled immediately. Keys that may only propose actions cannot approve them.",
        ),
      },
    )
    .post(
      "/actions/:jobId/resolve",
      async (context) => ok(await actions.resolve(accountUser(context), context.params.jobId, context.body)),
      {
        access: "network:schedule",
        body: body(ResolveInput),
        ...change(
          "Resolve an action with an unknown outcome",
          "If the server crashes or a connector times out during a call, the action may or may not have taken effect, so it is not repeated. Check the profile, then report the outcome here.",
        ),
      },
    );
}

/** The sequence number, preceded by the time in orders that sort by time. */
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
  if (delay === null) return `${actionType} ${isNew ? "is pending" : "is already pending"}. ${status}.`;
  const forPeople = durationText(delay);
  if (isDryRun) return `${actionType} would run in ${delay} ms (in ${forPeople}). ${status}.`;
  const when = isNew
    ? `runs in ${delay} ms (in ${forPeople})`
    : `is already scheduled, with a delay of ${delay} ms (${forPeople})`;
  return `${actionType} ${when}. ${status}.`;
}
