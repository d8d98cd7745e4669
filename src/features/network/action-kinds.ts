import type { Meter, Tier } from "./meter-model.ts";

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

/** What a type of action requires, and which meter counts it besides `all`. */
export type ActionKind = {
  meter: Exclude<Meter, "all" | "notes">;
  /** Whether it includes text for the person. */
  text: "none" | "optional" | "required";
  /** Maximum text length by tier (limits of the network). */
  maxText: Record<Tier, number>;
  /** Display name. */
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
  // About one minute of speech, the longest voice message that the network accepts.
  sendVoiceMessage: { meter: "messages", text: "required", maxText: anyTier(1000), label: "Voice message" },
  visitProfile: { meter: "visits", ...noText, label: "Profile visit" },
  followProfile: { meter: "follows", ...noText, label: "Follow" },
  likePost: { meter: "likes", ...noText, label: "Post reaction" },
  commentPost: { meter: "comments", text: "required", maxText: anyTier(1250), label: "Comment on a post" },
  endorseSkill: { meter: "endorsements", ...noText, label: "Skill endorsement" },
  // Opens the profile, so the network counts it as a visit.
  checkConnectionStatus: { meter: "visits", ...noText, label: "Connection check" },
};

/** Maximum length of an InMail subject (limit of the network). */
export const maxSubjectLength = 200;

/** The meters that count an action. `hasNote`: a connection request with a note. */
export function metersOf(type: ActionType, hasNote: boolean): readonly Meter[] {
  const { meter } = actionKinds[type];
  return meter === "invites" && hasNote ? ["invites", "notes", "all"] : [meter, "all"];
}

/** Whether an action is a connection request with a note, which the network counts separately. */
export function hasNote({ actionType, message }: { actionType: ActionType; message: string | null }): boolean {
  return actionType === "sendConnectionRequest" && message !== null;
}
