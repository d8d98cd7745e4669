import { Type, type Static } from "@sinclair/typebox";
import type { Event } from "../../platform/events/model.ts";

export const deliveryStates = ["pending", "delivered", "failed"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** What the user decides on. */
export type EndpointContent = {
  url: string;
  description: string | null;
  /** Names of types and groups of them; null: everything. */
  types: readonly string[] | null;
};

export type Endpoint = EndpointContent & {
  id: string;
  userId: string;
  isEnabled: boolean;
  disabledAt: number | null;
  /** Why it was turned off by us; null when its user did. */
  disabledReason: string | null;
  secret: string;
  /** Signs as well until the moment beside it. */
  oldSecret: string | null;
  oldSecretUntil: number | null;
  /** Attempts that failed since the last success, and since when. */
  failures: number;
  failingSince: number | null;
  lastSuccessAt: number | null;
  lastFailureAt: number | null;
  createdAt: number;
  updatedAt: number;
};

export type Attempt = {
  at: number;
  /** null: there was no answer. */
  status: number | null;
  latencyMs: number;
  /** What went wrong; null: it was delivered. */
  error: string | null;
  /** The beginning of the answer. */
  response: string;
};

/** An event on its way to an endpoint. */
export type Delivery = {
  endpointId: string;
  event: Event;
  state: DeliveryState;
  /** When it is tried next, at the earliest: not while the endpoint rests. Null, too, while that is turned off. */
  nextAt: number | null;
  /** The latest, oldest first. */
  attempts: Attempt[];
};

/** What a deliverer needs. */
export type DueDelivery = {
  event: Event;
  /** Attempts since it was put into the queue. */
  tries: number;
};

/** Told to one endpoint alone, because its user asked for it; posted once, whatever comes of it. */
export const testType = "webhook.test";

/** The endpoint remembers so many attempts of a delivery. */
export const maxAttemptsKept = 20;
/** The longest text of an answer that is kept. */
export const maxExcerptLength = 500;

const instantOrNull = Type.Union([Type.String({ format: "date-time" }), Type.Null()]);
const contentFields = {
  url: Type.String({
    minLength: 1,
    maxLength: 2000,
    description: "Where to post to; https. Redirects are not followed.",
  }),
  description: Type.Union([Type.String({ maxLength: 200 }), Type.Null()]),
  events: Type.Array(Type.String({ maxLength: 60 }), {
    maxItems: 100,
    description: "Types of events, or groups such as `lead.*`; `*`, or an empty list, for everything.",
  }),
  isEnabled: Type.Boolean({ description: "false: nothing is posted; what was waiting waits." }),
};

export const EndpointInput = Type.Object(
  {
    url: contentFields.url,
    description: Type.Optional(contentFields.description),
    events: Type.Optional(contentFields.events),
    isEnabled: Type.Optional(contentFields.isEnabled),
    userId: Type.Optional(Type.String({ description: "Needed with a global key: whom to act for." })),
  },
  // A misspelled `events` would send all of them to a host that is to know of some.
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
      description: "failing: its latest attempt failed. It is turned off by itself when that goes on for days.",
    }),
    disabledAt: instantOrNull,
    disabledReason: Type.Union([Type.String(), Type.Null()], {
      description: "Why the server turned it off; null when somebody did.",
    }),
    failures: Type.Integer({ description: "Failed attempts since the last success." }),
    failingSince: instantOrNull,
    lastSuccessAt: instantOrNull,
    lastFailureAt: instantOrNull,
    oldSecretUntil: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
      description: "Until then the secret of before the rotation signs as well.",
    }),
    createdAt: Type.String({ format: "date-time" }),
    updatedAt: Type.String({ format: "date-time" }),
  },
  { $id: "WebhookEndpoint", description: "An address that events are posted to, without its secret." },
);
export type EndpointView = Static<typeof EndpointView>;

export const NewEndpointView = Type.Object(
  {
    ...EndpointView.properties,
    secret: Type.String({ description: "What deliveries are signed with: in this answer and never again." }),
  },
  { $id: "NewWebhookEndpoint", description: "An endpoint with its new secret." },
);
export type NewEndpointView = Static<typeof NewEndpointView>;

export const AttemptView = Type.Object({
  at: Type.String({ format: "date-time" }),
  status: Type.Union([Type.Integer(), Type.Null()], { description: "null: there was no answer." }),
  latencyMs: Type.Integer(),
  error: Type.Union([Type.String(), Type.Null()], { description: "null: it was delivered." }),
  response: Type.String({ description: `The first ${maxExcerptLength} characters of the answer.` }),
});

export const DeliveryView = Type.Object(
  {
    id: Type.String({ description: "The id of the event." }),
    endpointId: Type.String(),
    webhookId: Type.String({ description: "The header webhook-id: the same in every attempt and replay." }),
    type: Type.String(),
    state: Type.Union(deliveryStates.map((state) => Type.Literal(state))),
    happenedAt: Type.String({ format: "date-time" }),
    nextAttemptAt: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
      description:
        "Not tried before, because of its own schedule or because the endpoint is left alone until then; in the past: it is its turn soon. null: not tried any more, or not while the endpoint is turned off.",
    }),
    attempts: Type.Array(AttemptView, { description: `The latest ${maxAttemptsKept}, oldest first.` }),
    payload: Type.Record(Type.String(), Type.Unknown(), { description: "What is posted." }),
  },
  { $id: "WebhookDelivery", description: "An event on its way to an endpoint." },
);
export type DeliveryView = Static<typeof DeliveryView>;

export const RotateInput = Type.Object({
  overlapHours: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 168,
      default: 24,
      description: "So long the old secret signs as well, so that receivers can change over.",
    }),
  ),
});
export type RotateInput = Static<typeof RotateInput>;

export const replayChoices = ["undelivered", "all"] as const;
export const ReplayInput = Type.Object(
  {
    from: Type.String({ maxLength: 40, description: "Events from this moment on. ISO 8601 or Unix time." }),
    to: Type.Optional(Type.String({ maxLength: 40, description: "Up to this moment; now unless said." })),
    include: Type.Optional(
      Type.Union(
        replayChoices.map((choice) => Type.Literal(choice)),
        {
          default: "undelivered",
          description:
            "undelivered: what failed or waits for another attempt, and what happened while the endpoint was turned off. all: everything.",
        },
      ),
    ),
    after: Type.Optional(Type.String({ pattern: "^\\d{1,15}$", description: "nextCursor of the answer before." })),
    userId: Type.Optional(Type.String({ description: "Needed with a global key: whom to act for." })),
  },
  { examples: [{ from: "2026-01-05T10:00:00Z" }] },
);
export type ReplayInput = Static<typeof ReplayInput>;
