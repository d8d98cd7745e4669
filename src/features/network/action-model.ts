import { Type, type Static } from "@sinclair/typebox";
import type { SuppressionMatch } from "../suppression/model.ts";
import { actionTypes, maxSubjectLength, type ActionType } from "./action-kinds.ts";

export const actionStates = [
  "awaitingApproval",
  "scheduled",
  "sending",
  "awaiting",
  "completed",
  "skipped",
  "failed",
  "unknown",
  "canceled",
] as const;
/**
 * awaitingApproval -> scheduled -> sending (marked before the connector is called) -> completed | skipped | failed | unknown
 * | awaiting; awaiting (handed to a person, a worker or a vendor) -> completed | skipped | failed | unknown. unknown = it may
 * or may not have had its effect, so it is never repeated by itself.
 */
export type ActionState = (typeof actionStates)[number];
/** On its way: a second one of the same kind for the same target is not added. */
export const openStates: readonly ActionState[] = ["awaitingApproval", "scheduled", "sending", "awaiting"];

export const pendingReasons = [
  "queued",
  "spacing",
  "break",
  "outsideWorkingHours",
  "dailyLimit",
  "weeklyLimit",
  "monthlyLimit",
  "monthlyNoteLimit",
  "warmup",
  "cooldown",
  "retry",
  "notBefore",
  "accountPaused",
  "accountNeedsReconnect",
  "awaitingApproval",
  "awaitingPerson",
  "awaitingWorker",
  "awaitingVendor",
] as const;
export type PendingReason = (typeof pendingReasons)[number];

export const actionOrders = ["newest", "soonest", "latest"] as const;
/**
 * newest: as they were scheduled, newest first. soonest: those that wait for their moment, by it. latest: those that
 * were carried out, or are being, the latest first.
 */
export type ActionOrder = (typeof actionOrders)[number];
/** The task that has waited since `updatedAt`. */
export type TaskPlace = { updatedAt: number; jobId: string };

/** A place in a list. `at`: the moment of the action; 0 in the order of scheduling. */
export type ActionPlace = { at: number; seq: number };

/**
 * A moment that never comes: the latest that a Date can hold. Actions without a moment have slots from here on, so that
 * they keep their places in the queue.
 */
export const neverAt = 8_640_000_000_000_000;

/** Why the network (or its vendor) will not carry an action out, now or later. */
export const refusals = [
  "alreadyConnected",
  "alreadyPending",
  "notPending",
  "cannotResendYet",
  "personNotFound",
  "postNotFound",
  "skillNotFound",
  "messagingNotAllowed",
  "requestNotAllowed",
  "commentingNotAllowed",
  "ownProfile",
  "emailRequired",
  "noteTooLong",
  "noteLimitReached",
  "noInMailCredits",
  "notSupported",
  "invalid",
] as const;
export type Refusal = (typeof refusals)[number];

/** Why an action is not to be sent to this person. */
export type Objection =
  | { kind: "doNotContact"; match: SuppressionMatch }
  | { kind: "alreadyConnected"; since: number | null }
  | { kind: "alreadyPending"; since: number | null }
  /** The network does not take another request so soon after one was withdrawn. */
  | { kind: "cannotResendYet"; until: number }
  | { kind: "leadGone" };

export const reactions = ["like", "celebrate", "support", "love", "insightful", "funny"] as const;

/** What some kinds of action need besides profile and text. */
export type ActionDetails = {
  /** Of an InMail. */
  subject?: string;
  /** The post to react to or to comment on; without it, the person's latest. */
  postUrl?: string;
  reaction?: (typeof reactions)[number];
  /** To endorse; without it, the first that is listed. */
  skill?: string;
  /** Of a voice message. */
  voiceId?: string;
};

export type NetworkAction = {
  jobId: string;
  userId: string;
  accountId: string;
  actionType: ActionType;
  profileUrl: string;
  /** `canonicalProfileUrl` of it. */
  profileKey: string;
  /** Profile, and post or skill where the kind has one: two open actions of a kind never share it. */
  targetKey: string;
  message: string | null;
  details: ActionDetails;
  leadId: string | null;
  /** The place in a campaign that this action is for. */
  enrollmentId: string | null;
  campaignId: string | null;
  campaignStep: number | null;
  state: ActionState;
  /** Why it waits; null when it does not wait any more. */
  pendingReason: PendingReason | null;
  /** The planned moment, or from when on it counts for its meters; null while it has no slot. */
  slotAt: number | null;
  /** When it was carried out, if that is not `slotAt`: the clock was ahead then. */
  carriedOutAt: number | null;
  /** The earliest moment that somebody asked for. */
  notBefore: number;
  /** From 0 to 1, drawn once: how long a distance it keeps from the action before. */
  draw: number;
  /** What the connector calls it. */
  reference: string | null;
  createdAt: number;
  updatedAt: number;
};

