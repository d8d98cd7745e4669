import { type Clock, parseInstant } from "../../platform/base/clock.ts";
import { ApiError, invalid, notFound } from "../../platform/base/errors.ts";
import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";
import type { NetworkAccount } from "../network/account-model.ts";
import type { NetworkAction } from "../network/action-model.ts";
import type { AccountService } from "../network/account-service.ts";
import type { ActionService } from "../network/action-service.ts";
import type { Scheduler } from "../network/may-use.ts";
import type { LeadOfProfile } from "../network/lead-of-profile.ts";
import type { PersonNames } from "../network/person-names.ts";
import type { SuppressionService } from "../suppression/service.ts";
import type {
  Conversation,
  ConversationChange,
  ConversationFilter,
  ConversationPlace,
  ConversationUpdate,
  ConversationView,
  MessageView,
  ReplyInput,
  UnreadCounts,
} from "./model.ts";
import type { SnippetService } from "./snippets.ts";
import type { InboxStore, StoredMessage } from "./store.ts";
import { conversationView, messageView } from "./views.ts";

export type InboxParts = {
  store: InboxStore;
  accounts: AccountService;
  actions: ActionService;
  snippets: SnippetService;
  suppressions: Pick<SuppressionService, "entryOf">;
  personNames: PersonNames;
  leadOfProfile: LeadOfProfile;
  clock: Clock;
  /** How long texts are retained; 0: forever. */
  messageDays: number;
};

export type Reply = { message: MessageView; isNew: boolean; dryRun: boolean };

const dayMs = 86_400_000;
/** Longest snooze. */
const maxSnoozeMs = 366 * dayMs;
const deletionBatchSize = 500;
/** The same text to the same person within this time is a double click, if the first was sent immediately. */
const repeatMs = 10_000;

/** Conversations with people, and replies to them. */
export class InboxService {
  readonly #parts: InboxParts;

  constructor(parts: InboxParts) {
    this.#parts = parts;
  }

  /** `last`: where the next page starts; null on the last page. */
  async page(
    workspaceId: WorkspaceId,
    filter: ConversationFilter,
    limit: number,
    after: ConversationPlace | null,
  ): Promise<{ conversations: ConversationView[]; total: number; last: ConversationPlace | null }> {
    const { store, clock } = this.#parts;
    const request = { workspaceId, filter, now: clock.now() };
    const read = async () => {
      const found = await store.conversations({ ...request, limit: limit + 1, after });
      const items = found.slice(0, limit);
      const last = found.length > limit ? (items.at(-1) ?? null) : null;
      return { conversations: await this.#views(workspaceId, items), last };
    };
    // Counting can take longer than the rest together.
    const [page, total] = await Promise.all([read(), store.countConversations(request)]);
    return { ...page, total };
  }

  async get(workspaceId: WorkspaceId, id: string): Promise<ConversationView> {
    const conversation = await this.#find(workspaceId, id);
    return this.#view({ ...conversation, leadId: await this.#leadOf(conversation) });
  }

  unread(workspaceId: WorkspaceId, userId: UserId | null): Promise<UnreadCounts> {
    return this.#parts.store.unread(workspaceId, userId, this.#parts.clock.now());
  }

  /** Latest first. Throws NOT_FOUND. */
  async messages(
    workspaceId: WorkspaceId,
    id: string,
    limit: number,
    after: { at: number; seq: number } | null,
  ): Promise<{ messages: MessageView[]; total: number; last: StoredMessage | null }> {
    const { store } = this.#parts;
    await this.#find(workspaceId, id);
    const [found, total] = await Promise.all([
      store.messages(workspaceId, id, limit + 1, after),
      store.countMessages(workspaceId, id),
    ]);
    const items = found.slice(0, limit);
    const last = found.length > limit ? (items.at(-1) ?? null) : null;
    return { messages: items.map(messageView), total, last };
  }

  /** Throws NOT_FOUND, and VALIDATION_ERROR for an assignee who is no active member. */
  async update(
    { workspaceId, userId }: Pick<Scheduler, "workspaceId" | "userId">,
    id: string,
    input: ConversationUpdate,
  ): Promise<ConversationView> {
    const { store, suppressions, clock } = this.#parts;
    const conversation = await this.#find(workspaceId, id);
    const at = clock.now();
    const change = changeOf(input, userId, at);
    const isObjection = change.label === "doNotContact" && conversation.label !== "doNotContact";
    const entry = isObjection ? suppressions.entryOf(workspaceId, conversation.profileKey, "reply") : null;
    const entries = entry === null ? [] : [entry];
    const outcome = await store.change({ workspaceId, id, change, suppressions: entries, at, actorId: userId });
    if (outcome.kind === "absent") throw notFound("conversation", id);
    if (outcome.kind === "notAMember") throw notAMember(change.assignedTo ?? "");
    return this.#view(outcome.conversation);
  }

  /**
   * Sends a message to the person, before the other actions of the account. Safe to repeat while it is queued, and shortly
   * afterwards. Throws NOT_FOUND, VALIDATION_ERROR, DO_NOT_CONTACT, and CONFLICT if the account is not connected.
   */
  async reply(scheduler: Scheduler, id: string, { dryRun = false, ...reply }: ReplyInput): Promise<Reply> {
    const { message: text, snippetId, voiceId } = reply;
    const { store, accounts, actions, snippets, clock } = this.#parts;
    const { workspaceId } = scheduler;
    const conversation = await this.#find(workspaceId, id);
    const { accountId, profileUrl } = conversation;
    const account = await accounts.find(workspaceId, accountId);
    requireConnected(account);
    if ((text === undefined) === (snippetId === undefined))
      throw invalid([{ path: "message", message: "Send either message or snippetId." }]);
    const message = text ?? (await snippets.find(workspaceId, snippetId ?? "")).text;
    const actionType = voiceId === undefined ? "sendMessage" : "sendVoiceMessage";
    const input = { actionType, profileUrl, accountId, message, ...(voiceId !== undefined && { voiceId }) };
    const leadId = await this.#leadOf(conversation);
    const content = { ...input, ...(leadId !== null && { leadId }) };
    const planned = await actions.schedule(scheduler, { ...content, dryRun: true }, { isReply: true });
    const latest = await store.messages(workspaceId, id, 20, null);
    const repeated = latest.find(
      ({ state, text: sent, createdAt }) =>
        state === "sent" && sent === planned.action.message && createdAt > clock.now() - repeatMs,
    );
    if (repeated !== undefined) return { message: messageView(repeated), isNew: false, dryRun };
    if (dryRun)
      return { message: messageView(queuedMessage(planned.action, account, scheduler)), isNew: planned.isNew, dryRun };
    const { action, isNew } = await actions.schedule(scheduler, content, { isReply: true });
    const stored = (await store.messages(workspaceId, id, 20, null)).find((each) => each.id === action.jobId);
    return { isNew, message: messageView(stored ?? queuedMessage(action, account, scheduler)), dryRun };
  }

  /** Deletes texts past their retention, in batches, so that other writes do not have to wait. */
  async deleteOldTexts(): Promise<void> {
    const { store, clock, messageDays } = this.#parts;
    if (messageDays === 0) return;
    const before = clock.now() - messageDays * dayMs;
    while ((await store.deleteTexts(before, deletionBatchSize)) > 0);
  }

  async #find(workspaceId: WorkspaceId, id: string): Promise<Conversation> {
    const conversation = await this.#parts.store.conversation(workspaceId, id);
    if (conversation === null) throw notFound("conversation", id);
    return conversation;
  }

