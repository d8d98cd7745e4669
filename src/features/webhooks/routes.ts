import { Type } from "@sinclair/typebox";
import { invalid } from "../../platform/base/errors.ts";
import { eventTypes } from "../../platform/events/model.ts";
import { typesOf, unknownType } from "../../platform/events/type-filter.ts";
import type { Core } from "../../platform/http/core.ts";
import { numberIn } from "../../platform/http/cursor.ts";
import { feature } from "../../platform/http/feature.ts";
import { body, optionalBody, params } from "../../platform/http/input.ts";
import { logPageFields, pageFields, pageOfAll, pageQuery } from "../../platform/http/paging.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/responses.ts";
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
    Type.Array(Type.String(), { description: "Types of events, or groups such as `lead.*`; several by commas." }),
  ),
  before: Type.Optional(Type.Integer({ minimum: 0, description: "As `cursor`." })),
  ...pageQuery(50, 100),
});
const DeliveryPage = Type.Object({
  deliveries: Type.Array(DeliveryView),
  ...logPageFields,
});
const Replayed = Type.Object({
  replayed: Type.Integer({ description: "So many deliveries are in the queue again." }),
  nextCursor: Type.Union([Type.String(), Type.Null()], {
    description: "null: all were looked at. Else ask again with the same times and this as `after`.",
  }),
});

