import { Type, type Static } from "@sinclair/typebox";
import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";
import type { AccountState } from "../network/account-model.ts";
import type { ActionState, PendingReason } from "../network/action-model.ts";

export const messageKinds = ["message", "inMail", "voiceMessage", "connectionRequest"] as const;
export type MessageKind = (typeof messageKinds)[number];

/**
 * queued: waits to be sent, or is being sent. unknown: it may or may not have been sent. received: written by the person;
 * all others were written by the account.
 */
export const messageStates = ["queued", "sent", "failed", "unknown", "received"] as const;
export type MessageState = (typeof messageStates)[number];

/** What a conversation led to. `doNotContact` also adds the person to the do-not-contact list. */
export const labels = ["interested", "later", "notInterested", "wrongPerson", "doNotContact"] as const;
export type Label = (typeof labels)[number];

/** The newest message that was sent or received; if there is none, one that is queued. */
export type LastMessage = { lastAt: number; lastState: MessageState; lastText: string | null };

export type Conversation = LastMessage & {
  /** See `conversationId`. */
  id: string;
  workspaceId: WorkspaceId;
  accountId: string;
  profileKey: string;
  profileUrl: string;
  personName: string | null;
  leadId: string | null;
  /** Messages of the person that no one has read. */
  unread: number;
  assignedTo: UserId | null;
  label: Label | null;
  snoozedUntil: number | null;
  /** When the person last wrote; null: never. */
  receivedAt: number | null;
  createdAt: number;
  updatedAt: number;
};

export type Message = {
  /** Of a message that an action sends, the ID of the action; of all others, see `reportedMessageId`. */
  id: string;
  kind: MessageKind;
  state: MessageState;
  /** Null if the network does not provide it, or once it was deleted. */
  text: string | null;
  /** When it was sent; null while it is queued. */
  at: number | null;
  /** The member who wrote it, or who began the campaign; null for incoming messages. */
  userId: UserId | null;
  createdAt: number;
};

/** What says when a message is sent: its action, and the state of the account. All null if no action sends it. */
export type MessagePlan = {
  /** The slot of the action. */
  scheduledFor: number | null;
  pendingReason: PendingReason | null;
  actionState: ActionState | null;
  accountState: AccountState | null;
};

/** The message of a conversation that is sent next. */
export type QueuedMessage = Pick<Message, "id" | "kind" | "userId"> &
  MessagePlan & {
    /** First characters. */
    text: string | null;
    campaignId: string | null;
  };

export type ConversationFilter = {
  unread?: boolean;
  /** Null: those that are assigned to no one. */
  assignedTo?: UserId | null;
  label?: Label;
  /** True: only snoozed ones. False: only those that are not snoozed. */
  isSnoozed?: boolean;
  accountId?: string;
  leadId?: string;
  profileKey?: string;
  /** Whether the person has written. */
  hasReply?: boolean;
  /** See `searchWords`. */
  words?: readonly string[];
  /** With words: also people whose handle, the last part of their profile key, begins so. */
  handle?: string;
};

export type ConversationPlace = { lastAt: number; id: string };

export type ConversationChange = {
  label?: Label | null;
  assignedTo?: UserId | null;
  snoozedUntil?: number | null;
  /** `{ readTo }`: messages up to this one are read; null: all of them. "unread": the latest is to be read again. */
  read?: { readTo: string | null } | "unread";
};

/** Conversations with unread messages that are not snoozed. `mine`: assigned to the user; `unassigned`: to no one. */
export type UnreadCounts = { total: number; mine: number; unassigned: number };

/** A text for replies. */
export type Snippet = {
  id: string;
  workspaceId: WorkspaceId;
  name: string;
  text: string;
  createdAt: number;
  updatedAt: number;
};

const instant = Type.String({ format: "date-time" });
const instantOrNull = Type.Union([instant, Type.Null()]);
const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const LabelType = Type.Union(labels.map((label) => Type.Literal(label)));
const forUser = Type.Optional(Type.String({ description: "User to act as. Required with a global key." }));

const QueuedMessageView = Type.Object({
  id: Type.String({ description: "ID of the message, its action, and its job." }),
  kind: Type.Union(messageKinds.map((kind) => Type.Literal(kind))),
  text: textOrNull("First characters of the text."),
  scheduledFor: Type.Union([instant, Type.Null()], { description: "When it is planned to be sent." }),
  status: Type.String({ description: "What it waits for." }),
  campaignId: textOrNull("Campaign that the message belongs to."),
  userId: textOrNull("Member who wrote it. null for messages of a campaign."),
});

