import { isoTime, isoTimeOrNull } from "../../platform/base/clock.ts";
import { neverAt, type PendingReason } from "../network/action-model.ts";
import { waitText } from "../network/texts.ts";
import type { Conversation, ConversationView, MessageView, QueuedMessage, Snippet, SnippetView } from "./model.ts";
import type { StoredMessage } from "./store.ts";

export function conversationView(
  conversation: Conversation,
  personName: string | null,
  queued: QueuedMessage | null,
): ConversationView {
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
    queuedMessage: queued === null ? null : queuedView(queued),
    receivedAt: isoTimeOrNull(receivedAt),
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}

function queuedView({ scheduledFor, pendingReason, ...message }: QueuedMessage): ConversationView["queuedMessage"] {
  return { ...message, scheduledFor: plannedTime(scheduledFor), status: waitStatus(pendingReason) };
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
    scheduledFor: isQueued ? plannedTime(scheduledFor) : null,
    status: statusOf(message, pendingReason),
    campaignId,
    userId,
    createdAt: isoTime(createdAt),
  };
}

function statusOf({ state, status }: StoredMessage, reason: StoredMessage["pendingReason"]): string | null {
  if (state === "queued") return waitStatus(reason);
  return state === "failed" || state === "unknown" ? status : null;
}

function waitStatus(reason: PendingReason | null): string {
  return reason === null ? "Being sent" : waitText(reason);
}

function plannedTime(slotAt: number | null): string | null {
  return slotAt !== null && slotAt < neverAt ? isoTime(slotAt) : null;
}

export function snippetView({ id, name, text, createdAt, updatedAt }: Snippet): SnippetView {
  return { id, name, text, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
}
