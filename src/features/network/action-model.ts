import { Type, type Static } from "@sinclair/typebox";
import type { SuppressionMatch } from "../suppression/model.ts";
import { actionTypes, maxSubjectLength, type ActionType } from "./action-kinds.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

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
 * | awaiting; awaiting (delegated to a person, a worker, or a vendor) -> completed | skipped | failed | unknown. unknown =
 * it may or may not have taken effect, so it is never repeated automatically.
 */
export type ActionState = (typeof actionStates)[number];
/** Not ended yet: no second action of the same type is scheduled for the same target. */
export const openStates: readonly ActionState[] = ["awaitingApproval", "scheduled", "sending", "awaiting"];

export const pendingReasons = [
  "queued",
  "spacing",
  "break",
  "outsideWorkingHours",
  "holiday",
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
 * newest: by creation, newest first. soonest: actions waiting for their scheduled time, earliest first. latest: actions
 * that were performed or are being sent, most recent first.
 */
export type ActionOrder = (typeof actionOrders)[number];
/** Position of a task in the list; `updatedAt` is when it started waiting. */
export type TaskPlace = { updatedAt: number; jobId: string };

/** Position of an action in a list. `at`: its time; 0 in the order of creation. */
export type ActionPlace = { at: number; seq: number };

/**
 * A time that is never reached: the latest that a Date can represent. Actions without a scheduled time have slots from
 * here on, so that they keep their order in the queue.
 */
export const neverAt = 8_640_000_000_000_000;

/** Why the network or the vendor permanently refuses an action. */
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

/** Why an action must not be sent to a person. */
export type Objection =
  | { kind: "doNotContact"; match: SuppressionMatch }
  | { kind: "alreadyConnected"; since: number | null }
  | { kind: "alreadyPending"; since: number | null }
  /** The network does not accept another request so soon after a withdrawal. */
  | { kind: "cannotResendYet"; until: number }
  | { kind: "leadGone" }
  /** Another account of the workspace has invited this person, is about to, or is connected with them. */
  | { kind: "invitedByColleague"; accountName: string; since: number | null };

export const reactions = ["like", "celebrate", "support", "love", "insightful", "funny"] as const;

/** Additional fields of some types of action. */
export type ActionDetails = {
  /** InMail only. */
  subject?: string;
  /** The post to react to or comment on. Defaults to the person's latest. */
  postUrl?: string;
  reaction?: (typeof reactions)[number];
  /** The skill to endorse. Defaults to the first on the profile. */
  skill?: string;
  /** Voice messages only. */
  voiceId?: string;
  /** Connection requests only: another account of the workspace may have invited the person. */
  allowOverlap?: boolean;
};

export type NetworkAction = {
  jobId: string;
  workspaceId: WorkspaceId;
  accountId: string;
  actionType: ActionType;
  profileUrl: string;
  /** `canonicalProfileUrl` of `profileUrl`. */
  profileKey: string;
  /** Profile, plus post or skill if the type has one. No two open actions of a type have the same target. */
  targetKey: string;
  message: string | null;
  details: ActionDetails;
  leadId: string | null;
  /** The enrollment in a campaign that this action belongs to. */
  enrollmentId: string | null;
  campaignId: string | null;
  campaignStep: number | null;
  state: ActionState;
  /** What the action is waiting for; null if it is not waiting. */
  pendingReason: PendingReason | null;
  /** The planned time, or the time since which the action counts toward its caps; null without a slot. */
  slotAt: number | null;
  /** When it was performed, if not at `slotAt` because the clock was ahead. */
  carriedOutAt: number | null;
  /** The earliest time that was requested. */
  notBefore: number;
  /** Random number from 0 to 1, drawn once, that determines the spacing after the previous action. */
  draw: number;
  /** A reply of a person: sent before the other actions of its account. */
  isUrgent: boolean;
  /** The connector's ID for the action. */
  reference: string | null;
  createdAt: number;
  updatedAt: number;
};

const instant = Type.String({ format: "date-time" });
const instantOrNull = Type.Union([instant, Type.Null()]);
const textOrNull = Type.Union([Type.String(), Type.Null()]);
const forUser = Type.Optional(Type.String({ description: "User to act as. Required with a global key." }));

/** Maximum length of a text before its variables are replaced, which may be longer than their values. */
const maxTemplateLength = 20_000;
const details = {
  subject: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: maxSubjectLength,
      description: "Subject of an InMail. Required for `sendInMail`.",
    }),
  ),
  allowOverlap: Type.Optional(
    Type.Boolean({
      description:
        "For `sendConnectionRequest`: send it even if another account of the workspace has invited the person or is connected with them.",
    }),
  ),
  postUrl: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: "Post for `likePost` and `commentPost`. Defaults to the person's latest post.",
    }),
  ),
  reaction: Type.Optional(
    Type.Union(
      reactions.map((reaction) => Type.Literal(reaction)),
      { description: "Reaction for `likePost`. Defaults to `like`." },
    ),
  ),
  skill: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: "Skill for `endorseSkill`. Defaults to the first skill on the profile.",
    }),
  ),
  voiceId: Type.Optional(Type.String({ description: "Voice clone for `sendVoiceMessage`. Must be ready." })),
};