export const ConversationView = Type.Object(
  {
    id: Type.String(),
    accountId: Type.String({ description: "Network account that the person writes with." }),
    profileUrl: Type.String(),
    personName: textOrNull("Name of the person. null if unknown."),
    leadId: textOrNull("Lead the messages are about."),
    unread: Type.Integer({ description: "Number of messages from the person that no one has read." }),
    assignedTo: textOrNull("Member who takes care of the conversation."),
    label: Type.Union([LabelType, Type.Null()], { description: "Outcome of the conversation." }),
    snoozedUntil: instantOrNull,
    lastMessage: Type.Object({
      state: Type.Union(messageStates.map((state) => Type.Literal(state))),
      text: textOrNull("First characters of the text. null if the network does not provide it."),
      at: Type.String({ format: "date-time", description: "When it was sent, or queued." }),
    }),
    queuedMessage: Type.Union([QueuedMessageView, Type.Null()], {
      description:
        "Message to the person that is sent next, such as a reply that waits for working hours. null if none is queued.",
    }),
    receivedAt: Type.Union([instant, Type.Null()], { description: "When the person last wrote. null if never." }),
    createdAt: instant,
    updatedAt: instant,
  },
  { $id: "Conversation", description: "The messages between a network account and a person." },
);
export type ConversationView = Static<typeof ConversationView>;

export const MessageView = Type.Object(
  {
    id: Type.String({ description: "Of an outgoing message, also the ID of its action and its job." }),
    direction: Type.Union([Type.Literal("incoming"), Type.Literal("outgoing")]),
    kind: Type.Union(messageKinds.map((kind) => Type.Literal(kind))),
    state: Type.Union(
      messageStates.map((state) => Type.Literal(state)),
      {
        description:
          "`queued`: waits to be sent, or is being sent. `unknown`: may or may not have been sent. `received`: incoming.",
      },
    ),
    text: textOrNull("null if the network does not provide it, or if it was deleted."),
    seconds: Type.Union([Type.Number(), Type.Null()], {
      description: "Length of a voice message. null until it was sent, if others sent it, and for other messages.",
    }),
    at: Type.Union([instant, Type.Null()], { description: "When it was sent. null while it is queued." }),
    scheduledFor: Type.Union([instant, Type.Null()], { description: "When a queued message is planned to be sent." }),
    status: textOrNull("What a queued message waits for, or why a message was not sent."),
    campaignId: textOrNull("Campaign that the message belongs to."),
    userId: textOrNull("Member who wrote it. null for incoming messages and for those of a campaign."),
    createdAt: instant,
  },
  { $id: "Message" },
);
export type MessageView = Static<typeof MessageView>;

export const maxSnippetName = 80;
const snippetText = Type.String({
  minLength: 1,
  maxLength: 8000,
  description: "Can contain variables of the lead, such as {{firstName|there}}.",
});

export const SnippetView = Type.Object(
  { id: Type.String(), name: Type.String(), text: Type.String(), createdAt: instant, updatedAt: instant },
  { $id: "Snippet", description: "A text for replies." },
);
export type SnippetView = Static<typeof SnippetView>;

export const SnippetInput = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: maxSnippetName }), text: snippetText, userId: forUser },
  { examples: [{ name: "Meeting", text: "Hi {{firstName|there}}, does Tuesday at 10 work for you?" }] },
);
export type SnippetInput = Static<typeof SnippetInput>;

export const SnippetUpdate = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: maxSnippetName })),
  text: Type.Optional(snippetText),
  userId: forUser,
});
export type SnippetUpdate = Static<typeof SnippetUpdate>;

export const ConversationUpdate = Type.Object(
  {
    label: Type.Optional(
      Type.Union([LabelType, Type.Null()], {
        description:
          "`doNotContact` also adds the person to the do-not-contact list, which removing the label does not undo.",
      }),
    ),
    assignedTo: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: "ID of a member, `me`, or null for no one." }),
    ),
    snoozedUntil: Type.Optional(
      Type.Union([instant, Type.Null()], {
        description: "Hide the conversation until this time, or until the person writes. null ends it.",
      }),
    ),
    isRead: Type.Optional(
      Type.Boolean({ description: "true: nothing is unread. false: the last message of the person is unread again." }),
    ),
    readTo: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          "With `isRead: true`, ID of the last message that was read: what has arrived after it stays unread.",
      }),
    ),
    userId: forUser,
  },
  { description: "Updates only the fields that are sent.", examples: [{ label: "interested", isRead: true }] },
);
export type ConversationUpdate = Static<typeof ConversationUpdate>;

export const ReplyInput = Type.Object(
  {
    message: Type.Optional(
      Type.String({
        maxLength: 20_000,
        description: "Text to send or to speak. Can contain variables of the lead, such as {{firstName|there}}.",
      }),
    ),
    snippetId: Type.Optional(Type.String({ description: "Snippet to send instead of `message`." })),
    voiceId: Type.Optional(
      Type.String({ description: "Send a voice message, spoken by this voice clone. Requires `network:voice`." }),
    ),
    dryRun: Type.Optional(
      Type.Boolean({ description: "Perform all checks and choose a time without storing or sending anything." }),
    ),
    userId: forUser,
  },
  { examples: [{ message: "Thanks, {{firstName|there}}! Does Tuesday at 10 work for you?" }] },
);
export type ReplyInput = Static<typeof ReplyInput>;
