import type {
  CampaignState,
  CampaignStep,
  CampaignView,
  Condition,
  EnrollmentState,
} from "../../../../../features/campaigns/model.ts";
import { counted } from "../../format.ts";
import { actionLabels } from "../../network.ts";
import type { Tone } from "../../ui/badge.tsx";

type Words<Name extends string> = Record<Name, { tone: Tone; label: string }>;

export const campaignStateLabels: Words<CampaignState> = {
  draft: { tone: "neutral", label: "Draft" },
  running: { tone: "good", label: "Running" },
  paused: { tone: "warn", label: "Paused" },
  canceled: { tone: "neutral", label: "Canceled" },
};

export const enrollmentStateLabels: Words<EnrollmentState> = {
  active: { tone: "info", label: "In progress" },
  completed: { tone: "good", label: "Completed" },
  stopped: { tone: "neutral", label: "Stopped" },
  failed: { tone: "bad", label: "Failed" },
};

export const conditionLabels: Record<Condition, string> = {
  connected: "has accepted the connection request",
  replied: "has replied",
  hasEmail: "has an email address",
  hasPhone: "has a phone number",
};
/** Conditions that can become true later. */
export const awaitedConditions: readonly Condition[] = ["connected", "replied"];

const reasons: Record<string, string> = {
  replied: "Replied",
  doNotContact: "On the do-not-contact list",
  stoppedByUser: "Removed by a user",
  campaignCanceled: "The campaign was canceled",
  leadGone: "The lead was deleted",
  invitedByColleague: "Another account has invited this person",
  accountGone: "The account was removed",
  alreadyConnected: "Already connected",
  alreadyPending: "Request already pending",
  failed: "An action failed",
  canceled: "Its action was canceled",
  already: "Already in this campaign",
  otherCampaign: "In another campaign",
  contactedRecently: "Contacted recently",
};

/** Why a lead was stopped or not enrolled. Unknown reasons are shown as they are. */
export function reasonLabel(reason: string): string {
  return reasons[reason] ?? reason;
}

/** "3. Message" for the number of a step in reading order, which starts at `firstStep`. */
export function stepName({ steps, firstStep }: Pick<CampaignView, "steps" | "firstStep">, number: number): string {
  if (number < firstStep) return "Steps before the change";
  const index = number - firstStep;
  const step = inOrder(steps)[index];
  return step === undefined ? `Step ${index + 1}` : `${index + 1}. ${stepLabel(step)}`;
}

export function stepLabel(step: CampaignStep): string {
  if (step.type === "action") return actionLabels[step.actionType].label;
  if (step.type === "wait") return `Wait ${duration(step)}`;
  return `If the lead ${conditionLabels[step.condition]}`;
}

/** Steps in the numbering of the server: a branch, its yes steps, its no steps, then the next step. */
export function inOrder(steps: readonly CampaignStep[]): CampaignStep[] {
  return steps.flatMap((step) => [
    step,
    ...(step.type === "branch" ? [...inOrder(step.yes), ...inOrder(step.no)] : []),
  ]);
}

function duration({ days = 0, hours = 0 }: { days?: number; hours?: number }): string {
  const parts = [days > 0 && counted(days, "day"), hours > 0 && counted(hours, "hour")].filter(Boolean);
  return parts.join(" and ") || "no time";
}