export const ScheduleInput = Type.Object(
  {
    actionType: Type.String({ description: `One of: ${actionTypes.join(", ")}.` }),
    profileUrl: Type.String({
      minLength: 1,
      maxLength: 500,
      description: "URL of the person's profile on the network.",
    }),
    message: Type.Optional(
      Type.String({
        maxLength: maxTemplateLength,
        description:
          "Text of the note, message, comment, or voice message. Can contain variables of the lead, such as {{firstName|there}}.",
      }),
    ),
    ...details,
    leadId: Type.Optional(Type.String({ description: "Lead the action is for. Provides the values of variables." })),
    accountId: Type.Optional(
      Type.String({ description: "Network account to use. Defaults to the user's first account." }),
    ),
    notBefore: Type.Optional(
      Type.String({ format: "date-time", description: "Earliest time to send, within a year. Defaults to now." }),
    ),
    requireApproval: Type.Optional(
      Type.Boolean({
        description: "Hold the action for approval, even if neither the account nor the key requires it.",
      }),
    ),
    dryRun: Type.Optional(
      Type.Boolean({ description: "Perform all checks and choose a time without storing or sending anything." }),
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
    message: Type.Optional(Type.Union([Type.String({ maxLength: maxTemplateLength }), Type.Null()])),
    ...details,
    notBefore: Type.Optional(Type.String({ format: "date-time", description: "Earliest time to send." })),
    userId: forUser,
  },
  { description: "Updates only the fields that are sent. The action must not have started." },
);
export type ActionUpdate = Static<typeof ActionUpdate>;

export const RecordInput = Type.Object(
  {
    actionType: Type.String({ description: `One of: ${actionTypes.join(", ")}.` }),
    profileUrl: Type.String({ minLength: 1, maxLength: 500 }),
    message: Type.Optional(Type.String({ maxLength: 8000 })),
    leadId: Type.Optional(Type.String()),
    accountId: Type.Optional(Type.String({ description: "Defaults to the user's first account." })),
    carriedOutAt: Type.Optional(
      Type.String({ format: "date-time", description: "Time it was carried out. Defaults to now." }),
    ),
    relation: Type.Optional(
      Type.Union([Type.Literal("none"), Type.Literal("pending"), Type.Literal("connected")], {
        description: "Relationship after the action.",
      }),
    ),
    userId: forUser,
  },
  { description: "An action that a person performed manually on the network." },
);
export type RecordInput = Static<typeof RecordInput>;

export const ResolveInput = Type.Object({
  outcome: Type.Union([Type.Literal("completed"), Type.Literal("failed")], {
    description: "Actual outcome, as seen on the network. A failed action can be retried.",
  }),
  note: Type.Optional(Type.String({ maxLength: 1000 })),
  userId: forUser,
});
export type ResolveInput = Static<typeof ResolveInput>;

export const taskOutcomes = ["completed", "failed", "skipped"] as const;
export type TaskOutcome = (typeof taskOutcomes)[number];
export const TaskCompletion = Type.Object({
  outcome: Type.Union(taskOutcomes.map((outcome) => Type.Literal(outcome))),
  note: Type.Optional(Type.String({ maxLength: 1000, description: "What happened, in your own words." })),
  userId: forUser,
});
export type TaskCompletion = Static<typeof TaskCompletion>;

/** The outcome of an action as reported by a worker or by a receiver of the webhook connector. */
export const OutcomeInput = Type.Object({
  outcome: Type.Union(
    ["completed", "refused", "busy", "limited", "signedOut", "unknown"].map((name) =>
      Type.Literal(name as OutcomeName),
    ),
    {
      description:
        "`completed`: the action took effect. `refused`: it can never succeed. `busy`: no effect; try again later. `limited`: the network asks this account to slow down. `signedOut`: the account must be reconnected. `unknown`: the action may or may not have taken effect.",
    },
  ),
  reference: Type.Optional(Type.String({ maxLength: 200, description: "Your own ID for the action." })),
  reason: Type.Optional(Type.String({ maxLength: 500, description: "Human-readable explanation." })),
  refusal: Type.Optional(
    Type.Union(
      refusals.map((name) => Type.Literal(name)),
      { description: "Why the action was refused. Only for the outcome `refused`. Defaults to `invalid`." },
    ),
  ),
  relation: Type.Optional(
    Type.Union([Type.Literal("none"), Type.Literal("pending"), Type.Literal("connected")], {
      description: "Relationship to the person, if the attempt revealed it.",
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
      "Name of the person, from the lead or from your leads and prospects with this profile. null if unknown. Included only when actions are retrieved or listed.",
  }),
);

const ActionError = Type.Union(
  [
    Type.Object({
      code: Type.String({
        description: `Machine-readable reason: ${refusals.join(", ")}, the reason for skipping the action, or its state if nothing more is known.`,
      }),
      message: Type.String({ description: "Human-readable reason, as in the job's message." }),
    }),
    Type.Null(),
  ],
  {
    description:
      "Why the action was skipped, failed, or has an unknown outcome. null otherwise. Included only when a single action is retrieved.",
  },
);
export type ActionError = Static<typeof ActionError>;

export const ActionView = Type.Object(
  {
    jobId: Type.String({ description: "ID of the action and of its job." }),
    accountId: Type.String(),
    actionType,
    profileUrl: Type.String(),
    message: Type.Union([Type.String(), Type.Null()], {
      description: "Text as it will be sent, with variables replaced.",
    }),
    details: DetailsView,
    leadId: textOrNull,
    personName,
    state: Type.Union(actionStates.map((state) => Type.Literal(state))),
    pendingReason: Type.Union([...pendingReasons.map((reason) => Type.Literal(reason)), Type.Null()], {
      description: "What the action is waiting for. null if it is not waiting.",
    }),
    status: Type.String({ description: "Human-readable status." }),
    scheduledFor: Type.Union([instant, Type.Null()], { description: "Planned time. null if there is none yet." }),
    nextEligibleAt: instantOrNull,
    isReply: Type.Boolean({
      description: "true for replies from the inbox, which are sent before other actions of the account.",
    }),
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
    label: Type.String({ description: "Short name of the task." }),
    profileUrl: Type.String({ description: "Profile to open." }),
    message: Type.Union([Type.String(), Type.Null()], { description: "Text to copy and send." }),
    details: DetailsView,
    leadId: textOrNull,
    personName,
    since: Type.String({ format: "date-time", description: "When the task was created." }),
  },
  { $id: "NetworkTask", description: "An action that a person must perform manually." },
);
export type TaskView = Static<typeof TaskView>;