const instant = Type.String({ format: "date-time" });
const instantOrNull = Type.Union([instant, Type.Null()]);
const textOrNull = Type.Union([Type.String(), Type.Null()]);
const forUser = Type.Optional(Type.String({ description: "Needed with a global key: whom to act for." }));

/** Of a text with its variables, which may be longer than what they stand for. */
const maxWrittenLength = 20_000;
const details = {
  subject: Type.Optional(
    Type.String({ minLength: 1, maxLength: maxSubjectLength, description: "sendInMail: its subject." }),
  ),
  postUrl: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: "likePost, commentPost: the post; without it, the person's latest.",
    }),
  ),
  reaction: Type.Optional(
    Type.Union(
      reactions.map((reaction) => Type.Literal(reaction)),
      { description: "likePost: which reaction; like by default." },
    ),
  ),
  skill: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: "endorseSkill: its name; without it, the first that is listed.",
    }),
  ),
  voiceId: Type.Optional(Type.String({ description: "sendVoiceMessage: a voice clone of yours that is ready." })),
};

export const ScheduleInput = Type.Object(
  {
    actionType: Type.String({ description: `One of: ${actionTypes.join(", ")}.` }),
    profileUrl: Type.String({ minLength: 1, maxLength: 500, description: "Profile of the person on the network." }),
    message: Type.Optional(
      Type.String({
        maxLength: maxWrittenLength,
        description:
          "Note of the request, the message, the comment, or what the voice says. May hold variables of the lead: {{firstName|there}}.",
      }),
    ),
    ...details,
    leadId: Type.Optional(Type.String({ description: "The lead that this is for; fills in variables." })),
    accountId: Type.Optional(Type.String({ description: "Network account to use; the user's first one by default." })),
    notBefore: Type.Optional(
      Type.String({ format: "date-time", description: "The earliest moment, within a year; now by default." }),
    ),
    requireApproval: Type.Optional(
      Type.Boolean({ description: "Wait for approval; also when the account or the key asks for it." }),
    ),
    dryRun: Type.Optional(
      Type.Boolean({ description: "Check everything and choose the slot, but store nothing and send nothing." }),
    ),
    userId: forUser,
  },
  {
    examples: [
      { actionType: "sendConnectionRequest", profileUrl: "https://network.example/in/ada", message: "Hello Ada" },
    ],
  },
);
export type ScheduleInput = Static<typeof ScheduleInput>;

export const ActionUpdate = Type.Object(
  {
    message: Type.Optional(Type.Union([Type.String({ maxLength: maxWrittenLength }), Type.Null()])),
    ...details,
    notBefore: Type.Optional(Type.String({ format: "date-time", description: "The earliest moment." })),
    userId: forUser,
  },
  { description: "Only what is sent changes; only while the action has not begun." },
);
export type ActionUpdate = Static<typeof ActionUpdate>;

export const RecordInput = Type.Object(
  {
    actionType: Type.String({ description: `One of: ${actionTypes.join(", ")}.` }),
    profileUrl: Type.String({ minLength: 1, maxLength: 500 }),
    message: Type.Optional(Type.String({ maxLength: 8000 })),
    leadId: Type.Optional(Type.String()),
    accountId: Type.Optional(Type.String({ description: "The user's first account by default." })),
    carriedOutAt: Type.Optional(
      Type.String({ format: "date-time", description: "Time it was carried out. Defaults to now." }),
    ),
    relation: Type.Optional(
      Type.Union([Type.Literal("none"), Type.Literal("pending"), Type.Literal("connected")], {
        description: "How you stand to each other since.",
      }),
    ),
    userId: forUser,
  },
  { description: "Something that a person did on the network by hand." },
);
export type RecordInput = Static<typeof RecordInput>;

export const ResolveInput = Type.Object({
  outcome: Type.Union([Type.Literal("completed"), Type.Literal("failed")], {
    description: "What you saw on the network. An action that failed can be retried.",
  }),
  note: Type.Optional(Type.String({ maxLength: 1000 })),
  userId: forUser,
});
export type ResolveInput = Static<typeof ResolveInput>;

