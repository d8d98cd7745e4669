import { Type, type Static } from "@sinclair/typebox";
import { actionTypes } from "../network/action-kinds.ts";
import { campaignStates, conditions, enrollmentStates } from "./model.ts";
import { outcomes } from "./variant-results.ts";

const literals = <const T extends readonly string[]>(values: T) =>
  Type.Union(values.map((value) => Type.Literal(value as T[number])));
const count = Type.Integer();
const textOrNull = Type.Union([Type.String(), Type.Null()]);
const stepNumber = Type.Integer({ description: "Number of the step in reading order, starting at 0." });
const dayOrNull = Type.Union([Type.String({ format: "date" }), Type.Null()]);

export const StageCounts = Type.Object(
  {
    enrolled: count,
    contacted: Type.Integer({ description: "Leads who were sent a connection request or a message." }),
    connected: Type.Integer({ description: "Leads who accepted a connection request." }),
    replied: count,
    interested: Type.Integer({ description: "Leads whose conversation is labeled `interested`." }),
  },
  { $id: "CampaignStages" },
);
export type StageCounts = Static<typeof StageCounts>;

const Rate = Type.Object(
  { rate: Type.Number(), low: Type.Number(), high: Type.Number() },
  { $id: "CampaignRate", description: "Percentage of the leads who were contacted, with its 95% confidence interval." },
);
export type Rate = Static<typeof Rate>;
const Rates = Type.Object({ connected: Rate, replied: Rate, interested: Rate }, { $id: "CampaignRates" });
export type Rates = Static<typeof Rates>;

const Outcomes = Type.Object(
  { taken: count, connected: count, replied: count, interested: count },
  { $id: "CampaignBranchOutcomes", description: "Leads who took a branch, and what its steps achieved." },
);

const VariantResultView = Type.Object(
  {
    name: Type.String(),
    weight: Type.Union([Type.Integer(), Type.Null()], { description: "null if the step no longer has the variant." }),
    sent: Type.Integer({ description: "Leads whom the variant has reached." }),
    connected: count,
    replied: count,
    interested: count,
    rate: Type.Number({ description: "Percentage of leads with the outcome." }),
    low: Type.Number({ description: "Lower end of the confidence interval of the rate (Wilson)." }),
    high: Type.Number(),
    behind: Type.Union(
      [
        Type.Object({
          points: Type.Number({ description: "Percentage points behind the best variant." }),
          low: Type.Number({ description: "Lower end of the confidence interval of the difference (Newcombe)." }),
          high: Type.Number(),
          pValue: Type.Number({ description: "Probability of such a difference between equally good variants." }),
        }),
        Type.Null(),
      ],
      { description: "Comparison with the best variant; null for that one." },
    ),
  },
  { $id: "CampaignVariantResult" },
);

const StepView = Type.Object(
  {
    step: stepNumber,
    type: literals(["action", "wait", "branch"]),
    actionType: Type.Optional(literals(actionTypes)),
    condition: Type.Optional(literals(conditions)),
    active: Type.Integer({ description: "Leads who are at this step now." }),
    stopped: Type.Integer({ description: "Leads for whom the campaign stopped at this step." }),
    failed: count,
    left: Type.Integer({ description: "Leads who have left this step for the next one." }),
    sent: Type.Integer({ description: "Actions that were performed." }),
    skipped: count,
    connected: Type.Integer({ description: "Acceptances that are credited to this step." }),
    replied: count,
    interested: count,
    yes: Type.Optional(Outcomes),
    no: Type.Optional(Outcomes),
  },
  { $id: "CampaignStepFunnel" },
);
export type StepView = Static<typeof StepView>;

export const FunnelView = Type.Object(
  {
    campaignId: Type.String(),
    from: dayOrNull,
    to: dayOrNull,
    accountId: textOrNull,
    stages: StageCounts,
    rates: Rates,
    places: Type.Array(
      Type.Object({
        state: literals(enrollmentStates),
        step: Type.Union([Type.Integer(), Type.Null()], { description: "null after the last step." }),
        leads: count,
      }),
      { description: "Where leads are now, whatever the period. Every lead is in one place." },
    ),
    leads: Type.Integer({ description: "The sum of all places." }),
    steps: Type.Array(StepView),
    tests: Type.Array(
      Type.Object({
        step: stepNumber,
        actionType: literals(actionTypes),
        outcome: literals(outcomes),
        confidence: Type.Number({ description: "In percent." }),
        minSent: Type.Union([Type.Integer(), Type.Null()], {
          description: "Leads that each variant must reach before a winner is chosen automatically; null: none is.",
        }),
        winner: Type.Union([Type.String(), Type.Null()], { description: "The variant that all further leads get." }),
        variants: Type.Array(VariantResultView, { description: "The best first." }),
      }),
      { description: "Results of the steps with variants." },
    ),
    accounts: Type.Array(
      Type.Intersect([
        Type.Object({ accountId: Type.String(), name: textOrNull }),
        Type.Object(StageCounts.properties),
      ]),
    ),
  },
  { $id: "CampaignFunnel" },
);
export type FunnelView = Static<typeof FunnelView>;

