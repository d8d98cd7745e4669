import type { CampaignStep } from "../../../../../../features/campaigns/model.ts";
import type { ActionType } from "../../../network.ts";

export type StepKind = ActionType | "wait" | "branch";

export function kindOf(step: CampaignStep): StepKind {
  return step.type === "action" ? step.actionType : step.type;
}

/** Drawn on a 20 × 20 grid with a stroke, as the icons of the dashboard. */
export const stepIcons: Record<StepKind, string> = {
  sendConnectionRequest:
    "M8 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.500 16.500c.600-2.900 2.700-4.300 5.500-4.300s4.900 1.400 5.500 4.300M15.500 6v5M13 8.500h5",
  withdrawConnectionRequest:
    "M8 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.500 16.500c.600-2.900 2.700-4.300 5.500-4.300s4.900 1.400 5.500 4.300M13 8.500h5",
  sendMessage: "M4 4.500h12v8.500H9.500L6 16v-3H4z",
  sendInMail: "M3.500 5.500h13v9.500h-13zM3.500 6l6.500 5 6.500-5",
  sendVoiceMessage:
    "M10 12a2.500 2.500 0 0 0 2.500-2.500v-4a2.500 2.500 0 0 0-5 0v4A2.500 2.500 0 0 0 10 12ZM5 9.500a5 5 0 0 0 10 0M10 14.500v2.500",
  visitProfile:
    "M2.500 10c2-3.500 4.500-5 7.500-5s5.500 1.500 7.500 5c-2 3.500-4.500 5-7.500 5s-5.500-1.500-7.500-5ZM10 12.300a2.300 2.300 0 1 0 0-4.600 2.300 2.300 0 0 0 0 4.600Z",
  followProfile: "M10 4.500v11M4.500 10h11M10 17.500a7.500 7.500 0 1 0 0-15 7.500 7.500 0 0 0 0 15Z",
  likePost: "M10 16 4.500 10.500a3.500 3.500 0 0 1 5.500-4.300 3.500 3.500 0 0 1 5.500 4.300z",
  commentPost: "M4 4.500h12v8.500H9.500L6 16v-3H4zM7 7.500h6M7 10h4",
  endorseSkill: "M10 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM7.500 11.500 6.500 17l3.500-2 3.500 2-1-5.500",
  checkConnectionStatus:
    "M8.500 13.500a5 5 0 1 0 0-10 5 5 0 0 0 0 10ZM12.500 12.500l4 4M6.500 8.500l1.500 1.500 2.800-3",
  wait: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM10 6v4.200l2.800 1.800",
  branch:
    "M6 16.500V13a3 3 0 0 1 3-3h2a3 3 0 0 0 3-3V3.500M6 3.500V16.500M11.500 6 14 3.500 16.500 6M3.500 14 6 16.500 8.500 14",
};

/** What can be added, in groups, the most common first. */
export const stepMenu: readonly { label: string; kinds: readonly StepKind[] }[] = [
  { label: "Contact", kinds: ["sendConnectionRequest", "sendMessage", "sendInMail", "sendVoiceMessage"] },
  { label: "Flow", kinds: ["wait", "branch"] },
  {
    label: "Get noticed",
    kinds: ["visitProfile", "followProfile", "likePost", "commentPost", "endorseSkill"],
  },
  { label: "Requests", kinds: ["checkConnectionStatus", "withdrawConnectionRequest"] },
];

/** A new step, complete where that is possible. */
export function newStep(kind: StepKind): CampaignStep {
  if (kind === "wait") return { type: "wait", days: 2 };
  if (kind === "branch") return { type: "branch", condition: "connected", withinDays: 14, yes: [], no: [] };
  return { type: "action", actionType: kind };
}
