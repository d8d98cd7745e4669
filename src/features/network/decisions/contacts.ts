import { isoTime } from "../../../platform/base/clock.ts";
import type { ActionType } from "../action-kinds.ts";
import { messagesOf, type News, type ReceivedMessage, type Relation } from "../contact-model.ts";
import { conversationId, incomingMessageId } from "../message-ids.ts";
import type { Decision, NetworkChange } from "./changes.ts";
import type { NetworkFacts, StoredAccount, StoredAction, StoredContact } from "./facts.ts";

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
 * Stores news about people. The outcome is the news that was not known yet, about people the account has contacted. Each
 * message is stored once, whoever wrote it and however late it is reported.
 */
export function decideNews(
  record: StoredAccount,
  news: readonly News[],
  facts: Pick<NetworkFacts, "contact" | "hasMessage">,
  now: number,
): Decision<News[]> {
  const contacts = new Map<string, StoredContact | null>();
  const received = new Set<string>();
  const changes: NetworkChange[] = [];
  const outcome = news.filter((item) => {
    const { profileKey, kind, at, text } = item;
    const contact = contacts.get(profileKey) ?? facts.contact(record.seq, profileKey);
    if (kind === "replied")
      for (const message of newMessages(record, item, contact)) {
        if (received.has(message.id) || facts.hasMessage(message.id)) continue;
        received.add(message.id);
        changes.push({ kind: "received", message }, receivedEvent(record, message, contact, now));
      }
    if (contact === null) return false;
    if (kind === "accepted" && contact.relation === "connected") return false;
    if (kind === "replied" && (contact.repliedAt ?? 0) >= at) return false;
    // Up to the last message of the reply, which must not look like another reply later.
    const repliedAt = Math.max(at, ...(item.messages ?? []).map((message) => message.at));
    const change = kind === "accepted" ? relationSince("connected", at) : { repliedAt };
    const changed = { ...contact, ...change, updatedAt: now };
    contacts.set(profileKey, changed);
    const event =
      kind === "accepted"
        ? contactEvent("connection.accepted", record, contact, now)
        : contactEvent("message.replied", record, contact, now, text);
    const accountId = record.account.id;
    changes.push({ kind: "contact", contact: changed }, event, {
      kind: "origin",
      news: { kind: "person", news: kind, accountId, profileKey, at, lastCampaignId: contact.campaignId, now },
    });
    return true;
  });
  return { outcome, changes };
}

function newMessages({ seq, account }: StoredAccount, news: News, contact: StoredContact | null): ReceivedMessage[] {
  const { profileKey, personName } = news;
  const conversation = conversationId(account.id, profileKey);
  return messagesOf(news).map((message) => ({
    id: incomingMessageId(conversation, message),
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
function receivedEvent(
  { account }: StoredAccount,
  { id, profileKey, text, at: sentAt }: ReceivedMessage,
  contact: StoredContact | null,
  at: number,
): NetworkChange {
  const subjects = { accountId: account.id, leadId: contact?.leadId ?? null, campaignId: contact?.campaignId ?? null };
  const data = {
    conversationId: conversationId(account.id, profileKey),
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

function newContact(account: number, { profileKey, profileUrl }: Person): StoredContact {
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
