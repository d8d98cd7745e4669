import type { Campaign, CampaignStatistics } from "./model.ts";
import { compile } from "./program.ts";
import type { CampaignCounts } from "./store.ts";

/** Results of a campaign: how many enrollments are in each state, and how many actions of each step. */
export function statisticsOf(
  campaign: Pick<Campaign, "steps" | "firstStep">,
  { enrollments, connected, replied, actions }: CampaignCounts,
): CampaignStatistics {
  const sum = (state?: string) =>
    enrollments.reduce((total, row) => total + (state === undefined || row.state === state ? row.n : 0), 0);
  const reasons: Record<string, number> = {};
  for (const { reason, n } of enrollments) if (reason !== null) reasons[reason] = (reasons[reason] ?? 0) + n;
  const steps = compile(campaign.steps, campaign.firstStep).flatMap((instruction, step) => {
    if (instruction.kind !== "action") return [];
    const of = (...states: string[]) =>
      actions.reduce((total, row) => total + (row.step === step && states.includes(row.state) ? row.n : 0), 0);
    const { actionType } = instruction.action;
    const waiting = of("awaitingApproval", "scheduled", "sending", "awaiting");
    return {
      step,
      actionType,
      waiting,
      completed: of("completed"),
      skipped: of("skipped"),
      canceled: of("canceled"),
      failed: of("failed"),
      unknown: of("unknown"),
    };
  });
  const sent = (...types: string[]) =>
    Math.max(0, ...steps.filter(({ actionType }) => types.includes(actionType)).map(({ completed }) => completed));
  return {
    enrolled: sum(),
    active: sum("active"),
    completed: sum("completed"),
    stopped: sum("stopped"),
    failed: sum("failed"),
    connected,
    replied,
    connectionRate: percent(connected, sent("sendConnectionRequest")),
    replyRate: percent(replied, sent("sendConnectionRequest", "sendMessage", "sendInMail", "sendVoiceMessage")),
    reasons,
    steps,
  };
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100;
}
