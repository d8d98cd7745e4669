import { Type, type Static } from "@sinclair/typebox";
import { actionTypes } from "../network/action-kinds.ts";
import { ScheduleInput } from "../network/action-model.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";
import type { Trail } from "./trail.ts";
import { AutoWinner, Variants, type AssignedVariants } from "./variants.ts";

export const campaignStates = ["draft", "running", "paused", "canceled"] as const;
export type CampaignState = (typeof campaignStates)[number];

export const enrollmentStates = ["active", "completed", "stopped", "failed"] as const;
/** `stopped`: by a reply, the do-not-contact list, or a user. `failed`: a step could not be performed. */
export type EnrollmentState = (typeof enrollmentStates)[number];

export const conditions = ["connected", "replied", "hasEmail", "hasPhone"] as const;
export type Condition = (typeof conditions)[number];

const maxSteps = 50;
export const maxNameLength = 200;
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
    variants: Type.Optional(Variants),
    autoWinner: Type.Optional(AutoWinner),
  },
  { $id: "CampaignAction", description: "Performs an action. The next step follows when the action is completed." },
);
const WaitStep = Type.Object(
  {
    type: Type.Literal("wait"),
    days: Type.Optional(Type.Integer({ minimum: 0, maximum: 365 })),
    hours: Type.Optional(Type.Integer({ minimum: 0, maximum: 24 * 365 })),
  },
  { $id: "CampaignWait", description: "Waits for a period of time before the next step." },
);

/** TypeBox cannot reference a schema from within itself without a registry, so branches are described to this depth. */
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
          description: "Days to wait for the condition to become true. 0 checks immediately.",
        }),
      ),
      yes: next,
      no: next,
    },
    {
      $id: `CampaignBranch${depth}`,
      description: "Continues with one of two sequences of steps, depending on a condition.",
    },
  );
  return Type.Unsafe<CampaignStep>(Type.Union([...simple, branch]));
}

const Steps = Type.Array(stepAt(maxDepth), {
  minItems: 1,
  maxItems: maxSteps,
  description:
    "Steps in the order they are performed. Text can contain variables of the lead, such as {{firstName|there}}.",
});

export const CampaignSettings = Type.Object({
  stopOnReply: Type.Boolean({ description: "Stop the campaign for leads who reply." }),
  excludeOtherCampaigns: Type.Boolean({
    description: "Skip leads that are active in another campaign.",
  }),
  excludeContactedDays: Type.Union([Type.Integer({ minimum: 1, maximum: 3650 }), Type.Null()], {
    description: "Skip leads that any of your accounts contacted within this number of days. null disables the check.",
  }),
  allowOverlap: Type.Boolean({
    description: "Also invite people whom another account of the workspace has invited or is connected with.",
  }),
});
export type CampaignSettings = Static<typeof CampaignSettings>;
export const defaultSettings: CampaignSettings = {
  stopOnReply: true,
  excludeOtherCampaigns: true,
  excludeContactedDays: null,
  allowOverlap: false,
};

export type Campaign = {
  id: string;
  workspaceId: WorkspaceId;
  name: string;
  state: CampaignState;
  steps: CampaignStep[];
  /** Accounts that send; leads are distributed among them. */
  accountIds: string[];
  settings: CampaignSettings;
  /** By step: the variant that every further lead gets, once its test was decided. */
  winners: AssignedVariants;
  /** Grows with each edit. */
  version: number;
  /** Number of the first step: see `steps-version.ts`. */
  firstStep: number;
  startedAt: number | null;
  createdAt: number;
  updatedAt: number;
};

/** A lead's participation in a campaign. */
export type Enrollment = {
  id: string;
  campaignId: string;
  workspaceId: WorkspaceId;
  leadId: string;
  accountId: string;
  profileKey: string;
  state: EnrollmentState;
  /** Reason why the enrollment is no longer active. */
  reason: string | null;
  /** Number of the current step: its index in the compiled steps. */
  atStep: number;
  /** When the lead entered this step. */
  sinceAt: number;
  /** When the enrollment is checked next; null while its action is in progress. */
  wakeAt: number | null;
  /** Job of the action of this step. */
  jobId: string | null;
  connectedAt: number | null;
  repliedAt: number | null;
  /** When a person noted that the lead is interested. */
  interestedAt: number | null;
  variants: AssignedVariants;
  /** The steps that the lead has left. */
  trail: Trail;
  version: number;
  createdAt: number;
  updatedAt: number;
};

/** The parts of an enrollment that fill as it proceeds. */
export const untouched = { interestedAt: null, variants: {}, trail: [] } as const satisfies Partial<Enrollment>;

const forUser = Type.Optional(Type.String({ description: "User to act as. Required with a global key." }));
const accountIds = Type.Array(Type.String(), {
  minItems: 1,
  maxItems: 100,
  description: "Network accounts to send from. Leads are distributed among them.",
});

