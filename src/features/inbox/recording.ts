import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";
import type { ActionType } from "../network/action-kinds.ts";
import { neverAt, openStates, type ActionState } from "../network/action-model.ts";
import type { NetworkChange } from "../network/decisions/changes.ts";
import { conversationId } from "../network/message-ids.ts";
import type { LastMessage, MessageKind, MessageState } from "./model.ts";

// What the inbox stores of changes to actions and of news. Storage applies it in the transaction of the change, so that a
// conversation never differs from what was sent.

/** A conversation as stored. `account`: number of its account. `readTo`: number of the last message that was read. */
export type StoredConversation = LastMessage & {
  id: string;
  workspaceId: WorkspaceId;
  account: number;
  profileKey: string;
  profileUrl: string;
  personName: string | null;
  leadId: string | null;
  unread: number;
  readTo: number;
  assignedTo: UserId | null;
  label: string | null;
  snoozedUntil: number | null;
  receivedAt: number | null;
  createdAt: number;
  updatedAt: number;
};

/** `at`: `neverAt` while it is queued. */
export type RecordedMessage = {
  id: string;
  kind: MessageKind;
  state: MessageState;
  text: string | null;
  at: number;
  userId: UserId | null;
};

/** put: stores the message, or its new state and text. remove: it will not be sent. `at`: when this was known. */
export type Recording =
  | { kind: "put"; person: RecordedPerson; message: RecordedMessage; at: number }
  | { kind: "remove"; messageId: string; at: number };

export type RecordedPerson = {
  account: number;
  workspaceId: WorkspaceId;
  profileKey: string;
  profileUrl: string;
  leadId: string | null;
  /** As the network shows it; null if unknown. */
  name: string | null;
};

/** The length of the voice message that a job has sent; null if there is none, or if something else sent it. */
export function audioSeconds(metadata: Record<string, unknown> | null): number | null {
  const seconds = metadata?.["audioSeconds"];
  return typeof seconds === "number" ? seconds : null;
}

type Subject = RecordedAction & { account: number };
type RecordedAction = {
  jobId: string;
  workspaceId: WorkspaceId;
  actionType: ActionType;
  profileKey: string;
  profileUrl: string;
  leadId: string | null;
  message: string | null;
};

/** What a change means for the inbox; null: nothing. `now`: of changes that do not say when they happened. */
export function recordingOf(change: NetworkChange): Recording | null {
  switch (change.kind) {
    case "reported":
      return reported(change);
    case "insert": {
      const { action, account, job } = change;
      const { createdAt, campaignId } = action;
      const isDone = action.state === "completed";
      const state = isDone ? "sent" : "queued";
      const userId = campaignId === null ? job.userId : null;
      return put({ ...action, account }, state, isDone ? (action.slotAt ?? createdAt) : neverAt, createdAt, userId);
    }
    case "state": {
      const { row, state, at } = change;
      if (state === "canceled") return isMessage(row) ? { kind: "remove", messageId: row.jobId, at } : null;
      const isReopened = openStates.includes(state) && !openStates.includes(row.state);
      return isReopened ? put(row, "queued", neverAt, at) : null;
    }
    case "content": {
      const { row, message, at } = change;
      // A request can lose its note.
      if (message === null) return isMessage(row) ? { kind: "remove", messageId: row.jobId, at } : null;
      return put({ ...row, message }, "queued", neverAt, at);
    }
    case "end": {
      const { row, state, slotAt, at } = change;
      return put(row, stateAfter(state), slotAt ?? at, at);
    }
    default:
      return null;
  }
}

/** `leadName`: the name of the lead, if the conversation is about one. */
export function startConversation(
  { person, at }: Extract<Recording, { kind: "put" }>,
  { accountId, leadName }: { accountId: string; leadName: string | null },
): Omit<StoredConversation, keyof LastMessage> {
  const { account, workspaceId, profileKey, profileUrl, leadId, name } = person;
  return {
    id: conversationId(accountId, profileKey),
    workspaceId,
    account,
    profileKey,
    profileUrl,
    personName: name ?? leadName,
    leadId,
    unread: 0,
    readTo: 0,
    assignedTo: null,
    label: null,
    snoozedUntil: null,
    receivedAt: null,
    createdAt: at,
    updatedAt: at,
  };
}

