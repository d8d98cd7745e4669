import type { Decision } from "../../platform/base/decision.ts";
import type { NewEvent } from "../../platform/events/model.ts";
import type { NetworkChange } from "../network/decisions/changes.ts";
import { withdrawAction } from "../network/decisions/ending.ts";
import type { Target } from "../network/decisions/facts.ts";
import type { ScheduleAction, ScheduleOutcome } from "../network/queue-model.ts";
import type { CampaignChange, EnrollmentChange, EnrollRefusal, MoveOutcome } from "./change-model.ts";
import type { Campaign, CampaignState, Enrollment } from "./model.ts";
import { funnelChange, summed, type CountedEnrollment, type FunnelChange } from "./funnel-marks.ts";
import { compile } from "./program.ts";
import { editOf, type StepsVersion } from "./steps-version.ts";
import type { WinnerRule } from "./variant-results.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

/** What decisions may ask of the store: synchronous and read-only. */
export type CampaignFacts = EnrollFacts & MoveFacts;

export type EnrollFacts = {
  campaign(id: string): Campaign | null;
  hasLead(workspaceId: WorkspaceId, leadId: string): boolean;
  isSuppressed(enrollment: Enrollment): boolean;
  isEnrolled(campaignId: string, leadId: string): boolean;
  /** Whether the lead is active in another campaign that was not canceled. */
  isInOtherCampaign(campaignId: string, leadId: string): boolean;
  /** When an account of the user last invited or wrote to the person; null if none has. */
  lastContactAt(workspaceId: WorkspaceId, profileKey: string): number | null;
};

export type MoveFacts = {
  campaign(id: string): Campaign | null;
  /** Whether the campaign has an active enrollment other than this one. */
  hasOtherActive(campaignId: string, enrollmentId: string): boolean;
  target(jobId: string): Target | null;
  /** The network's decision about an action. */
  schedule(action: ScheduleAction): Decision<ScheduleOutcome, NetworkChange>;
};

export type CampaignsChange =
  | { kind: "campaign"; id: string; values: CampaignChange }
  /** Retains steps for leads that have begun them. */
  | { kind: "earlierSteps"; campaignId: string; version: StepsVersion }
  | { kind: "enroll"; enrollment: Enrollment }
  /** Increments the version of the enrollment, which invalidates concurrent decisions about it. */
  | { kind: "enrollment"; id: string; values: EnrollmentChange }
  /** Follows from the changes of enrollments, and is stored with them. */
  | { kind: "funnel"; changes: readonly FunnelChange[] }
  | { kind: "network"; changes: readonly NetworkChange[] }
  | { kind: "event"; event: NewEvent };

const dayMs = 86_400_000;
const stateEvents = {
  running: "campaign.started",
  paused: "campaign.paused",
  canceled: "campaign.canceled",
} as const;

/**
 * Changes a campaign in one of these states, and of this version unless it is null; the outcome is null if the campaign
 * is in another state, has another version, or does not exist.
 */
export function decideChange(
  campaign: Campaign | null,
  workspaceId: WorkspaceId,
  states: readonly CampaignState[],
  change: CampaignChange,
  version: number | null = null,
): Decision<Campaign | null, CampaignsChange> {
  const nothing = { outcome: null, changes: [] };
  if (campaign?.workspaceId !== workspaceId || !states.includes(campaign.state)) return nothing;
  if (version !== null && version !== campaign.version) return nothing;
  const { id } = campaign;
  const { state, updatedAt: at } = change;
  const { values, earlier } = editOf(campaign, change);
  const changes: CampaignsChange[] = [{ kind: "campaign", id, values }];
  if (earlier !== null) changes.push({ kind: "earlierSteps", campaignId: id, version: earlier });
  if (state !== undefined && state !== campaign.state && state !== "draft")
    changes.push({ kind: "event", event: { type: stateEvents[state], workspaceId, at, campaignId: id } });
  return { outcome: { ...campaign, ...values }, changes };
}

/** The result of a test: the variant of a step that all further leads get. */
export type Winner = { step: number; variant: string } & WinnerRule;

/** Decides the test of a running campaign, once. Not if its steps have changed meanwhile. */
export function decideWinner(
  campaign: Campaign | null,
  { step, variant, ...rule }: Winner,
  at: number,
): Decision<boolean, CampaignsChange> {
  if (campaign?.state !== "running" || campaign.winners[step] !== undefined) return { outcome: false, changes: [] };
  const instruction = compile(campaign.steps, campaign.firstStep)[step];
  const variants = instruction?.kind === "action" ? (instruction.action.variants ?? []) : [];
  if (!variants.some(({ name }) => name === variant)) return { outcome: false, changes: [] };
  const { id, workspaceId } = campaign;
  const values = { winners: { ...campaign.winners, [step]: variant }, updatedAt: at };
  const data = { step, variant, outcome: rule.outcome, confidence: rule.confidence };
  const event = { type: "campaign.variant_won", workspaceId, at, campaignId: id, data } as const;
  return {
    outcome: true,
    changes: [
      { kind: "campaign", id, values },
      { kind: "event", event },
    ],
  };
}