const Day = Type.Object(
  { date: Type.String({ format: "date", description: "A day in UTC." }), ...StageCounts.properties },
  { $id: "CampaignDay" },
);
/** What a series is divided by. */
export const seriesDimensions = ["step", "branch", "variant", "account"] as const;
export type SeriesBy = (typeof seriesDimensions)[number];

const some = Type.Optional(count);
const SeriesGroup = Type.Object(
  {
    step: Type.Union([Type.Integer(), Type.Null()], { description: "Of a step, branch, or variant." }),
    side: Type.Union([literals(["yes", "no"]), Type.Null()], { description: "Of a branch." }),
    variant: textOrNull,
    accountId: textOrNull,
    name: Type.String({ description: "Action or condition of the step, or name of the variant or account." }),
    days: Type.Array(
      Type.Object({
        date: Type.String({ format: "date" }),
        enrolled: some,
        contacted: some,
        connected: count,
        replied: count,
        interested: count,
        sent: Type.Optional(
          Type.Integer({ description: "Of a step: actions that were performed. Of a variant: leads." }),
        ),
        skipped: some,
        left: Type.Optional(Type.Integer({ description: "Leads who have left the step for the next one." })),
        taken: Type.Optional(Type.Integer({ description: "Leads who took the side of the branch." })),
      }),
      { description: "Oldest first, without days on which nothing happened." },
    ),
  },
  { $id: "CampaignSeriesGroup" },
);
export type SeriesGroup = Static<typeof SeriesGroup>;

export const SeriesView = Type.Object(
  {
    campaignId: Type.String(),
    from: dayOrNull,
    to: dayOrNull,
    accountId: textOrNull,
    days: Type.Array(Day, { description: "Oldest first, without days on which nothing happened." }),
    by: Type.Optional(literals(seriesDimensions)),
    series: Type.Optional(
      Type.Array(SeriesGroup, { description: "With `by`: the same by day for each of them, in order of the steps." }),
    ),
  },
  { $id: "CampaignSeries" },
);
export type SeriesView = Static<typeof SeriesView>;

const Compared = Type.Object(
  {
    campaignId: Type.String(),
    name: Type.String(),
    state: literals(campaignStates),
    startedAt: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
    ...StageCounts.properties,
    rates: Rates,
  },
  { $id: "ComparedCampaign" },
);
/** One page of it. */
export const ComparisonView = Type.Object({ from: dayOrNull, to: dayOrNull, campaigns: Type.Array(Compared) });
export type ComparisonView = Static<typeof ComparisonView>;

const day = Type.String({ format: "date", description: "A day in UTC, such as 2030-01-31, inclusive." });
const format = Type.Union([Type.Literal("json"), Type.Literal("csv")], { default: "json" });
const period = { from: Type.Optional(day), to: Type.Optional(day), format: Type.Optional(format) };
export const FunnelQuery = Type.Object({
  ...period,
  accountId: Type.Optional(Type.String({ description: "Only leads of this network account." })),
});
export type FunnelQuery = Static<typeof FunnelQuery>;
export const SeriesQuery = Type.Object({
  ...FunnelQuery.properties,
  by: Type.Optional(
    Type.Union(
      seriesDimensions.map((dimension) => Type.Literal(dimension)),
      { description: "Adds `series`: one series for each step, side of a branch, variant, or account." },
    ),
  ),
});
export type SeriesQuery = Static<typeof SeriesQuery>;
export const ComparisonQuery = Type.Object({
  ...period,
  ids: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_000,
      description:
        "IDs of campaigns, separated by commas, at most 20, in this order on one page. By default, all campaigns, newest first.",
    }),
  ),
});
export type ComparisonQuery = Static<typeof ComparisonQuery>;
