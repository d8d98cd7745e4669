import { isoTime } from "../../../platform/base/clock.ts";
import type { ActionType } from "../action-kinds.ts";
import {
  messagesOf,
  replyText,
  type News,
  type NewMessage,
  type NotedNews,
  type Relation,
  type ReportedMessage,
} from "../contact-model.ts";
import { conversationId, reportedMessageId } from "../message-ids.ts";
import type { Decision, NetworkChange } from "./changes.ts";
import type { NetworkFacts, StoredAccount, StoredAction, StoredContact } from "./facts.ts";

/** What the decision about news asks for. */
export type NewsFacts = Pick<NetworkFacts, "contact" | "hasLead" | "hasMessage" | "hasSent" | "hasReceived">;

type Person = Pick<StoredAction, "profileKey" | "profileUrl" | "leadId" | "campaignId">;
/** `shown`: the relation that the attempt revealed. */
type Attempt = { wasSent: boolean; shown: Relation | null; reference: string | null };

/** How an attempt changes the relationship between account and person. */
export function contactAfter(
  record: StoredAccount,
  person: Person,
  type: ActionType,
  attempt: Attempt,
  known: StoredContact | null,
  at: number,
): NetworkChange[] {
  const effect = attempt.wasSent ? effectOf(type, at) : null;
  if (effect === null && attempt.shown === null) return [];
  // A late report must not override later changes.
  if (effect !== null && isOutdated(known, at)) delete effect.relation;
  const news = { ...effect, ...(attempt.shown !== null && relationSince(attempt.shown, at)) };
  if (effect !== null && attempt.reference !== null) news.reference = attempt.reference;
  const { leadId, campaignId } = person;
  // Acceptance and replies are credited to the latest sender.
  const owner = leadId === null && known !== null ? {} : { leadId, campaignId };
  const contact = { ...(known ?? newContact(record.seq, person)), ...news, ...owner, updatedAt: at };
  const isAccepted = known?.relation === "pending" && attempt.shown === "connected";
  return [
    { kind: "contact", contact },
    ...(isAccepted ? [contactEvent("connection.accepted", record, { ...known, ...owner }, at)] : []),
  ];
}

/**
 * Stores news about people. The news of the outcome is what was not known yet, about leads and about people the account
 * has contacted. Each message is stored once, whoever wrote it and however late it is reported.
 */
export function decideNews(
  record: StoredAccount,
  news: readonly News[],
  facts: NewsFacts,
  now: number,
): Decision<NotedNews> {
  const contacts = new Map<string, StoredContact | null>();
  const stored = new Set<string>();
  const changes: NetworkChange[] = [];
  const unseen = news.filter((item) => {
    const { profileKey, kind } = item;
    if (isRepeated(record, item, facts)) return false;
    const contact = contacts.get(profileKey) ?? contactOf(record, item, facts);
    const messages = kind === "replied" ? newMessages(record, item, contact, facts, stored) : [];
    for (const message of messages) {
      stored.add(message.id);
      changes.push({ kind: "reported", message }, messageEvent(record, message, contact, now));
    }
    if (contact === null) return false;
    if (kind === "accepted" && contact.relation === "connected") return false;
    const times = kind === "accepted" ? [item.at] : repliesSince(item, messages, contact.repliedAt ?? 0);
    const latest = times.at(-1);
    if (latest === undefined) return false;
    // Up to the last message of the reply, which must not look like another reply later.
    const change = kind === "accepted" ? relationSince("connected", latest) : { repliedAt: latest };
    const changed = { ...contact, ...change, updatedAt: now };
    contacts.set(profileKey, changed);
    const event =
      kind === "accepted"
        ? contactEvent("connection.accepted", record, contact, now)
        : contactEvent("message.replied", record, contact, now, textOf(item, messages));
    const accountId = record.account.id;
    changes.push({ kind: "contact", contact: changed }, event);
    // A report can begin long before the campaign that one of its messages answers.
    for (const at of times)
      changes.push({
        kind: "origin",
        news: { kind: "person", news: kind, accountId, profileKey, at, lastCampaignId: contact.campaignId, now },
      });
    return true;
  });
  return { outcome: { news: unseen, newMessages: stored.size }, changes };
}

/** With the lead with this profile, if none is known yet: also a lead who writes first is in contact. */
function contactOf(
  { seq }: StoredAccount,
  { profileKey, leadId }: News,
  facts: Pick<NetworkFacts, "contact" | "hasLead">,
): StoredContact | null {
  const known = facts.contact(seq, profileKey);
  if (leadId === undefined || (known !== null && known.leadId !== null) || !facts.hasLead(leadId)) return known;
  return { ...(known ?? newContact(seq, { profileKey, profileUrl: profileKey })), leadId };
}

/** A double click, a retry, or two colleagues: without a time, nothing else says whether it is the same reply. */
const repeatMs = 600_000;

function isRepeated(
  { seq }: StoredAccount,
  { profileKey, kind, at, text, isUndated }: News,
  facts: NewsFacts,
): boolean {
  if (kind !== "replied" || isUndated !== true) return false;
  return facts.hasReceived({ account: seq, profileKey, text: text ?? null, from: at - repeatMs, to: at });
}

const isIncoming = ({ isOutgoing }: ReportedMessage) => isOutgoing !== true;

