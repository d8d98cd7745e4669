import type { CampaignChange } from "./change-model.ts";
import type { Campaign, CampaignStep, Enrollment } from "./model.ts";
import { countSteps } from "./program.ts";

/**
 * Steps that a campaign had before they were changed. Each version has step numbers of its own, from `firstStep`, so that
 * the number of a step says to which version it belongs, in enrollments, actions, and results alike.
 */
export type StepsVersion = { firstStep: number; steps: CampaignStep[] };

/** The change with what follows from it: the next version, and numbers for new steps if leads may have begun the old ones. */
export function editOf(
  campaign: Campaign,
  change: CampaignChange,
): { values: CampaignChange; earlier: StepsVersion | null } {
  const { name, steps, accountIds, settings } = change;
  if ([name, steps, accountIds, settings].every((value) => value === undefined))
    return { values: change, earlier: null };
  const values = { ...change, version: campaign.version + 1 };
  if (steps === undefined || campaign.startedAt === null) return { values, earlier: null };
  const { firstStep } = campaign;
  // A lead that has completed all steps is one past the last.
  const pastLast = firstStep + countSteps(campaign.steps);
  return {
    values: { ...values, firstStep: pastLast + 1 },
    earlier: { firstStep, steps: campaign.steps },
  };
}

/**
 * Where an enrollment is, and in which steps: those that it began, or those of the campaign if it has not begun.
 * `earlier`: the version with the step of the enrollment, unless the campaign still has these steps.
 */
export function positionOf<E extends Pick<Enrollment, "atStep" | "jobId">>(
  enrollment: E,
  campaign: StepsVersion,
  earlier: StepsVersion | null,
): { enrollment: E; version: StepsVersion } {
  if (earlier === null) return { enrollment, version: campaign };
  const hasBegun = enrollment.atStep !== earlier.firstStep || enrollment.jobId !== null;
  if (hasBegun) return { enrollment, version: earlier };
  return { enrollment: { ...enrollment, atStep: campaign.firstStep }, version: campaign };
}
