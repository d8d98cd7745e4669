import type { Clock, Ids } from "../../platform/base/clock.ts";
import type { FieldError } from "../../platform/base/errors.ts";
import type { Lead } from "../leads/model.ts";
import type { NetworkAccount } from "../network/account-model.ts";
import { actionContent, profileKeyOf, type ProfileHosts } from "../network/action-input.ts";
import { untouched, type Campaign, type Enrollment } from "./model.ts";
import { compile } from "./program.ts";
import { eachText } from "./variants.ts";

/** An enrollment of a lead that has not begun, and is due at once. */
export function newEnrollment(
  campaign: Campaign,
  lead: Lead,
  accountId: string,
  { clock, ids, profileHosts }: { clock: Clock; ids: Ids; profileHosts: ProfileHosts },
): Enrollment {
  const now = clock.now();
  const errors: FieldError[] = [];
  return {
    id: ids.next(now),
    campaignId: campaign.id,
    workspaceId: campaign.workspaceId,
    leadId: lead.id,
    accountId,
    profileKey: profileKeyOf(lead.networkUrl ?? "", profileHosts, errors) ?? "",
    state: "active",
    reason: null,
    atStep: campaign.firstStep,
    sinceAt: now,
    wakeAt: now,
    jobId: null,
    connectedAt: null,
    repliedAt: null,
    ...untouched,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
}

/** Why a lead would fail at a later step: it has no profile, or no value for a variable. Null if it would not. */
export function enrollmentProblem(
  { steps }: Campaign,
  lead: Lead,
  account: NetworkAccount | undefined,
  hosts: ProfileHosts,
): string | null {
  if (lead.networkUrl === null) return "The lead has no profile URL.";
  const actions = compile(steps).flatMap((each) => (each.kind === "action" ? eachText(each.action) : []));
  for (const { step: action } of actions) {
    const sent = { ...action, profileUrl: lead.networkUrl };
    const checked = actionContent(sent, account?.tier ?? "premium", lead, hosts);
    if ("errors" in checked) return checked.errors[0]?.message ?? "invalid";
  }
  return null;
}
