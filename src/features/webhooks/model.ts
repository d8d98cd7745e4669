import { Type, type Static } from "@sinclair/typebox";
import type { Event } from "../../platform/events/model.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

export const deliveryStates = ["pending", "delivered", "failed"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** The user-configurable part of an endpoint. */
export type EndpointContent = {
  url: string;
  description: string | null;
  /** Event types and groups of types; null subscribes to all events. */
  types: readonly string[] | null;
};

export type Endpoint = EndpointContent & {
  id: string;
  workspaceId: WorkspaceId;
  isEnabled: boolean;
  disabledAt: number | null;
  /** Why the server disabled the endpoint; null if the user did. */
  disabledReason: string | null;
  secret: string;
  /** Also signs deliveries until `oldSecretUntil`. */
  oldSecret: string | null;
  oldSecretUntil: number | null;
  /** Number of failed attempts since the last success; `failingSince` is the time of the first one. */
  failures: number;
  failingSince: number | null;
  lastSuccessAt: number | null;
  lastFailureAt: number | null;
  createdAt: number;
  updatedAt: number;
};

export type Attempt = {
  at: number;
  /** null if there was no response. */
  status: number | null;
  latencyMs: number;
  /** Reason for the failure; null if the delivery succeeded. */
  error: string | null;
  /** The beginning of the response body. */
  response: string;
};

/** Delivery of an event to an endpoint. */
export type Delivery = {
  endpointId: string;
  event: Event;
  state: DeliveryState;
  /**
   * Earliest time of the next attempt, including the backoff of the endpoint. Also null while the endpoint is disabled.
   */
  nextAt: number | null;
  /** The most recent attempts, oldest first. */
  attempts: Attempt[];
};

/** The part of a delivery that the deliverer needs. */
export type DueDelivery = {
  event: Event;
  /** Number of attempts since the delivery was queued. */
  tries: number;
};

/** Sent to a single endpoint at the request of its user, and never retried. */
export const testType = "webhook.test";

/** Number of attempts stored per delivery. */
export const maxAttemptsKept = 20;
/** Maximum length of a stored response excerpt. */
export const maxExcerptLength = 500;

const instantOrNull = Type.Union([Type.String({ format: "date-time" }), Type.Null()]);
const contentFields = {
  url: Type.String({
    minLength: 1,
    maxLength: 2000,
    description: "HTTPS URL that events are posted to. Redirects are not followed.",
  }),
  description: Type.Union([Type.String({ maxLength: 200 }), Type.Null()]),
  events: Type.Array(Type.String({ maxLength: 60 }), {
    maxItems: 100,
    description: "Event types or groups, such as `lead.*`. `*` or an empty list subscribes to all events.",
  }),
  isEnabled: Type.Boolean({ description: "If false, nothing is sent and pending deliveries are kept." }),
};

export const EndpointInput = Type.Object(
  {
    url: contentFields.url,
    description: Type.Optional(contentFields.description),
    events: Type.Optional(contentFields.events),
    isEnabled: Type.Optional(contentFields.isEnabled),
    userId: Type.Optional(Type.String({ description: "User to act as. Required with a global key." })),
  },
  // A misspelled `events` would otherwise send every event to a host that is supposed to receive only some.
  {
    additionalProperties: false,
    examples: [{ url: "https://crm.example.com/hooks/outreach", events: ["lead.*", "message.replied"] }],
  },
);
export type EndpointInput = Static<typeof EndpointInput>;

export const EndpointUpdate = Type.Partial(EndpointInput, { additionalProperties: false });
export type EndpointUpdate = Static<typeof EndpointUpdate>;

export const EndpointView = Type.Object(
  {
    id: Type.String(),
    ...contentFields,
    state: Type.Union([Type.Literal("working"), Type.Literal("failing"), Type.Literal("disabled")], {
      description:
        "`failing`: the most recent attempt failed. The endpoint is disabled automatically after several days of failures.",
    }),
    disabledAt: instantOrNull,
    disabledReason: Type.Union([Type.String(), Type.Null()], {
      description: "Reason why the server disabled the endpoint. null if a user disabled it.",
    }),
    failures: Type.Integer({ description: "Number of failed attempts since the last success." }),
    failingSince: instantOrNull,
    lastSuccessAt: instantOrNull,
    lastFailureAt: instantOrNull,
    oldSecretUntil: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
      description: "Time until which deliveries are also signed with the previous secret.",
    }),
    createdAt: Type.String({ format: "date-time" }),
    updatedAt: Type.String({ format: "date-time" }),
  },
  { $id: "WebhookEndpoint", description: "A URL that receives events. Does not include the secret." },
);
export type EndpointView = Static<typeof EndpointView>;

