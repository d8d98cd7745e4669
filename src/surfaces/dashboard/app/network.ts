import type { AccountView } from "../../../features/network/account-model.ts";
import type { ActionView, PendingReason } from "../../../features/network/action-model.ts";
import { getAll } from "./api.ts";
import { useResource, type Resource } from "./resource.ts";

export type AccountList = { accounts: AccountView[] };

export type ActionType = ActionView["actionType"];

/** The network accounts of the person. */
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

type KindWords = { label: string; text: "none" | "optional" | "required"; textLabel?: string };

/** What the kinds of action are called here, and whether they carry a text. */
export const actionWords: Record<ActionType, KindWords> = {
  sendConnectionRequest: { label: "Connection request", text: "optional", textLabel: "Note" },
  sendMessage: { label: "Message", text: "required", textLabel: "Message" },
  sendInMail: { label: "InMail", text: "required", textLabel: "Message" },
  sendVoiceMessage: { label: "Voice message", text: "required", textLabel: "What the voice says" },
  visitProfile: { label: "Profile visit", text: "none" },
  followProfile: { label: "Follow", text: "none" },
  likePost: { label: "Post reaction", text: "none" },
  commentPost: { label: "Comment on a post", text: "required", textLabel: "Comment" },
  endorseSkill: { label: "Skill endorsement", text: "none" },
  checkConnectionStatus: { label: "Connection check", text: "none" },
  withdrawConnectionRequest: { label: "Request withdrawal", text: "none" },
};

/** Why an action does not go now, in few words. */
export const reasonWords: Record<PendingReason, string> = {
  queued: "Ready",
  spacing: "Spacing after the previous action",
  break: "End of a break",
  outsideWorkingHours: "Working hours",
  dailyLimit: "24-hour cap reached",
  weeklyLimit: "7-day cap reached",
  monthlyLimit: "30-day cap reached",
  monthlyNoteLimit: "30-day note limit reached",
  warmup: "Account is warming up",
  cooldown: "The network asked to slow down",
  retry: "Retry",
  notBefore: "Requested time",
  accountPaused: "Account is paused",
  accountNeedsReconnect: "Account must be reconnected",
  awaitingApproval: "Waiting for approval",
  awaitingPerson: "Waiting for you in the work list",
  awaitingWorker: "A worker",
  awaitingVendor: "Word of the vendor",
};