  /** The person may have become a lead after the latest message. */
  async #leadOf({ leadId, workspaceId, profileKey }: Conversation): Promise<string | null> {
    return leadId ?? (await this.#parts.leadOfProfile(workspaceId, profileKey));
  }

  async #view(conversation: Conversation): Promise<ConversationView> {
    const [view] = await this.#views(conversation.workspaceId, [conversation]);
    return view!;
  }

  /** Names of leads and prospects are looked up only for people whose name is not stored. */
  async #views(workspaceId: WorkspaceId, conversations: readonly Conversation[]): Promise<ConversationView[]> {
    const { store, personNames } = this.#parts;
    const unnamed = conversations.filter(({ personName }) => personName === null);
    const ids = conversations.map(({ id }) => id);
    const [names, queued] = await Promise.all([personNames(workspaceId, unnamed), store.queued(workspaceId, ids)]);
    const found = new Map(unnamed.map(({ id }, n) => [id, names[n] ?? null]));
    return conversations.map((each) =>
      conversationView(each, each.personName ?? found.get(each.id) ?? null, queued.get(each.id) ?? null),
    );
  }
}

/** A reply that is not stored, or was sent and left the first page meanwhile. */
function queuedMessage(action: NetworkAction, account: NetworkAccount, { userId }: Scheduler): StoredMessage {
  const { jobId, actionType, message, createdAt, slotAt, pendingReason } = action;
  return {
    ...{ id: jobId, seq: 0, at: createdAt, kind: actionType === "sendMessage" ? "message" : "voiceMessage" },
    ...{ state: "queued", text: message, userId, createdAt, campaignId: null },
    ...{ scheduledFor: slotAt, pendingReason, actionState: action.state, accountState: account.state },
    ...{ status: null, seconds: null },
  };
}

function changeOf(input: ConversationUpdate, userId: UserId | null, now: number): ConversationChange {
  const { label, assignedTo, snoozedUntil, isRead, readTo } = input;
  if (readTo !== undefined && isRead !== true)
    throw invalid([{ path: "readTo", message: "Only supported with isRead: true." }]);
  if (assignedTo === "me" && userId === null)
    throw invalid([{ path: "assignedTo", message: "This key acts for no user. Send the ID of a member." }]);
  return {
    ...(label !== undefined && { label }),
    ...(assignedTo !== undefined && { assignedTo: assignedTo === "me" ? userId : assignedTo }),
    ...(snoozedUntil !== undefined && { snoozedUntil: snoozeOf(snoozedUntil, now) }),
    ...(isRead !== undefined && { read: isRead ? { readTo: readTo ?? null } : "unread" }),
  };
}

function snoozeOf(text: string | null, now: number): number | null {
  if (text === null) return null;
  const at = parseInstant(text);
  if (at === null || at <= now || at > now + maxSnoozeMs)
    throw invalid([{ path: "snoozedUntil", message: "Expected a time in the future, within a year." }]);
  return at;
}

function notAMember(userId: UserId): ApiError {
  const message = `${userId} is not the ID of an active member of the workspace. GET /api/v2/members lists them.`;
  return invalid([{ path: "assignedTo", message }]);
}

/** A reply of a person is written to be read soon. A paused account sends it once it is active again. */
function requireConnected({ state, stateReason, name, id }: NetworkAccount): void {
  if (state !== "needsReconnect") return;
  const reason = stateReason === null ? "" : ` (${stateReason.replace(/\.$/, "")})`;
  throw new ApiError("CONFLICT", {
    message: `Reply not sent: the account "${name}" is signed out of the network${reason}. Reconnect it, then set its state to active with PATCH /api/v2/network/accounts/${id}.`,
    details: { reason: "accountNeedsReconnect", accountId: id },
  });
}
