import { Type, type Static } from "@sinclair/typebox";
import { singleLine } from "../../platform/base/text.ts";
import type { FieldError } from "../../platform/base/errors.ts";
import type { ActionType } from "../network/action-kinds.ts";
import { ScheduleInput } from "../network/action-model.ts";
import { drawOf } from "../network/governor/draw.ts";
import { defaultOutcome, defaultRule, outcomes, type WinnerRule } from "./variant-results.ts";

const { message, subject } = ScheduleInput.properties;
/** Enough for a test; the results of more variants take very long to differ. */
const maxVariants = 10;
const maxNameLength = 40;

export const Variant = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: maxNameLength,
      description: "Identifies the variant in results. Unique within the step.",
    }),
    weight: Type.Integer({
      minimum: 0,
      maximum: 1000,
      description:
        "Share of leads that get this variant, relative to the other weights. 0: no further leads; those who were assigned the variant keep it.",
    }),
    message,
    subject,
  },
  { $id: "CampaignVariant", description: "One of several texts of a step." },
);
export type Variant = Static<typeof Variant>;

export const Variants = Type.Array(Variant, {
  minItems: 1,
  maxItems: maxVariants,
  description:
    "Texts to compare. Each lead gets one of them and keeps it. Replaces `message` and `subject` of the step.",
});

export const AutoWinner = Type.Object(
  {
    outcome: Type.Optional(
      Type.Union(
        outcomes.map((outcome) => Type.Literal(outcome)),
        {
          description:
            "What makes a variant better. By default `connected` for connection requests, otherwise `replied`.",
        },
      ),
    ),
    minSent: Type.Optional(
      Type.Integer({
        minimum: 20,
        maximum: 100_000,
        default: defaultRule.minSent,
        description: "Number of leads that each variant must have reached before.",
      }),
    ),
    confidence: Type.Optional(
      Type.Number({
        minimum: 80,
        maximum: 99.9,
        default: defaultRule.confidence,
        description: "Certainty in percent that the winner is better than each other variant.",
      }),
    ),
  },
  {
    $id: "CampaignAutoWinner",
    description: "Gives all further leads the best variant, as soon as it is certain which one that is.",
  },
);
export type AutoWinner = Static<typeof AutoWinner>;

/** By step: the name of the variant that a lead was assigned. */
export type AssignedVariants = Readonly<Record<string, string>>;

type Texts = { message?: string; subject?: string };
type StepWithTexts = Texts & { variants?: Variant[]; autoWinner?: AutoWinner };

/**
 * The variant of a step for an enrollment; null if the step has none. The same each time: a variant that was assigned
 * stays while it exists. Otherwise the winner of the test is next, or the ID of the enrollment decides, so that a
 * repetition draws the same.
 */
export function variantFor(
  { variants = [] }: StepWithTexts,
  step: number,
  enrollment: { id: string; variants: AssignedVariants },
  winners: AssignedVariants = {},
): Variant | null {
  const named = (name: string | undefined) => variants.find((variant) => variant.name === name);
  const known = named(enrollment.variants[step]) ?? named(winners[step]);
  return known ?? drawVariant(variants, drawOf("variant", enrollment.id, step));
}

/** `draw`: in [0, 1). Null if no variant has a weight. */
export function drawVariant(variants: readonly Variant[], draw: number): Variant | null {
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  let below = 0;
  for (const variant of variants) {
    below += variant.weight;
    if (draw * total < below) return variant;
  }
  return null;
}

/** The step with the texts of this variant in place of its own. */
export function withTexts<Step extends StepWithTexts>(step: Step, variant: Variant | null): Step {
  const { variants: _variants, autoWinner: _rule, ...rest } = step;
  if (variant === null) return rest as Step;
  const texts: Texts = {};
  if (variant.message !== undefined) texts.message = variant.message;
  if (variant.subject !== undefined) texts.subject = variant.subject;
  return { ...rest, ...texts } as Step;
}

/** The step once for each text that a lead may be sent, with the path of the text. */
export function eachText<Step extends StepWithTexts>(step: Step): { path: string; step: Step }[] {
  if (step.variants === undefined) return [{ path: "", step }];
  return step.variants.map((variant, n) => ({ path: `variants.${n}.`, step: withTexts(step, variant) }));
}

/** What is wrong with the variants themselves, apart from their texts. `path`: that of the step. */
export function variantErrors(step: StepWithTexts & { actionType: ActionType }, path: string): FieldError[] {
  const { variants, message, subject } = step;
  const errors = winnerErrors(step, `${path}.autoWinner`);
  if (variants === undefined) return errors;
  for (const [field, text] of Object.entries({ message, subject }))
    if (text !== undefined)
      errors.push({
        path: `${path}.${field}`,
        message: `Not supported with variants. Set the ${field} of each variant.`,
      });
  if (variants.every(({ weight }) => weight === 0))
    errors.push({
      path: `${path}.variants`,
      message: "All weights are 0, so no lead would get a text. Set the weight of at least one variant to 1 or more.",
    });
  for (const [n, { name }] of variants.entries()) {
    const at = `${path}.variants.${n}.name`;
    if (singleLine(name) !== name || name === "")
      errors.push({ path: at, message: "Expected one line without spaces at the start and the end." });
    else if (variants.findIndex((other) => other.name === name) < n)
      errors.push({ path: at, message: `Another variant of this step is named "${name}". Choose a different name.` });
  }
  return errors;
}

/** By what a test of a step is decided: by the rule of its automatic winner, or by the usual one. */
export function ruleOf({ actionType, autoWinner }: { actionType: ActionType; autoWinner?: AutoWinner }): WinnerRule {
  const { outcome = defaultOutcome(actionType), minSent, confidence } = autoWinner ?? {};
  return {
    outcome,
    minSent: minSent ?? defaultRule.minSent,
    confidence: confidence ?? defaultRule.confidence,
  };
}

function winnerErrors(
  { variants = [], autoWinner, actionType }: StepWithTexts & { actionType: ActionType },
  path: string,
): FieldError[] {
  if (autoWinner === undefined) return [];
  if (variants.filter(({ weight }) => weight > 0).length < 2)
    return [{ path, message: "Requires at least two variants with a weight above 0." }];
  if (autoWinner.outcome === "connected" && actionType !== "sendConnectionRequest")
    return [
      {
        path: `${path}.outcome`,
        message: "Acceptances are credited to connection requests. Choose replied or interested for this step.",
      },
    ];
  return [];
}
