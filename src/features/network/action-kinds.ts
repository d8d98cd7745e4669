import type { Meter, Tier } from "./account-model.ts";

export const actionTypes = [
  "sendConnectionRequest",
  "withdrawConnectionRequest",
  "sendMessage",
  "sendInMail",
  "sendVoiceMessage",
  "visitProfile",
  "followProfile",
  "likePost",
  "commentPost",
  "endorseSkill",
  "checkConnectionStatus",
] as const;
export type ActionType = (typeof actionTypes)[number];

/** What a kind of action needs, and which meter it is counted by besides `all`. */
export type ActionKind = {
  meter: Exclude<Meter, "all" | "notes">;
  /** Whether it carries a text for the person. */
  text: "none" | "optional" | "required";
  /** Longest text by the tier of the account (limits of the network). */
  maxText: Record<Tier, number>;
  /** What the service tells a person who reads a list of actions. */
  label: string;
};

const anyTier = (length: number): Record<Tier, number> => ({ free: length, premium: length, salesNavigator: length });
const noText = { text: "none", maxText: anyTier(0) } as const;
const message = { text: "required", maxText: anyTier(8000) } as const;

export const actionKinds: Record<ActionType, ActionKind> = {
  sendConnectionRequest: {
    meter: "invites",
    text: "optional",
    maxText: { free: 200, premium: 300, salesNavigator: 300 },
    label: "Connection request",
  },
  withdrawConnectionRequest: { meter: "withdrawals", ...noText, label: "Withdrawal of a connection request" },
  sendMessage: { meter: "messages", ...message, label: "Message" },
  sendInMail: { meter: "inMails", text: "required", maxText: anyTier(1900), label: "InMail" },
  // Spoken, not read: about a minute, the longest voice message that the network takes.
  sendVoiceMessage: { meter: "messages", text: "required", maxText: anyTier(1000), label: "Voice message" },
  visitProfile: { meter: "visits", ...noText, label: "Profile visit" },
  followProfile: { meter: "follows", ...noText, label: "Follow" },
  likePost: { meter: "likes", ...noText, label: "Post reaction" },
  commentPost: { meter: "comments", text: "required", maxText: anyTier(1250), label: "Comment on a post" },
  endorseSkill: { meter: "endorsements", ...noText, label: "Skill endorsement" },
  // Looks at the profile, so the network counts it as a visit.
  checkConnectionStatus: { meter: "visits", ...noText, label: "Connection check" },
};

/** Longest subject of an InMail (limit of the network). */
export const maxSubjectLength = 200;

/** The meters that one action takes from; `hasNote`: a connection request with a text. */
export function metersOf(type: ActionType, hasNote: boolean): readonly Meter[] {
  const { meter } = actionKinds[type];
  return meter === "invites" && hasNote ? ["invites", "notes", "all"] : [meter, "all"];
}

/** Whether an action is a connection request with a note, which the network counts separately. */
export function hasNote({ actionType, message }: { actionType: ActionType; message: string | null }): boolean {
  return actionType === "sendConnectionRequest" && message !== null;
}
