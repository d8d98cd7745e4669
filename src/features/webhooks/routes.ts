import { Type } from "@sinclair/typebox";
import { invalid } from "../../platform/base/errors.ts";
import { eventTypes } from "../../platform/events/model.ts";
import { typesOf, unknownType } from "../../platform/events/type-filter.ts";
import { numberIn } from "../../platform/http/cursor.ts";
import { routes } from "../../platform/http/route.ts";
import { body, optionalBody, params } from "../../platform/http/input.ts";
import { logPageFields, pageFields, pageOfAll, pageQuery } from "../../platform/http/paging.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/request-context.ts";
import {
  deliveryStates,
  DeliveryView,
  EndpointInput,
  EndpointUpdate,
  EndpointView,
  NewEndpointView,
  ReplayInput,
  RotateInput,
} from "./model.ts";
import type { WebhookService } from "./service.ts";

const EndpointId = params(Type.Object({ endpointId: Type.String() }));
const DeliveryId = params(Type.Object({ endpointId: Type.String(), deliveryId: Type.String() }));
const EndpointQuery = Type.Object(pageQuery(1000, 1000));
const EndpointList = Type.Object({ endpoints: Type.Array(EndpointView), ...pageFields });
const Deleted = Type.Object({ success: Type.Literal(true), message: Type.String() });
const ListQuery = Type.Object({
  state: Type.Optional(Type.Union(deliveryStates.map((state) => Type.Literal(state)))),
  type: Type.Optional(
    Type.Array(Type.String(), {
      description: "Event types or groups, such as `lead.*`. Separate multiple values with commas.",
    }),
  ),
  before: Type.Optional(Type.Integer({ minimum: 0, description: "Same as `cursor`." })),
  ...pageQuery(50, 100),
});
const DeliveryPage = Type.Object({
  deliveries: Type.Array(DeliveryView),
  ...logPageFields,
});
const Replayed = Type.Object({
  replayed: Type.Integer({ description: "Number of deliveries that were queued again." }),
  nextCursor: Type.Union([Type.String(), Type.Null()], {
    description: "Pass as `after`, with the same time range, to continue. null when the range is complete.",
  }),
});

