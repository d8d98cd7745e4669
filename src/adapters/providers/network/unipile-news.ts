import { isoTime } from "../../../platform/base/clock.ts";
import { canonicalProfileUrl } from "../../../platform/identity/profile-url.ts";
import { incoming, replyText, type News, type WatchedPerson } from "../../../features/network/contact-model.ts";
import { newsOrNone } from "./ending.ts";
import { Attendee, Messages, Relations, type UnipileApi } from "./unipile-api.ts";
import { nameIn } from "./profile-address.ts";

/** Limits of one check; the next one continues with the people who are still awaited. */
const maxPages = 10;
const maxAttendees = 50;

/** Finds out which watched people accepted or replied. Skips what cannot be queried now. */
export async function newsOf(api: UnipileApi, watched: readonly WatchedPerson[]): Promise<News[]> {
  const awaiting = (what: WatchedPerson["waitsFor"]) => watched.filter(({ waitsFor }) => waitsFor === what);
  const [accepted, replied] = await Promise.all([
    newsOrNone(() => acceptances(api, awaiting("acceptance"))),
    newsOrNone(() => replies(api, awaiting("reply"))),
  ]);
  return [...accepted, ...replied];
}

/** People in the list of connections, newest first, have accepted. */
async function acceptances(api: UnipileApi, watched: readonly WatchedPerson[]): Promise<News[]> {
  const awaited = new Map(watched.map((one) => [nameOf(one), one]));
  const news: News[] = [];
  const oldest = Math.min(...watched.map(({ since }) => since));
  let cursor: string | null = "";
  for (let pages = 0; awaited.size > 0 && cursor !== null && pages < maxPages; pages++) {
    const query: Record<string, string> = { limit: "100", ...(cursor && { cursor }) };
    const page: typeof Relations.static = await api.read({ path: "users/relations", query, schema: Relations });
    for (const { member_id: id, public_identifier: name, created_at: at } of page.items) {
      const one = awaited.get(name?.toLowerCase() ?? "") ?? awaited.get(id?.toLowerCase() ?? "");
      if (one === undefined) continue;
      awaited.delete(nameOf(one));
      news.push({ profileKey: one.profileKey, kind: "accepted", at: Math.max(at ?? 0, one.since) });
    }
    const isOlder = page.items.every(({ created_at: at }) => typeof at === "number" && at < oldest);
    cursor = page.items.length === 0 || isOlder || !page.cursor ? null : page.cursor;
  }
  return news;
}

type Received = { id: string | null; chatId: string; senderId: string; attendeeId: string; at: number; text: string };

/** Matches all messages since then by the chat of our message, otherwise by the profile of the sender. */
async function replies(api: UnipileApi, watched: readonly WatchedPerson[]): Promise<News[]> {
  if (watched.length === 0) return [];
  const received = await messagesSince(api, Math.min(...watched.map(({ since }) => since)));
  const profileOf = await profilesOf(api, watched.some((one) => chatOf(one) === null) ? received : []);
  // There can be thousands of people and of messages.
  const byChat = Map.groupBy(received, ({ chatId }) => chatId);
  const bySender = Map.groupBy(received, ({ senderId }) => senderId.toLowerCase());
  const byProfile = Map.groupBy(received, ({ senderId }) => profileOf.get(senderId));
  return watched.flatMap((one) => {
    const chat = chatOf(one);
    const ofChat = chat === null ? undefined : byChat.get(chat);
    const found = [ofChat, bySender.get(nameOf(one)), byProfile.get(one.profileKey)];
    const answers = new Set(found.flatMap((messages) => messages ?? []).filter(({ at }) => at > one.since));
    if (answers.size === 0) return [];
    const inOrder = [...answers].sort((a, b) => a.at - b.at);
    const text = replyText(inOrder.map((message) => message.text));
    const messages = inOrder.map(({ id, at, text: written }) => incoming(id, at, written));
    return [{ profileKey: one.profileKey, kind: "replied" as const, at: inOrder[0]!.at, ...text, messages }];
  });
}

async function messagesSince(api: UnipileApi, since: number): Promise<Received[]> {
  const received: Received[] = [];
  let cursor: string | null = "";
  for (let pages = 0; cursor !== null && pages < maxPages; pages++) {
    const query: Record<string, string> = { after: isoTime(since), limit: "250", ...(cursor && { cursor }) };
    const page: typeof Messages.static = await api.read({ path: "messages", query, schema: Messages });
    for (const { is_sender: isOurs, timestamp, text, ...from } of page.items) {
      const at = Date.parse(timestamp);
      if (isOurs || Number.isNaN(at)) continue;
      const { id = null, chat_id: chatId, sender_id: senderId, sender_attendee_id: attendeeId } = from;
      received.push({
        id,
        chatId: chatId ?? "",
        senderId: senderId ?? "",
        attendeeId: attendeeId ?? "",
        at,
        text: text ?? "",
      });
    }
    cursor = page.items.length > 0 && page.cursor ? page.cursor : null;
  }
  return received;
}

/** Canonical profile URLs of the senders, by sender ID. */
async function profilesOf(api: UnipileApi, received: readonly Received[]): Promise<Map<string, string>> {
  const attendees = new Map(received.map(({ senderId, attendeeId }) => [senderId, attendeeId || senderId]));
  const profiles = new Map<string, string>();
  for (const [senderId, attendeeId] of [...attendees].slice(0, maxAttendees)) {
    const path = `chat_attendees/${encodeURIComponent(attendeeId)}`;
    const { profile_url: url } = await api.read({ path, schema: Attendee });
    const key = canonicalProfileUrl(url ?? "");
    if (key !== null) profiles.set(senderId, key);
  }
  return profiles;
}

function nameOf({ profileUrl }: WatchedPerson): string {
  return nameIn(profileUrl)?.toLowerCase() ?? "";
}

function chatOf({ reference }: WatchedPerson): string | null {
  const [chatId = "", messageId] = reference?.split("/") ?? [];
  return chatId !== "" && messageId !== undefined ? chatId : null;
}
