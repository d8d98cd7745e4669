import { Type, type Static } from "@sinclair/typebox";
import { actionTypes } from "../network/action-kinds.ts";
import { ScheduleInput } from "../network/action-model.ts";

export const campaignStates = ["draft", "running", "paused", "canceled"] as const;
export type CampaignState = (typeof campaignStates)[number];

export const enrollmentStates = ["active", "completed", "stopped", "failed"] as const;
/** stopped: by a reply, by the do-not-contact list, or by somebody. failed: a step could not be carried out. */
export type EnrollmentState = (typeof enrollmentStates)[number];

export const conditions = ["connected", "replied", "hasEmail", "hasPhone"] as const;
export type Condition = (typeof conditions)[number];

const maxSteps = 50;
const { message, subject, postUrl, reaction, skill, voiceId } = ScheduleInput.properties;

const ActionStep = Type.Object(
  {
    type: Type.Literal("action"),
    actionType: Type.Union(actionTypes.map((type) => Type.Literal(type))),
    message,
    subject,
    postUrl,
    reaction,
    skill,
    voiceId,
  },
  { $id: "CampaignAction", description: "Carry an action out. The next step comes when it is done." },
);
const WaitStep = Type.Object(
  {
    type: Type.Literal("wait"),
    days: Type.Optional(Type.Integer({ minimum: 0, maximum: 365 })),
    hours: Type.Optional(Type.Integer({ minimum: 0, maximum: 24 * 365 })),
  },
  { $id: "CampaignWait", description: "Let time pass." },
);

/** TypeBox can't name a schema in itself without a registry, so branches are described to this depth. */
const maxDepth = 5;
type BranchStep = {
  type: "branch";
  condition: Condition;
  withinDays?: number;
  yes: CampaignStep[];
  no: CampaignStep[];
};
export type CampaignStep = Static<typeof ActionStep> | Static<typeof WaitStep> | BranchStep;

const stepsAt = (depth: number) => Type.Array(stepAt(depth), { maxItems: maxSteps });
function stepAt(depth: number): ReturnType<typeof Type.Unsafe<CampaignStep>> {
  const simple = [ActionStep, WaitStep];
  if (depth === 0) return Type.Unsafe<CampaignStep>(Type.Union(simple));
  const next = stepsAt(depth - 1);
  const branch = Type.Object(
    {
      type: Type.Literal("branch"),
      condition: Type.Union(conditions.map((condition) => Type.Literal(condition))),
      withinDays: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 365,
          description: "Wait so long for it to come true; else it is looked at once.",
        }),
      ),
      yes: next,
      no: next,
    },
    { $id: `CampaignBranch${depth}`, description: "Go one way or the other." },
  );
  return Type.Unsafe<CampaignStep>(Type.Union([...simple, branch]));
}

const Steps = Type.Array(stepAt(maxDepth), {
  minItems: 1,
  maxItems: maxSteps,
  description: "In this order. Texts may hold variables of the lead: {{firstName|there}}.",
});

export const CampaignSettings = Type.Object({
  stopOnReply: Type.Boolean({ description: "Whoever answers gets no further step." }),
  excludeOtherCampaigns: Type.Boolean({
    description: "Leads that are on their way through another campaign are not taken.",
  }),
  excludeContactedDays: Type.Union([Type.Integer({ minimum: 1, maximum: 3650 }), Type.Null()], {
    description: "Leads to whom any of your accounts sent something so recently are not taken; null: all are.",
  }),
});
export type CampaignSettings = Static<typeof CampaignSettings>;
export const defaultSettings: CampaignSettings = {
  stopOnReply: true,
  excludeOtherCampaigns: true,
  excludeContactedDays: null,
};

export type Campaign = {
  id: string;
  userId: string;
  name: string;
  state: CampaignState;
  steps: CampaignStep[];
  /** Who sends; leads are spread over them. */
  accountIds: string[];
  settings: CampaignSettings;
  startedAt: number | null;
  createdAt: number;
  updatedAt: number;
};

/** A lead on its way through a campaign. */
export type Enrollment = {
  id: string;
  campaignId: string;
  userId: string;
  leadId: string;
  accountId: string;
  profileKey: string;
  state: EnrollmentState;
  /** Why it is not active any more. */
  reason: string | null;
  /** Index of an instruction of the compiled steps. */
  atStep: number;
  /** When it came to this step. */
  sinceAt: number;
  /** When it is looked at next; null while its action is on its way. */
  wakeAt: number | null;
  /** The action of this step. */
  jobId: string | null;
  connectedAt: number | null;
  repliedAt: number | null;
  version: number;
  createdAt: number;
  updatedAt: number;
};

const forUser = Type.Optional(Type.String({ description: "Needed with a global key: whom to act for." }));
const accountIds = Type.Array(Type.String(), {
  minItems: 1,
  maxItems: 100,
  description: "Network accounts that send; leads are spread over them.",
});

export const CampaignInput = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    steps: Steps,
    accountIds: Type.Optional(accountIds),
    settings: Type.Optional(Type.Partial(CampaignSettings)),
    userId: forUser,
  },
  {
    examples: [
      {
        name: "Spring",
        steps: [
          { type: "action", actionType: "visitProfile" },
          { type: "wait", days: 1 },
          { type: "action", actionType: "sendConnectionRequest", message: "Hello {{firstName|there}}" },
          {
            type: "branch",
            condition: "connected",
            withinDays: 14,
            yes: [{ type: "action", actionType: "sendMessage", message: "Thank you, {{firstName|friend}}!" }],
            no: [{ type: "action", actionType: "withdrawConnectionRequest" }],
          },
        ],
      },
    ],
  },
);
export type CampaignInput = Static<typeof CampaignInput>;