const signing = `Each delivery is a POST of the JSON object \`{ type, timestamp, data }\`, signed according to Standard Webhooks (standardwebhooks.com). Verify \`webhook-signature\` with the secret and any Standard Webhooks library. \`webhook-id\` is the same for every attempt and replay of an event. Events are delivered at least once, in no guaranteed order. Respond with a 2xx status within 15 seconds. Any other response is retried up to ten times over about three days, honoring Retry-After. A 410 response disables the endpoint, as do several days of failures. \`data\` contains \`eventId\`, \`userId\`, \`actorId\`, the IDs of the objects involved, and the fields of the event type:\n\n${Object.entries(
  eventTypes,
)
  .map(([type, text]) => `- \`${type}\`: ${text}`)
  .join("\n")}`;

export function webhookRoutes(webhooks: WebhookService) {
  return routes("/api/v2/webhooks")
    .post("/", async ({ workspaceId, body: input }) => ok(await webhooks.create(workspaceId, input)), {
      access: "webhooks:write",
      body: body(EndpointInput),
      docs: answersJson(success(NewEndpointView), {
        tag: "Webhooks",
        summary: "Create a webhook endpoint",
        description: `Events that happen from now on are delivered to the endpoint. The signing secret is returned in \`data.secret\` and is not shown again. ${signing}`,
        errors: ["CONFLICT"],
      }),
    })
    .get(
      "/",
      async ({ workspaceId, query: { limit = 1000, cursor } }) => {
        const all = await webhooks.list(workspaceId);
        const { items, ...page } = pageOfAll(all, { limit, cursor, idOf: ({ id }) => id, newestFirst: true });
        return ok({ endpoints: items, ...page });
      },
      {
        access: "webhooks:read",
        query: params(EndpointQuery),
        docs: answersJson(success(EndpointList), {
          tag: "Webhooks",
          summary: "List webhook endpoints, newest first",
        }),
      },
    )
    .get(
      "/:endpointId",
      async ({ workspaceId, params: { endpointId } }) => ok(await webhooks.get(workspaceId, endpointId)),
      {
        access: "webhooks:read",
        params: EndpointId,
        docs: answersJson(success(EndpointView), {
          tag: "Webhooks",
          summary: "Get a webhook endpoint",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .patch(
      "/:endpointId",
      async ({ workspaceId, params: { endpointId }, body: change }) =>
        ok(await webhooks.update(workspaceId, endpointId, change)),
      {
        access: "webhooks:write",
        params: EndpointId,
        body: body(EndpointUpdate),
        docs: answersJson(success(EndpointView), {
          tag: "Webhooks",
          summary: "Update, enable, or disable a webhook endpoint",
          description:
            "Updates only the fields that are sent. An endpoint that is enabled again receives its pending deliveries and new events. Use replay to deliver events that occurred while it was disabled.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .delete(
      "/:endpointId",
      async ({ workspaceId, params: { endpointId } }) => {
        await webhooks.remove(workspaceId, endpointId);
        return { success: true as const, message: `Webhook endpoint ${endpointId} deleted.` };
      },
      {
        access: "webhooks:write",
        params: EndpointId,
        docs: answersJson(Deleted, {
          tag: "Webhooks",
          summary: "Delete a webhook endpoint and its deliveries",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .post(
      "/:endpointId/rotate",
      async ({ workspaceId, params: { endpointId }, body: input }) =>
        ok(await webhooks.rotate(workspaceId, endpointId, input)),
      {
        access: "webhooks:write",
        params: EndpointId,
        body: optionalBody(RotateInput),
        docs: answersJson(success(NewEndpointView), {
          tag: "Webhooks",
          summary: "Rotate the secret of a webhook endpoint",
          description: "During the overlap, deliveries are signed with both the old and the new secret.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .post(
      "/:endpointId/test",
      async ({ workspaceId, params: { endpointId } }) => ok(await webhooks.test(workspaceId, endpointId)),
      {
        access: "webhooks:write",
        params: EndpointId,
        docs: answersJson(success(DeliveryView), {
          tag: "Webhooks",
          summary: "Send a test event",
          description:
            "Sends `webhook.test` to this endpoint only. The event is sent immediately, even if other deliveries are pending or the endpoint is failing, and it is not retried. Get the delivery to see the outcome. If a test is already in progress, that delivery is returned. A successful test resumes pending deliveries to a failing endpoint.",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    )
    .post(
      "/:endpointId/replay",
      async ({ workspaceId, params: { endpointId }, body: input }) => {
        const { replayed, next } = await webhooks.replayRange(workspaceId, endpointId, input);
        return ok({ replayed, nextCursor: next === null ? null : `${next}` });
      },
      {
        access: "webhooks:write",
        params: EndpointId,
        body: body(ReplayInput),
        docs: answersJson(success(Replayed), {
          tag: "Webhooks",
          summary: "Replay events from a time range",
          description: "Can include events from before the endpoint was created. Each event keeps its `webhook-id`.",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    )
    .get(
      "/:endpointId/deliveries",
      async ({
        workspaceId,
        params: { endpointId },
        query: { state = null, type, before = null, cursor, limit = 50 },
      }) => {
        const from = cursor === undefined ? before : numberIn(cursor);
        const query = { state, types: type === undefined ? null : wantedTypes(type), before: from, limit };
        const { page, next, total } = await webhooks.deliveries(workspaceId, endpointId, query);
        return ok({ deliveries: page, total, limit, nextCursor: next === null ? null : `${next}` });
      },
      {
        access: "webhooks:read",
        params: EndpointId,
        query: params(ListQuery),
        docs: answersJson(success(DeliveryPage), {
          tag: "Webhooks",
          summary: "List deliveries of a webhook endpoint, newest event first",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .get(
      "/:endpointId/deliveries/:deliveryId",
      async ({ workspaceId, params: { endpointId, deliveryId } }) =>
        ok(await webhooks.delivery(workspaceId, endpointId, deliveryId)),
      {
        access: "webhooks:read",
        params: DeliveryId,
        docs: answersJson(success(DeliveryView), {
          tag: "Webhooks",
          summary: "Get a delivery",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .post(
      "/:endpointId/deliveries/:deliveryId/replay",
      async ({ workspaceId, params: { endpointId, deliveryId } }) =>
        ok(await webhooks.replay(workspaceId, endpointId, deliveryId)),
      {
        access: "webhooks:write",
        params: DeliveryId,
        docs: answersJson(success(DeliveryView), {
          tag: "Webhooks",
          summary: "Replay a delivery",
          description:
            "Sends the event again with the same `webhook-id`, within seconds, ahead of pending deliveries and even while the endpoint is failing. If it succeeds, pending deliveries resume; if it fails, it is retried like any other event. Up to ten replays run at a time; more are queued.",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    );
}

function wantedTypes(patterns: readonly string[]) {
  const found = typesOf(patterns);
  if ("unknown" in found) throw invalid([{ path: "type", message: unknownType(found.unknown) }]);
  return found.types;
}