/** Only drafts can be deleted: the enrollments of other campaigns are history. */
export function canDelete(campaign: Campaign | null, workspaceId: WorkspaceId): boolean {
  return campaign?.workspaceId === workspaceId && campaign.state === "draft";
}

/** Null if the lead is enrolled. */
export function decideEnrollment(
  enrollment: Enrollment,
  facts: EnrollFacts,
  now: number,
): Decision<EnrollRefusal | null, CampaignsChange> {
  const outcome = refusalOf(enrollment, facts, now);
  if (outcome !== null) return { outcome, changes: [] };
  const funnel = { kind: "funnel", changes: funnelChange(null, enrollment) } as const;
  return { outcome, changes: [{ kind: "enroll", enrollment }, funnel] };
}

function refusalOf(enrollment: Enrollment, facts: EnrollFacts, now: number): EnrollRefusal | null {
  const { workspaceId, campaignId, leadId, profileKey } = enrollment;
  const campaign = facts.campaign(campaignId);
  if (campaign?.workspaceId !== workspaceId || campaign.state === "canceled") return "campaignEnded";
  if (!facts.hasLead(workspaceId, leadId)) return "leadGone";
  if (facts.isEnrolled(campaignId, leadId)) return "alreadyEnrolled";
  if (facts.isSuppressed(enrollment)) return "doNotContact";
  const { excludeOtherCampaigns, excludeContactedDays: days } = campaign.settings;
  if (excludeOtherCampaigns && facts.isInOtherCampaign(campaignId, leadId)) return "inOtherCampaign";
  const contactedAt = days === null ? null : facts.lastContactAt(workspaceId, profileKey);
  return days !== null && (contactedAt ?? 0) > now - days * dayMs ? "contactedRecently" : null;
}

/**
 * Moves an active enrollment of this version, with its next action if there is one, which only a running campaign sends.
 * Ending the enrollment withdraws its pending action. The campaign completes with its last active enrollment.
 */
export function decideMove(
  enrollment: Enrollment | null,
  version: number,
  values: EnrollmentChange,
  action: ScheduleAction | null,
  facts: MoveFacts,
): Decision<MoveOutcome | null, CampaignsChange> {
  const nothing = { outcome: null, changes: [] };
  if (enrollment?.version !== version || enrollment.state !== "active") return nothing;
  if (action !== null) return decideAction(enrollment, values, action, facts);
  const { id, workspaceId, campaignId, jobId } = enrollment;
  const { state, updatedAt: at } = values;
  const changes: CampaignsChange[] = [];
  if (state !== undefined && jobId !== null)
    changes.push({ kind: "network", changes: withdrawAction(facts.target(jobId), at) });
  changes.push({ kind: "enrollment", id, values }, funnelOf(enrollment, values));
  const hasEnded = state !== undefined && state !== "active";
  if (hasEnded && !facts.hasOtherActive(campaignId, id) && facts.campaign(campaignId)?.state === "running")
    changes.push({ kind: "event", event: { type: "campaign.completed", workspaceId, at, campaignId } });
  return { outcome: { kind: "moved" }, changes };
}

/** If the network already has this action, the enrollment adopts it. */
function decideAction(
  enrollment: Enrollment,
  values: EnrollmentChange,
  action: ScheduleAction,
  facts: MoveFacts,
): Decision<MoveOutcome | null, CampaignsChange> {
  const { id, campaignId } = enrollment;
  if (facts.campaign(campaignId)?.state !== "running") return { outcome: null, changes: [] };
  const { outcome, changes } = facts.schedule(action);
  const network: CampaignsChange = { kind: "network", changes };
  if (outcome.kind !== "scheduled" && outcome.kind !== "existing") return { outcome, changes: [network] };
  const moved: CampaignsChange = { kind: "enrollment", id, values: { ...values, jobId: outcome.job.id } };
  return { outcome, changes: [network, moved, funnelOf(enrollment, values)] };
}

/** What the campaign counts differently once an enrollment has these values. */
export function funnelOf(enrollment: CountedEnrollment, values: Partial<CountedEnrollment>) {
  return { kind: "funnel", changes: funnelChange(enrollment, { ...enrollment, ...values }) } as const;
}

/** Ends active enrollments. */
export function decideStops(
  active: readonly Enrollment[],
  reason: string,
  at: number,
): Decision<number, CampaignsChange> {
  const values = stopped(reason, at);
  const changes = active.flatMap((each): CampaignsChange[] => [{ kind: "enrollment", id: each.id, values }]);
  const funnel = active.flatMap((each) => funnelOf(each, values).changes);
  return { outcome: active.length, changes: [...changes, { kind: "funnel", changes: summed(funnel) }] };
}

/** What ending an enrollment before its last step changes. */
export function stopped(reason: string, at: number): EnrollmentChange {
  return { state: "stopped", reason, wakeAt: null, updatedAt: at };
}
