import type { AccountView } from "../../../features/network/account-model.ts";
import type { ActionView, PendingReason } from "../../../features/network/action-model.ts";
import { getAll } from "./api.ts";
import { useResource, type Resource } from "./resource.ts";

export type AccountList = { accounts: AccountView[] };

export type ActionType = ActionView["actionType"];

/** The network accounts of the user. */
export function useAccounts(): Resource<AccountList> {
  return useResource(
    async (signal) => ({ accounts: await getAll<AccountView>("/network/accounts", "accounts", { signal }) }),
    [],
    {
      pollMs: 30_000,
      events: ["account."],
    },
  );
}

type ActionLabels = { label: string; text: "none" | "optional" | "required"; textLabel?: string };

/** Labels of the action types, and whether they have a text. */
export const actionLabels: Record<ActionType, ActionLabels> = {
  sendConnectionRequest: { label: "Connection request", text: "optional", textLabel: "Note" },
  sendMessage: { label: "Message", text: "required", textLabel: "Message" },
  sendInMail: { label: "InMail", text: "required", textLabel: "Message" },
  sendVoiceMessage: { label: "Voice message", text: "required", textLabel: "Text to speak" },
  visitProfile: { label: "Profile visit", text: "none" },
  followProfile: { label: "Follow", text: "none" },
  likePost: { label: "Post reaction", text: "none" },
  commentPost: { label: "Comment on a post", text: "required", textLabel: "Comment" },
  endorseSkill: { label: "Skill endorsement", text: "none" },
  checkConnectionStatus: { label: "Connection check", text: "none" },
  withdrawConnectionRequest: { label: "Request withdrawal", text: "none" },
};

/** Why an action is not executed now. */
export const reasonLabels: Record<PendingReason, string> = {
  queued: "Ready",
  spacing: "Spacing between actions",
  break: "On a break",
  outsideWorkingHours: "Outside working hours",
  holiday: "On holiday",
  dailyLimit: "24-hour cap reached",
  weeklyLimit: "7-day cap reached",
  monthlyLimit: "30-day cap reached",
  monthlyNoteLimit: "30-day note cap reached",
  warmup: "Account is warming up",
  cooldown: "Slowed down by the network",
  retry: "Waiting to retry",
  notBefore: "Waiting for the requested time",
  accountPaused: "Account is paused",
  accountNeedsReconnect: "Account needs reconnecting",
  awaitingApproval: "Waiting for approval",
  awaitingPerson: "Waiting for you in the work list",
  awaitingWorker: "Waiting for a worker",
  awaitingVendor: "Waiting for the vendor",
};
