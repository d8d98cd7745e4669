import type { WorkspaceId } from "../../platform/base/ids.ts";
import { isBlank, multiLine } from "../../platform/base/text.ts";

/** The relationship between an account and a person on the network. */
export const relations = ["none", "pending", "connected"] as const;
export type Relation = (typeof relations)[number];

/**
 * A person who has not accepted a request (`acceptance`) or replied to a message (`reply`) that was sent at `since`.
 * `hasReplied`: they did at `since`, and may write again.
 */
export type WatchedPerson = {
  profileUrl: string;
  profileKey: string;
  waitsFor: "acceptance" | "reply";
  since: number;
  hasReplied?: true;
  /** The connector's ID of the request or message, if known. Some connectors need it to find a reply. */
  reference?: string | null;
};

export const newsKinds = ["accepted", "replied"] as const;
export type NewsKind = (typeof newsKinds)[number];
/**
 * An acceptance or a reply, and when it happened. `text`: the text of the reply, if the connector provides it. `messages`:
 * its messages, if the connector tells them apart; those that the account wrote are no reply, but part of the conversation.
 * `personName`: the name that the network shows. `leadId`: the lead with this profile.
 */
export type News = {
  profileKey: string;
  kind: NewsKind;
  at: number;
  /** When it happened is unknown: `at` is when it was reported. */
  isUndated?: true;
  text?: string;
  messages?: readonly ReportedMessage[];
  personName?: string;
  leadId?: string;
};

/** A message of a person. `id`: the network's, by which a message that is reported twice is recognized; null if unknown. */
export type IncomingMessage = { id: string | null; at: number; text: string | null };
/** `isOutgoing`: the account wrote it. */
export type ReportedMessage = IncomingMessage & { isOutgoing?: true };

/**
 * `since`: the time up to which the messages of the account have been read; null: this is the first check. `watched`: people
 * who may reply.
 */
export type MessageCheck = { since: number | null; watched: readonly WatchedPerson[] };
/** `readTo`: where the next check continues. */
export type MessagesRead = { news: News[]; readTo: number };

/** New news, and the number of new messages, including those of strangers. */
export type NotedNews = { news: News[]; newMessages: number };

/** A reported message to store. `id`: see `reportedMessageId`. */
export type NewMessage = {
  id: string;
  direction: "incoming" | "outgoing";
  /** Number of its account. */
  account: number;
  accountId: string;
  workspaceId: WorkspaceId;
  profileKey: string;
  profileUrl: string;
  personName: string | null;
  leadId: string | null;
  text: string | null;
  at: number;
};

/** The messages of a reply, oldest first. Without details, it is one message. */
export function messagesOf({ messages, at, text }: News): readonly ReportedMessage[] {
  return messages?.toSorted((a, b) => a.at - b.at) ?? [{ id: null, at, text: text ?? null }];
}

/** Maximum length of messages on the network. */
export const maxReplyLength = 8000;

/** Joins consecutive messages into the text of one reply; empty if none has text. */
export function replyText(messages: readonly (string | null | undefined)[]): Pick<News, "text"> {
  const text = messages
    .map((message) => message?.trim() ?? "")
    .filter((message) => !isBlank(message))
    .join("\n\n");
  return text === "" ? {} : { text: text.slice(0, maxReplyLength).toWellFormed() };
}

/** Messages of a conversation, of which new ones from the person are a reply. */
export function conversationNews(
  { profileKey, personName }: Pick<News, "profileKey" | "personName">,
  messages: readonly ReportedMessage[],
): News {
  const at = Math.min(...messages.map((message) => message.at));
  return { profileKey, kind: "replied", at, messages, ...(personName !== undefined && { personName }) };
}

/** A message with its text as it is stored: null instead of an empty one, and not longer than the network allows. */
export function incoming(id: string | null, at: number, text: string | null | undefined): IncomingMessage {
  return {
    id,
    at,
    text:
      multiLine(text ?? "")
        .trim()
        .slice(0, maxReplyLength)
        .toWellFormed() || null,
  };
}

/** The relationship between an account and a person, as far as it was observed or reported. */
export type Contact = {
  accountId: string;
  profileKey: string;
  profileUrl: string;
  relation: Relation;
  /** When the latest request was sent. */
  invitedAt: number | null;
  withdrawnAt: number | null;
  connectedAt: number | null;
  /** When the latest message was sent. */
  messagedAt: number | null;
  repliedAt: number | null;
  /** The connector's ID of the latest request or message. */
  reference: string | null;
  updatedAt: number;
};