/**
 * When the person replied, after what is known, in order. A report can repeat the whole conversation: what is stored
 * already, maybe from before the account first wrote, is no reply.
 */
function repliesSince({ at, messages: reported }: News, messages: readonly NewMessage[], knownUntil: number): number[] {
  const incoming = messages.filter(({ direction }) => direction === "incoming");
  const times = reported === undefined ? [at] : incoming.map((message) => message.at);
  return times.filter((time) => time > knownUntil).sort((a, b) => a - b);
}

function textOf({ text }: News, messages: readonly NewMessage[]): string | undefined {
  return text ?? replyText(messages.filter(({ direction }) => direction === "incoming").map((each) => each.text)).text;
}

/** Clocks of the network and of outreachd differ, and a text can be sent again later. */
const sameTextMs = 86_400_000;
/** Voice messages have no text to recognize them by. */
const sameVoiceMs = 3_600_000;

/** Those that are neither stored nor in `known`. What an action sent is stored already, with the ID of the action. */
function newMessages(
  record: StoredAccount,
  news: News,
  contact: StoredContact | null,
  facts: Pick<NetworkFacts, "hasMessage" | "hasSent">,
  known: ReadonlySet<string>,
): NewMessage[] {
  const messages = new Map(reportedMessages(record, news, contact).map((message) => [message.id, message]));
  return [...messages.values()].filter(({ id, direction, profileKey, text, at }) => {
    if (known.has(id) || facts.hasMessage(id)) return false;
    if (direction === "incoming") return true;
    const around = text === null ? sameVoiceMs : sameTextMs;
    return !facts.hasSent({ account: record.seq, profileKey, text, from: at - around, to: at + around });
  });
}

function reportedMessages({ seq, account }: StoredAccount, news: News, contact: StoredContact | null): NewMessage[] {
  const { profileKey, personName } = news;
  const conversation = conversationId(account.id, profileKey);
  return messagesOf(news).map((message) => ({
    id: reportedMessageId(conversation, message),
    direction: isIncoming(message) ? "incoming" : "outgoing",
    account: seq,
    accountId: account.id,
    workspaceId: account.workspaceId,
    profileKey,
    profileUrl: contact?.profileUrl ?? profileKey,
    personName: personName ?? null,
    leadId: contact?.leadId ?? null,
    text: message.text,
    at: message.at,
  }));
}

/** Unlike `message.replied`, one for each message, and for people the account has never contacted, too. */
function messageEvent(
  { account }: StoredAccount,
  { id, direction, profileKey, text, at: sentAt }: NewMessage,
  contact: StoredContact | null,
  at: number,
): NetworkChange {
  const subjects = { accountId: account.id, leadId: contact?.leadId ?? null, campaignId: contact?.campaignId ?? null };
  const conversation = conversationId(account.id, profileKey);
  if (direction === "outgoing") {
    const { workspaceId } = account;
    const { accountId, leadId } = subjects;
    const data = { conversationId: conversation, fields: ["messages"] };
    return { kind: "event", event: { type: "conversation.updated", workspaceId, at, accountId, leadId, data } };
  }
  const data = {
    conversationId: conversation,
    messageId: id,
    profileUrl: profileKey,
    text,
    sentAt: isoTime(sentAt),
  };
  return {
    kind: "event",
    event: { type: "message.received", workspaceId: account.workspaceId, at, ...subjects, data },
  };
}

function contactEvent(
  type: "connection.accepted" | "message.replied",
  { account }: StoredAccount,
  { leadId, campaignId, profileKey }: StoredContact,
  at: number,
  text?: string,
): NetworkChange {
  // Includes the profile, so that an erasure finds the text of a person without a lead.
  const data = text === undefined ? {} : { data: { text, profileUrl: profileKey } };
  return {
    kind: "event",
    event: { type, workspaceId: account.workspaceId, at, accountId: account.id, leadId, campaignId, ...data },
  };
}

function newContact(account: number, { profileKey, profileUrl }: Omit<Person, "leadId" | "campaignId">): StoredContact {
  return {
    account,
    profileKey,
    profileUrl,
    relation: "none",
    invitedAt: null,
    withdrawnAt: null,
    connectedAt: null,
    messagedAt: null,
    repliedAt: null,
    reference: null,
    updatedAt: 0,
    leadId: null,
    campaignId: null,
  };
}

/** Whether the relationship has changed since `at`. */
function isOutdated(contact: StoredContact | null, at: number): boolean {
  if (contact === null) return false;
  return [contact.invitedAt, contact.withdrawnAt, contact.connectedAt].some((time) => (time ?? 0) > at);
}

/** Null for actions that do not change the relationship. */
function effectOf(type: ActionType, at: number): Partial<StoredContact> | null {
  switch (type) {
    case "sendConnectionRequest":
      return { relation: "pending", invitedAt: at };
    case "withdrawConnectionRequest":
      return { relation: "none", withdrawnAt: at };
    case "sendMessage":
    case "sendInMail":
    case "sendVoiceMessage":
      return { messagedAt: at };
    default:
      return null;
  }
}

function relationSince(relation: Relation, at: number): Partial<StoredContact> {
  return relation === "connected" ? { relation, connectedAt: at } : { relation };
}
