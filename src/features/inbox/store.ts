import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";
import type { Suppression } from "../suppression/model.ts";
import type {
  Conversation,
  ConversationChange,
  ConversationFilter,
  ConversationPlace,
  Message,
  MessagePlan,
  QueuedMessage,
  Snippet,
  UnreadCounts,
} from "./model.ts";

export type ConversationPageRequest = {
  workspaceId: WorkspaceId;
  filter: ConversationFilter;
  limit: number;
  /** The last conversation of the previous page; null: start with the first page. */
  after: ConversationPlace | null;
  now: number;
};

/** `null`: the conversation does not exist. "notAMember": the assignee is not an active member. */
export type ConversationOutcome =
  | { kind: "changed"; conversation: Conversation }
  | { kind: "absent" }
  | { kind: "notAMember" };

/** A message with what is stored about its action. `at`: `neverAt` while it is queued. */
export type StoredMessage = Omit<Message, "at"> &
  MessagePlan & {
    seq: number;
    at: number;
    campaignId: string | null;
    /** The message of its job. */
    status: string | null;
    /** Length of a voice message; null if unknown. */
    seconds: number | null;
  };

export type SnippetOutcome = { kind: "stored"; snippet: Snippet } | { kind: "absent" } | { kind: "nameTaken" };

/** Messages are recorded by the network's stores, in the transactions that send and receive them. */
export type InboxStore = {
  /**
   * Latest message first. With words, of conversations whose name or one of the latest matching messages has them all, or
   * words that begin with them (see `enoughExact`).
   */
  conversations(request: ConversationPageRequest): Promise<Conversation[]>;
  /** Total of all pages, counted up to 10,000. */
  countConversations(request: Omit<ConversationPageRequest, "limit" | "after">): Promise<number>;
  conversation(workspaceId: WorkspaceId, id: string): Promise<Conversation | null>;
  /** The message that is sent next, by the ID of the conversation; conversations without a queued one are absent. */
  queued(workspaceId: WorkspaceId, conversationIds: readonly string[]): Promise<Map<string, QueuedMessage>>;
  /** Latest first; queued ones before all others. `after`: number of the last message of the previous page. */
  messages(
    workspaceId: WorkspaceId,
    conversationId: string,
    limit: number,
    after: { at: number; seq: number } | null,
  ): Promise<StoredMessage[]>;
  /** Counted up to 10,000. */
  countMessages(workspaceId: WorkspaceId, conversationId: string): Promise<number>;
  /**
   * Changes a conversation and emits the event in one transaction, with the entries of the do-not-contact list that the
   * change adds.
   */
  change(request: {
    workspaceId: WorkspaceId;
    id: string;
    change: ConversationChange;
    suppressions: readonly Suppression[];
    at: number;
    actorId: UserId | null;
  }): Promise<ConversationOutcome>;
  /** Without those that are snoozed at `now`. */
  unread(workspaceId: WorkspaceId, userId: UserId | null, now: number): Promise<UnreadCounts>;
  /** Deletes the texts of up to `limit` messages that were sent before this time. Returns how many. */
  deleteTexts(before: number, limit: number): Promise<number>;

  addSnippet(snippet: Snippet): Promise<SnippetOutcome>;
  /** By name. */
  snippets(workspaceId: WorkspaceId, limit: number, after: string | null): Promise<Snippet[]>;
  countSnippets(workspaceId: WorkspaceId): Promise<number>;
  snippet(workspaceId: WorkspaceId, id: string): Promise<Snippet | null>;
  updateSnippet(
    workspaceId: WorkspaceId,
    id: string,
    change: { name?: string; text?: string; updatedAt: number },
  ): Promise<SnippetOutcome>;
  removeSnippet(workspaceId: WorkspaceId, id: string): Promise<boolean>;
};
