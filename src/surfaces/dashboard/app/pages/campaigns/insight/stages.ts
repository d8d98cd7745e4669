import type { StageCounts } from "../../../../../../features/campaigns/funnel-model.ts";
import type { CampaignView } from "../../../../../../features/campaigns/model.ts";
import { inOrder, stepLabel } from "../labels.ts";

export type Stage = keyof StageCounts;
export const stageLabels: Record<Stage, string> = {
  enrolled: "Enrolled",
  contacted: "Contacted",
  connected: "Connected",
  replied: "Replied",
  interested: "Interested",
};
export const stageNames = Object.keys(stageLabels) as Stage[];
/** Stages that depend on the lead. */
export const outcomes = ["connected", "replied", "interested"] as const satisfies readonly Stage[];

/** "12%", or "3.4%" below ten. "–" without a whole. */
export function shareText(part: number, whole: number): string {
  return whole === 0 ? "–" : percentText((part / whole) * 100);
}

export function percentText(percent: number): string {
  const digits = percent > 0 && percent < 10 ? 1 : 0;
  return `${percent.toFixed(digits)}%`;
}

/** "3. Message" for the number of a present step of a campaign. */
export function stepTitle({ steps, firstStep }: Pick<CampaignView, "steps" | "firstStep">, number: number): string {
  const index = number - firstStep;
  const step = inOrder(steps)[index];
  return step === undefined ? `Step ${index + 1}` : `${index + 1}. ${stepLabel(step)}`;
}
