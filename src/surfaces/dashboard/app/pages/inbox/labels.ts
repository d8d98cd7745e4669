import type { ConversationView, MessageView } from "../../../../../features/inbox/model.ts";
import { handleOf } from "../../person.ts";
import { shortTime } from "../../short-time.ts";
import type { Tone } from "../../ui/badge.tsx";

export type Label = NonNullable<ConversationView["label"]>;

export const labelNames: Record<Label, { tone: Tone; label: string }> = {
  interested: { tone: "good", label: "Interested" },
  later: { tone: "info", label: "Later" },
  notInterested: { tone: "neutral", label: "Not interested" },
  wrongPerson: { tone: "neutral", label: "Wrong person" },
  doNotContact: { tone: "bad", label: "Do not contact" },
};
export const labelList = Object.keys(labelNames) as Label[];

export const kindNames: Record<MessageView["kind"], string> = {
  message: "Message",
  inMail: "InMail",
  voiceMessage: "Voice message",
  connectionRequest: "Connection request",
};

export const stateNames: Record<MessageView["state"], string> = {
  queued: "Queued",
  sent: "Sent",
  failed: "Not sent",
  unknown: "Possibly sent",
  received: "Received",
};

export function nameOfPerson({ personName, profileUrl }: Pick<ConversationView, "personName" | "profileUrl">): string {
  return personName ?? handleOf(profileUrl);
}

/** The name of the network, to be corrected by the user: everything after the first word is the last name. */
export function namesOf({ personName }: Pick<ConversationView, "personName">): { firstName: string; lastName: string } {
  const [firstName = "", ...rest] = personName?.trim().split(/\s+/) ?? [];
  return { firstName, lastName: rest.join(" ") };
}

type Queued = NonNullable<ConversationView["queuedMessage"]>;

/** Who answers the person, and when: "You, queued for 14:30". `author`: name of a member. */
export function queuedTitle({ campaignId, scheduledFor }: Queued, author: string): string {
  const when = scheduledFor === null ? "queued" : `queued for ${shortTime(scheduledFor)}`;
  return `${campaignId === null ? author : "Campaign"}, ${when}`;
}

/** The last message as one line. */
export function previewOf({ lastMessage: { state, text } }: ConversationView): string {
  const shown = text ?? "Text not available";
  if (state === "received") return shown;
  return state === "sent" ? `You: ${shown}` : `${stateNames[state]}: ${shown}`;
}
