import type { FunnelView, SeriesBy, SeriesGroup } from "../../../../../../features/campaigns/funnel-model.ts";
import type { CampaignView } from "../../../../../../features/campaigns/model.ts";
import { inOrder } from "../labels.ts";
import { stageLabels, stageNames, stepTitle } from "./stages.ts";

/** What can be counted by day: stages of the funnel, and what happens at a step. */
export type Measure = keyof Omit<SeriesGroup["days"][number], "date">;

export const measureLabels: Record<Measure, string> = {
  ...stageLabels,
  sent: "Sent",
  skipped: "Skipped",
  left: "Moved on",
  taken: "Took this branch",
};

export const dimensionLabels: Record<SeriesBy, string> = {
  step: "Step",
  branch: "Branch",
  variant: "Variant",
  account: "Account",
};

/** The measures of each dimension, the first of which is shown unless another is chosen. */
const measuresBy: Record<SeriesBy, readonly Measure[]> = {
  step: ["sent", "skipped", "left", "connected", "replied", "interested"],
  branch: ["taken", "connected", "replied", "interested"],
  variant: ["sent", "connected", "replied", "interested"],
  account: ["contacted", ...stageNames.filter((name) => name !== "contacted")],
};

export function measuresOf(by: SeriesBy | null): readonly Measure[] {
  return by === null ? measuresBy.account : measuresBy[by];
}

/** Dimensions by which the days of a campaign differ. */
export function dimensionsOf({ steps }: CampaignView, funnel: FunnelView | undefined): SeriesBy[] {
  const all = inOrder(steps);
  return [
    ...(all.length > 1 ? (["step"] as const) : []),
    ...(all.some(({ type }) => type === "branch") ? (["branch"] as const) : []),
    ...(all.some((step) => step.type === "action" && step.variants !== undefined) ? (["variant"] as const) : []),
    ...((funnel?.accounts.length ?? 0) > 1 ? (["account"] as const) : []),
  ];
}

/** "2. Message: Question", "3. If the lead has replied: Yes", or the name of an account. */
export function groupName(
  campaign: CampaignView,
  { step, side, variant, accountId }: SeriesGroup,
  senders: FunnelView["accounts"],
): string {
  if (step === null) return senders.find((sender) => sender.accountId === accountId)?.name ?? "Removed account";
  const title = stepTitle(campaign, step);
  if (side !== null) return `${title}: ${side === "yes" ? "Yes" : "No"}`;
  return variant === null ? title : `${title}: ${variant}`;
}