export type ConversationValues = Partial<StoredConversation>;

/** How a message changes its conversation. `before` null: it starts the conversation. */
export function afterMessage(
  before: StoredConversation | null,
  { person, message, at }: Extract<Recording, { kind: "put" }>,
): ConversationValues & LastMessage {
  const isIncoming = message.state === "received";
  const isNews = before === null || (isNewest(before, message) && message.at >= (before.receivedAt ?? 0));
  return {
    ...(before === null ? lastOf(message, at) : lastAfter(before, message, at)),
    ...(isIncoming && {
      unread: (before?.unread ?? 0) + 1,
      receivedAt: Math.max(before?.receivedAt ?? 0, message.at),
    }),
    // The person has answered, so there is nothing left to wait for. What is reported late may have been said before.
    ...(isIncoming && isNews && { snoozedUntil: null }),
    ...(person.leadId !== null && { leadId: person.leadId }),
    ...(person.name !== null && { personName: person.name }),
    updatedAt: at,
  };
}

/** The part of a message that lists show. */
export function lastOf({ state, text, at: sentAt }: Pick<RecordedMessage, "state" | "text" | "at">, at: number) {
  return { lastAt: state === "queued" ? at : sentAt, lastState: state, lastText: text?.slice(0, maxPreview) ?? null };
}

/** Long enough for two lines of a list. */
export const maxPreview = 160;

function lastAfter(before: StoredConversation, message: RecordedMessage, at: number): LastMessage {
  const { lastAt, lastState, lastText } = before;
  return isNewest(before, message) ? lastOf(message, at) : { lastAt, lastState, lastText };
}

/** What a late message shows is older than what the list shows already. Queued ones are shown only if nothing was sent. */
function isNewest({ lastAt, lastState }: StoredConversation, message: RecordedMessage): boolean {
  if (lastState === "queued") return true;
  return message.state !== "queued" && message.at >= lastAt;
}

function reported({ message }: Extract<NetworkChange, { kind: "reported" }>): Recording {
  const { id, direction, account, workspaceId, profileKey, profileUrl, leadId, personName, text, at } = message;
  const state = direction === "incoming" ? "received" : "sent";
  return {
    kind: "put",
    person: { account, workspaceId, profileKey, profileUrl, leadId, name: personName },
    message: { id, kind: "message", state, text, at, userId: null },
    at,
  };
}

function put(
  action: Subject,
  state: MessageState,
  sentAt: number,
  at: number,
  userId: UserId | null = null,
): Recording | null {
  const kind = kindOf(action);
  if (kind === null) return null;
  const { account, workspaceId, profileKey, profileUrl, leadId, jobId, message } = action;
  return {
    kind: "put",
    person: { account, workspaceId, profileKey, profileUrl, leadId, name: null },
    message: { id: jobId, kind, state, text: message, at: sentAt, userId },
    at,
  };
}

const kinds: Partial<Record<ActionType, MessageKind>> = {
  sendMessage: "message",
  sendInMail: "inMail",
  sendVoiceMessage: "voiceMessage",
  sendConnectionRequest: "connectionRequest",
};

/** Actions without a text for the person, such as requests without a note, are no messages. */
function kindOf({ actionType, message }: Pick<RecordedAction, "actionType" | "message">): MessageKind | null {
  return message === null ? null : (kinds[actionType] ?? null);
}

function isMessage(action: RecordedAction): boolean {
  return kindOf(action) !== null;
}

function stateAfter(state: ActionState): MessageState {
  if (state === "completed") return "sent";
  return state === "unknown" ? "unknown" : "failed";
}