export const taskOutcomes = ["completed", "failed", "skipped"] as const;
export type TaskOutcome = (typeof taskOutcomes)[number];
export const TaskCompletion = Type.Object({
  outcome: Type.Union(taskOutcomes.map((outcome) => Type.Literal(outcome))),
  note: Type.Optional(Type.String({ maxLength: 1000, description: "What happened, in your words." })),
  userId: forUser,
});
export type TaskCompletion = Static<typeof TaskCompletion>;

/** What a worker, or a receiver of the webhook connector, reports of an action. */
export const OutcomeInput = Type.Object({
  outcome: Type.Union(
    ["completed", "refused", "busy", "limited", "signedOut", "unknown"].map((name) =>
      Type.Literal(name as OutcomeName),
    ),
    {
      description:
        "completed: it had its effect. refused: never possible. busy: no effect, try again. limited: the network asks for fewer actions. signedOut: the account must be connected again. unknown: nobody can say.",
    },
  ),
  reference: Type.Optional(Type.String({ maxLength: 200, description: "What you call it." })),
  reason: Type.Optional(Type.String({ maxLength: 500, description: "A sentence for a person." })),
  refusal: Type.Optional(
    Type.Union(
      refusals.map((name) => Type.Literal(name)),
      { description: "With outcome refused; invalid by default." },
    ),
  ),
  relation: Type.Optional(
    Type.Union([Type.Literal("none"), Type.Literal("pending"), Type.Literal("connected")], {
      description: "What you saw of the relation to the person.",
    }),
  ),
  retryAfterSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 30 * 86_400 })),
  userId: forUser,
});
type OutcomeName = "completed" | "refused" | "busy" | "limited" | "signedOut" | "unknown";
export type OutcomeInput = Static<typeof OutcomeInput>;

const actionType = Type.Union(actionTypes.map((type) => Type.Literal(type)));
const DetailsView = Type.Object(details);
const personName = Type.Optional(
  Type.Union([Type.String(), Type.Null()], {
    description:
      "What the person is called, by the lead, or by your leads and prospects with this profile; null when nobody says. Where actions are read.",
  }),
);

const ActionError = Type.Union(
  [
    Type.Object({
      code: Type.String({
        description: `Why, for programs: ${refusals.join(", ")}, the reason it was skipped for, or the state where nothing more is known.`,
      }),
      message: Type.String({ description: "Why, for people; what its job says." }),
    }),
    Type.Null(),
  ],
  {
    description:
      "Why the action was skipped, failed, or has an unknown outcome; null otherwise. Where one action is read.",
  },
);
export type ActionError = Static<typeof ActionError>;

export const ActionView = Type.Object(
  {
    jobId: Type.String({ description: "Id of the action and of its job." }),
    accountId: Type.String(),
    actionType,
    profileUrl: Type.String(),
    message: Type.Union([Type.String(), Type.Null()], { description: "As it will be sent, variables filled in." }),
    details: DetailsView,
    leadId: textOrNull,
    personName,
    state: Type.Union(actionStates.map((state) => Type.Literal(state))),
    pendingReason: Type.Union([...pendingReasons.map((reason) => Type.Literal(reason)), Type.Null()], {
      description: "What it waits for; null when it does not wait.",
    }),
    status: Type.String({ description: "Where it stands, as a sentence." }),
    scheduledFor: Type.Union([instant, Type.Null()], { description: "The planned moment; null while it has none." }),
    nextEligibleAt: instantOrNull,
    carriedOutAt: instantOrNull,
    providerRef: textOrNull,
    error: Type.Optional(ActionError),
    createdAt: instant,
    updatedAt: instant,
  },
  { $id: "NetworkAction", description: "An action on the network." },
);
export type ActionView = Static<typeof ActionView>;

export const TaskView = Type.Object(
  {
    jobId: Type.String(),
    accountId: Type.String(),
    actionType,
    label: Type.String({ description: "What to do, in a few words." }),
    profileUrl: Type.String({ description: "Open this." }),
    message: Type.Union([Type.String(), Type.Null()], { description: "Ready to be copied." }),
    details: DetailsView,
    leadId: textOrNull,
    personName,
    since: Type.String({ format: "date-time", description: "When it was handed to a person." }),
  },
  { $id: "NetworkTask", description: "An action that waits for a person to carry it out." },
);
export type TaskView = Static<typeof TaskView>;