export const CampaignUpdate = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    steps: Type.Optional(Steps),
    accountIds: Type.Optional(accountIds),
    settings: Type.Optional(Type.Partial(CampaignSettings)),
    userId: forUser,
  },
  { description: "Only what is sent changes. Steps and accounts only while it is a draft." },
);
export type CampaignUpdate = Static<typeof CampaignUpdate>;

export const EnrollInput = Type.Object({
  leadIds: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 10_000 })),
  tag: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: "All leads with this tag." })),
  dryRun: Type.Optional(Type.Boolean()),
  userId: forUser,
});
export type EnrollInput = Static<typeof EnrollInput>;

const instant = Type.String({ format: "date-time" });
const instantOrNull = Type.Union([instant, Type.Null()]);
const textOrNull = Type.Union([Type.String(), Type.Null()]);

export const CampaignView = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    state: Type.Union(campaignStates.map((state) => Type.Literal(state))),
    steps: Steps,
    accountIds: Type.Array(Type.String()),
    settings: CampaignSettings,
    startedAt: instantOrNull,
    createdAt: instant,
    updatedAt: instant,
  },
  { $id: "Campaign", description: "A sequence of actions for leads." },
);
export type CampaignView = Static<typeof CampaignView>;

export const EnrollmentView = Type.Object(
  {
    id: Type.String(),
    leadId: Type.String(),
    leadName: Type.Union([Type.String(), Type.Null()], {
      description: "Name of the lead, or the next best that is known; null once the lead is deleted.",
    }),
    accountId: Type.String(),
    state: Type.Union(enrollmentStates.map((state) => Type.Literal(state))),
    reason: textOrNull,
    step: Type.Union([Type.Integer(), Type.Null()], {
      description: "Number of the step that it is at, in reading order from 0; null at the end.",
    }),
    nextCheckAt: Type.Union([instant, Type.Null()], {
      description: "When it goes on by itself; null while an action is on its way.",
    }),
    jobId: Type.Union([Type.String(), Type.Null()], { description: "The action of this step." }),
    connectedAt: instantOrNull,
    repliedAt: instantOrNull,
    createdAt: instant,
    updatedAt: instant,
  },
  { $id: "CampaignEnrollment", description: "A lead on its way through a campaign." },
);
export type EnrollmentView = Static<typeof EnrollmentView>;

export const EnrollAnswer = Type.Object({
  enrolled: Type.Integer(),
  skipped: Type.Integer(),
  hasMore: Type.Boolean({ description: "More leads have the tag: send the request again." }),
  dryRun: Type.Boolean(),
  results: Type.Array(
    Type.Object({ leadId: Type.String(), outcome: Type.String({ description: "enrolled, or why not." }) }),
    { description: "Those that were not enrolled, and, for a list of ids, all." },
  ),
});
export type EnrollAnswer = Static<typeof EnrollAnswer>;

const count = Type.Integer();
export const CampaignStatistics = Type.Object(
  {
    enrolled: count,
    active: count,
    completed: count,
    stopped: count,
    failed: count,
    connected: Type.Integer({ description: "Leads who accepted since they were enrolled." }),
    replied: Type.Integer({ description: "Leads who answered since they were enrolled." }),
    connectionRate: Type.Number({ description: "Percent of those who were sent a request." }),
    replyRate: Type.Number({ description: "Percent of those who were sent something." }),
    reasons: Type.Record(Type.String(), Type.Integer(), { description: "Why leads are not active any more." }),
    steps: Type.Array(
      Type.Object({
        step: Type.Integer(),
        actionType: Type.String(),
        waiting: count,
        completed: count,
        skipped: count,
        failed: count,
        unknown: count,
      }),
    ),
  },
  { $id: "CampaignStatistics" },
);
export type CampaignStatistics = Static<typeof CampaignStatistics>;

export const PreviewInput = Type.Object({
  leads: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 20, description: "For how many leads." })),
  assume: Type.Optional(
    Type.Object(
      { connected: Type.Optional(Type.Boolean()), replied: Type.Optional(Type.Boolean()) },
      { description: "Which way branches go: by default everybody accepts and nobody answers." },
    ),
  ),
  userId: forUser,
});
export type PreviewInput = Static<typeof PreviewInput>;

export const PreviewView = Type.Object(
  {
    leads: Type.Integer(),
    finishedAt: instantOrNull,
    steps: Type.Array(
      Type.Object({
        step: Type.Integer(),
        actionType: Type.String(),
        count,
        firstAt: instantOrNull,
        lastAt: instantOrNull,
      }),
    ),
    days: Type.Array(Type.Object({ date: Type.String(), actions: Type.Integer() })),
    first: Type.Array(Type.Object({ step: Type.Integer(), actionType: Type.String(), at: instant }), {
      description: "What the first lead would get, and when.",
    }),
    problems: Type.Array(Type.String(), { description: "What keeps steps from ever running." }),
  },
  { $id: "CampaignPreview" },
);
export type PreviewView = Static<typeof PreviewView>;