const signing = `Each is a POST of JSON, \`{ type, timestamp, data }\`, signed by Standard Webhooks (standardwebhooks.com): verify \`webhook-signature\` with any of its libraries and the secret. \`webhook-id\` is the same in every attempt and replay; deliveries come at least once and in no promised order. Answer 2xx within 15 s. Anything else is tried again, ten times in about three days; Retry-After is honoured; 410 turns the endpoint off, as does failing for days. data holds \`eventId\`, \`userId\`, the ids of what it is about, and the fields of its type:\n\n${Object.entries(
  eventTypes,
)
  .map(([type, text]) => `- \`${type}\`: ${text}`)
  .join("\n")}`;

export function webhookRoutes(core: Core, webhooks: WebhookService) {
  return feature(core, "/api/v2/webhooks")
    .post("/", async ({ userId, body: input }) => ok(await webhooks.create(userId, input)), {
      access: "webhooks:write",
      body: body(EndpointInput),
      detail: answersJson(success(NewEndpointView), {
        tag: "Webhooks",
        summary: "Add an endpoint",
        description: `Your events are posted to it from now on. The secret is in \`data.secret\`, in this answer and never again. ${signing}`,
        errors: ["CONFLICT"],
      }),
    })
    .get(
      "/",
      async ({ userId, query: { limit = 1000, cursor } }) => {
        const all = await webhooks.list(userId);
        const { items, ...page } = pageOfAll(all, { limit, cursor, idOf: ({ id }) => id, newestFirst: true });
        return ok({ endpoints: items, ...page });
      },
      {
        access: "webhooks:read",
        query: params(EndpointQuery),
        detail: answersJson(success(EndpointList), { tag: "Webhooks", summary: "List endpoints, newest first" }),
      },
    )
    .get("/:endpointId", async ({ userId, params: { endpointId } }) => ok(await webhooks.get(userId, endpointId)), {
      access: "webhooks:read",
      params: EndpointId,
      detail: answersJson(success(EndpointView), {
        tag: "Webhooks",
        summary: "Read an endpoint and how it does",
        errors: ["NOT_FOUND"],
      }),
    })
    .patch(
      "/:endpointId",
      async ({ userId, params: { endpointId }, body: change }) => ok(await webhooks.update(userId, endpointId, change)),
      {
        access: "webhooks:write",
        params: EndpointId,
        body: body(EndpointUpdate),
        detail: answersJson(success(EndpointView), {
          tag: "Webhooks",
          summary: "Change an endpoint, or turn it off or on",
          description:
            "Only the fields that are sent change. Turned on, it gets what was waiting, and what happens from then on; replay what happened in between.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .delete(
      "/:endpointId",
      async ({ userId, params: { endpointId } }) => {
        await webhooks.remove(userId, endpointId);
        return { success: true as const, message: `Deleted the webhook endpoint ${endpointId}.` };
      },
      {
        access: "webhooks:write",
        params: EndpointId,
        detail: answersJson(Deleted, {
          tag: "Webhooks",
          summary: "Delete an endpoint with its deliveries",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .post(
      "/:endpointId/rotate",
      async ({ userId, params: { endpointId }, body: input }) => ok(await webhooks.rotate(userId, endpointId, input)),
      {
        access: "webhooks:write",
        params: EndpointId,
        body: optionalBody(RotateInput),
        detail: answersJson(success(NewEndpointView), {
          tag: "Webhooks",
          summary: "Give an endpoint a new secret",
          description: "Until the overlap is over, deliveries carry the signatures of both secrets.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .post(
      "/:endpointId/test",
      async ({ userId, params: { endpointId } }) => ok(await webhooks.test(userId, endpointId)),
      {
        access: "webhooks:write",
        params: EndpointId,
        detail: answersJson(success(DeliveryView), {
          tag: "Webhooks",
          summary: "Post a test event",
          description:
            "Tells `webhook.test` to this endpoint alone: at once, whatever waits and however the endpoint does, and once. Read the delivery to see what came of it. While one is on its way, that is the answer. If it arrives, an endpoint that was left alone for its failures gets what waits.",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    )
    .post(
      "/:endpointId/replay",
      async ({ userId, params: { endpointId }, body: input }) => {
        const { replayed, next } = await webhooks.replayRange(userId, endpointId, input);
        return ok({ replayed, nextCursor: next === null ? null : `${next}` });
      },
      {
        access: "webhooks:write",
        params: EndpointId,
        body: body(ReplayInput),
        detail: answersJson(success(Replayed), {
          tag: "Webhooks",
          summary: "Deliver what happened in a time again",
          description: "Also what happened before the endpoint was made. Each event keeps its webhook-id.",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    )
    .get(
      "/:endpointId/deliveries",
      async ({ userId, params: { endpointId }, query: { state = null, type, before = null, cursor, limit = 50 } }) => {
        const from = cursor === undefined ? before : numberIn(cursor);
        const query = { state, types: type === undefined ? null : wantedTypes(type), before: from, limit };
        const { page, next, total } = await webhooks.deliveries(userId, endpointId, query);
        return ok({ deliveries: page, total, limit, nextCursor: next === null ? null : `${next}` });
      },
      {
        access: "webhooks:read",
        params: EndpointId,
        query: params(ListQuery),
        detail: answersJson(success(DeliveryPage), {
          tag: "Webhooks",
          summary: "List deliveries with their attempts, newest event first",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .get(
      "/:endpointId/deliveries/:deliveryId",
      async ({ userId, params: { endpointId, deliveryId } }) =>
        ok(await webhooks.delivery(userId, endpointId, deliveryId)),
      {
        access: "webhooks:read",
        params: DeliveryId,
        detail: answersJson(success(DeliveryView), {
          tag: "Webhooks",
          summary: "Read a delivery",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .post(
      "/:endpointId/deliveries/:deliveryId/replay",
      async ({ userId, params: { endpointId, deliveryId } }) =>
        ok(await webhooks.replay(userId, endpointId, deliveryId)),
      {
        access: "webhooks:write",
        params: DeliveryId,
        detail: answersJson(success(DeliveryView), {
          tag: "Webhooks",
          summary: "Deliver an event again",
          description:
            "With the same webhook-id, within seconds: it passes by all that waits, also while the endpoint is left alone for its failures. If it arrives, so does what waits; if not, it is tried again like any event. More than ten at a time wait their turn.",
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