export const NewEndpointView = Type.Object(
  {
    ...EndpointView.properties,
    secret: Type.String({ description: "Secret that deliveries are signed with. Returned only in this response." }),
  },
  { $id: "NewWebhookEndpoint", description: "A webhook endpoint, including its new secret." },
);
export type NewEndpointView = Static<typeof NewEndpointView>;

export const AttemptView = Type.Object({
  at: Type.String({ format: "date-time" }),
  status: Type.Union([Type.Integer(), Type.Null()], {
    description: "HTTP status of the response. null if there was none.",
  }),
  latencyMs: Type.Integer(),
  error: Type.Union([Type.String(), Type.Null()], {
    description: "Reason for the failure. null if the delivery succeeded.",
  }),
  response: Type.String({ description: `First ${maxExcerptLength} characters of the response body.` }),
});

export const DeliveryView = Type.Object(
  {
    id: Type.String({ description: "ID of the event." }),
    endpointId: Type.String(),
    webhookId: Type.String({ description: "Value of the `webhook-id` header. The same for every attempt and replay." }),
    type: Type.String(),
    state: Type.Union(deliveryStates.map((state) => Type.Literal(state))),
    happenedAt: Type.String({ format: "date-time" }),
    nextAttemptAt: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
      description:
        "Earliest time of the next attempt, based on the retry schedule and the backoff of the endpoint. A time in the past means that the attempt is imminent. null if no attempt is scheduled or the endpoint is disabled.",
    }),
    attempts: Type.Array(AttemptView, { description: `The ${maxAttemptsKept} most recent attempts, oldest first.` }),
    payload: Type.Record(Type.String(), Type.Unknown(), { description: "Body that is posted to the endpoint." }),
  },
  { $id: "WebhookDelivery", description: "Delivery of an event to an endpoint." },
);
export type DeliveryView = Static<typeof DeliveryView>;

export const RotateInput = Type.Object({
  overlapHours: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 168,
      default: 24,
      description:
        "Hours during which deliveries are also signed with the old secret, so that receivers can switch over.",
    }),
  ),
});
export type RotateInput = Static<typeof RotateInput>;

export const replayChoices = ["undelivered", "all"] as const;
export const ReplayInput = Type.Object(
  {
    from: Type.String({ maxLength: 40, description: "Start of the time range, inclusive. ISO 8601 or Unix time." }),
    to: Type.Optional(
      Type.String({ maxLength: 40, description: "End of the time range, inclusive. Defaults to now." }),
    ),
    include: Type.Optional(
      Type.Union(
        replayChoices.map((choice) => Type.Literal(choice)),
        {
          default: "undelivered",
          description:
            "`undelivered`: events that failed, are waiting to be retried, or occurred while the endpoint was disabled. `all`: every event in the range.",
        },
      ),
    ),
    after: Type.Optional(
      Type.String({ pattern: "^\\d{1,15}$", description: "`nextCursor` of the previous response." }),
    ),
    userId: Type.Optional(Type.String({ description: "User to act as. Required with a global key." })),
  },
  { examples: [{ from: "2026-01-05T10:00:00Z" }] },
);
export type ReplayInput = Static<typeof ReplayInput>;
