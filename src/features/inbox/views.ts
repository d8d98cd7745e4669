import { isoTime, isoTimeOrNull } from "../../platform/base/clock.ts";
import { neverAt } from "../network/action-model.ts";
import { waitText } from "../network/texts.ts";
import type { Conversation, ConversationView, MessageView, Snippet, SnippetView } from "./model.ts";
import type { StoredMessage } from "./store.ts";

export function conversationView(conversation: Conversation, personName: string | null): ConversationView {
  const { id, accountId, profileUrl, leadId, unread, assignedTo, label } = conversation;
  const { lastAt, lastState, lastText, snoozedUntil, receivedAt, createdAt, updatedAt } = conversation;
  return {
    id,
    accountId,
    profileUrl,
    personName,
    leadId,
    unread,
    assignedTo,
    label,
    snoozedUntil: isoTimeOrNull(snoozedUntil),
    lastMessage: { state: lastState, text: lastText, at: isoTime(lastAt) },
    receivedAt: isoTimeOrNull(receivedAt),
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}

export function messageView(message: StoredMessage): MessageView {
  const { id, kind, state, text, at, userId, createdAt, campaignId, scheduledFor, pendingReason, seconds } = message;
  const isQueued = state === "queued";
  return {
    id,
    direction: state === "received" ? "incoming" : "outgoing",
    kind,
    state,
    text,
    seconds,
    at: isQueued ? null : isoTime(at),
    scheduledFor: isQueued && scheduledFor !== null && scheduledFor < neverAt ? isoTime(scheduledFor) : null,
    status: statusOf(message, pendingReason),
    campaignId,
    userId,
    createdAt: isoTime(createdAt),
  };
}

function statusOf({ state, status }: StoredMessage, reason: StoredMessage["pendingReason"]): string | null {
  if (state === "queued") return reason === null ? "Being sent" : waitText(reason);
  return state === "failed" || state === "unknown" ? status : null;
}

export function snippetView({ id, name, text, createdAt, updatedAt }: Snippet): SnippetView {
  return { id, name, text, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
}