export const CampaignInput = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: maxNameLength }),
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
    name: Type.Optional(Type.String({ minLength: 1, maxLength: maxNameLength })),
    steps: Type.Optional(Steps),
    accountIds: Type.Optional(accountIds),
    settings: Type.Optional(Type.Partial(CampaignSettings)),
    version: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: "The `version` that the change is based on. Rejected if the campaign has been edited since.",
      }),
    ),
    userId: forUser,
  },
  {
    description:
      "Updates only the fields that are sent. Steps and accounts can be changed in a draft and while the campaign is paused.",
  },
);
export type CampaignUpdate = Static<typeof CampaignUpdate>;

export const DuplicateInput = Type.Object({
  name: Type.Optional(
    Type.String({ minLength: 1, maxLength: maxNameLength, description: "By default, the name with `(copy)`." }),
  ),
  userId: forUser,
});
export type DuplicateInput = Static<typeof DuplicateInput>;

export const EnrollInput = Type.Object({
  leadIds: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 10_000 })),
  tag: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: "Enroll all leads with this tag." })),
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
    winners: Type.Record(Type.String(), Type.String(), {
      description: "By step: the variant that all further leads get, because the test was decided automatically.",
    }),
    version: Type.Integer({ description: "Grows with each edit. Send it with an update to detect other edits." }),
    firstStep: Type.Integer({
      description:
        "Number of the first step: 0, unless the steps were changed after the start. Steps are numbered in reading order, and changed steps get new numbers. Leads whose `step` is less than `firstStep` finish the steps that they began.",
    }),
    startedAt: instantOrNull,
    createdAt: instant,
    updatedAt: instant,
  },
  { $id: "Campaign", description: "A sequence of actions performed for each enrolled lead." },
);
export type CampaignView = Static<typeof CampaignView>;

export const EnrollmentView = Type.Object(
  {
    id: Type.String(),
    leadId: Type.String(),
    leadName: Type.Union([Type.String(), Type.Null()], {
      description: "Name of the lead, or the best available identifier. null if the lead was deleted.",
    }),
    accountId: Type.String(),
    state: Type.Union(enrollmentStates.map((state) => Type.Literal(state))),
    reason: textOrNull,
    step: Type.Union([Type.Integer(), Type.Null()], {
      description:
        "Number of the current step in reading order, starting at `firstStep` of the campaign. null if all steps are completed.",
    }),
    nextCheckAt: Type.Union([instant, Type.Null()], {
      description: "When the enrollment advances automatically. null while an action is in progress.",
    }),
    jobId: Type.Union([Type.String(), Type.Null()], { description: "Job of the current step's action." }),
    connectedAt: instantOrNull,
    repliedAt: instantOrNull,
    interestedAt: instantOrNull,
    variants: Type.Record(Type.String(), Type.String(), {
      description: "By step: the name of the variant that the lead was assigned.",
    }),
    createdAt: instant,
    updatedAt: instant,
  },
  { $id: "CampaignEnrollment", description: "A lead's progress through a campaign." },
);
export type EnrollmentView = Static<typeof EnrollmentView>;

export const EnrollAnswer = Type.Object({
  enrolled: Type.Integer(),
  skipped: Type.Integer(),
  hasMore: Type.Boolean({ description: "true if more leads have the tag. Repeat the request to enroll them." }),
  dryRun: Type.Boolean(),
  results: Type.Array(
    Type.Object({
      leadId: Type.String(),
      outcome: Type.String({ description: "`enrolled`, or the reason why the lead was skipped." }),
    }),
    { description: "Skipped leads. For a list of IDs, all leads." },
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
    connected: Type.Integer({ description: "Leads who accepted a connection request since they were enrolled." }),
    replied: Type.Integer({ description: "Leads who replied since they were enrolled." }),
    connectionRate: Type.Number({
      description: "Percentage of leads who accepted, of those who were sent a connection request.",
    }),
    replyRate: Type.Number({
      description: "Percentage of leads who replied, of those who were sent a message or request.",
    }),
    reasons: Type.Record(Type.String(), Type.Integer(), {
      description: "Number of leads that are no longer active, by reason.",
    }),
    steps: Type.Array(
      Type.Object({
        step: Type.Integer(),
        actionType: Type.String(),
        waiting: count,
        completed: count,
        skipped: count,
        canceled: Type.Integer({
          description: "Actions that were canceled, by a user or because the campaign was paused.",
        }),
        failed: count,
        unknown: count,
      }),
    ),
  },
  { $id: "CampaignStatistics" },
);
export type CampaignStatistics = Static<typeof CampaignStatistics>;

export const PreviewInput = Type.Object({
  leads: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, default: 20, description: "Number of leads to simulate." }),
  ),
  assume: Type.Optional(
    Type.Object(
      { connected: Type.Optional(Type.Boolean()), replied: Type.Optional(Type.Boolean()) },
      { description: "Assumed outcome of conditions. By default, every lead accepts and none replies." },
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
      description: "Actions the first lead would receive, with their times.",
    }),
    problems: Type.Array(Type.String(), {
      description: "What keeps steps from running, such as an account that is paused or signed out.",
    }),
  },
  { $id: "CampaignPreview" },
);
export type PreviewView = Static<typeof PreviewView>;
