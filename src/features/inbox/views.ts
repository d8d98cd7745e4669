import { isoTime, isoTimeOrNull } from "../../platform/base/clock.ts";
import { waitOf, waitText } from "../network/texts.ts";
import type {
  Conversation,
  ConversationView,
  MessagePlan,
  MessageView,
  QueuedMessage,
  Snippet,
  SnippetView,
} from "./model.ts";
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

function queuedView(message: QueuedMessage): ConversationView["queuedMessage"] {
  const { id, kind, userId, text, campaignId } = message;
  return { id, kind, text, campaignId, userId, ...planView(message) };
}

export function messageView(message: StoredMessage): MessageView {
  const { id, kind, state, text, at, userId, createdAt, campaignId, seconds } = message;
  const isQueued = state === "queued";
  return {
    id,
    direction: state === "received" ? "incoming" : "outgoing",
    kind,
    state,
    text,
    seconds,
    at: isQueued ? null : isoTime(at),
    ...(isQueued ? planView(message) : { scheduledFor: null, status: problemOf(message) }),
    campaignId,
    userId,
    createdAt: isoTime(createdAt),
  };
}

function problemOf({ state, status }: StoredMessage): string | null {
  return state === "failed" || state === "unknown" ? status : null;
}

function planView(plan: MessagePlan): { scheduledFor: string | null; status: string } {
  const { scheduledFor: slotAt, pendingReason, actionState, accountState } = plan;
  const wait =
    actionState === null || accountState === null
      ? null
      : waitOf({ state: actionState, pendingReason, slotAt }, accountState);
  return {
    scheduledFor: isoTimeOrNull(wait?.until ?? null),
    status: wait === null ? "Being sent" : waitText(wait.reason),
  };
}

export function snippetView({ id, name, text, createdAt, updatedAt }: Snippet): SnippetView {
  return { id, name, text, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
}
