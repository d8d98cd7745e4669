import { isoTime, type Clock } from "../../../platform/base/clock.ts";
import { canonicalProfileUrl } from "../../../platform/identity/profile-url.ts";
import {
  conversationNews,
  incoming,
  type MessageCheck,
  type MessagesRead,
  type ReportedMessage,
  type WatchedPerson,
} from "../../../features/network/contact-model.ts";
import { Ending } from "./ending.ts";
import { nameIn } from "./profile-address.ts";
import { RecentMap } from "./recent-map.ts";
import { Attendee, Chat, Messages, Profile, type UnipileApi } from "./unipile-api.ts";
import { watchedName } from "./unipile-news.ts";

const dayMs = 86_400_000;
/** The vendor can list a message some minutes after it was sent. */
const overlapMs = 3_600_000;
/** Pages of 250 messages, newest first. A check usually needs one. */
const maxPages = 20;
/** Chats per check whose person is unknown: each costs up to three calls. The next check continues with the others. */
const maxNewChats = 30;
/**
 * Profiles per account and day. The vendor advises against more than 80 to 100 of them (its provider limits), which
 * actions need, too.
 */
const maxProfiles = 40;

/** The other person of a chat between two; null for group chats and advertisements. */
type Person = { profileKey: string; personName?: string } | null;
type Watched = { byChat: Map<string, WatchedPerson>; byName: Map<string, WatchedPerson> };

/** Reads the messages of whole accounts. Whom a chat is with is only looked up once, and stored in this process. */
export class UnipileInbox {
  readonly #clock: Clock;
  readonly #people = new RecentMap<string, Person>(50_000);
  /** When profiles were read within the last day, by account. */
  readonly #profileReads = new RecentMap<string, number[]>(10_000);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws the `Ending` of a failed call, so that the next check repeats this one. */
  async read(api: UnipileApi, { since, watched: people }: MessageCheck): Promise<MessagesRead> {
    const recent = since ?? this.#clock.now() - dayMs;
    // The first check looks for the replies of people who were messaged before.
    const from = since === null ? Math.min(recent, ...people.map((one) => one.since)) : since - overlapMs;
    const messages = await messagesAfter(api, from);
    const watched = {
      byChat: new Map(people.flatMap((one) => chatOf(one).map((chatId) => [chatId, one]))),
      byName: new Map(people.map((one) => [watchedName(one), one])),
    };
    const awaitedSince = new Map(people.map((one) => [one.profileKey, one.since]));
    const oldest = (person: Person) => (since === null ? (awaitedSince.get(person?.profileKey ?? "") ?? recent) : from);
    const read: MessagesRead = { news: [], readTo: Math.max(recent, ...messages.map(({ at }) => at)) };
    let newChats = 0;
    for (const [chatId, written] of Map.groupBy(messages, (message) => message.chatId)) {
      const isAwaited = watched.byChat.has(chatId) || written.some(({ senderId }) => watched.byName.has(senderId));
      if (since === null && !isAwaited && written.every(({ at }) => at <= recent)) continue;
      let person = this.#known(api, chatId, watched);
      if (person === undefined && newChats++ < maxNewChats) person = await this.#lookUp(api, chatId, watched);
      if (person === undefined) read.readTo = Math.min(read.readTo, ...written.map(({ at }) => at));
      else if (person !== null) {
        const reported = written.filter(({ at }) => at > oldest(person)).map(({ message }) => message);
        if (reported.length > 0) read.news.push(conversationNews(person, reported));
      }
    }
    return read;
  }

  #known(api: UnipileApi, chatId: string, { byChat }: Watched): Person | undefined {
    // We started the chat of our message, with this person only.
    return byChat.get(chatId) ?? this.#people.get(nameOf(api, chatId));
  }

  /** Undefined: not now. */
  async #lookUp(api: UnipileApi, chatId: string, { byName }: Watched): Promise<Person | undefined> {
    const person = await this.#personOf(api, chatId, byName);
    if (person !== undefined) this.#people.set(nameOf(api, chatId), person);
    return person;
  }

  async #personOf(api: UnipileApi, chatId: string, byName: Watched["byName"]): Promise<Person | undefined> {
    const chat = await orRefused(api.read({ path: `chats/${encodeURIComponent(chatId)}`, schema: Chat }));
    const memberId = chat?.attendee_provider_id;
    if (!memberId || chat?.type !== 0 || advertisements.has(chat.content_type ?? "")) return null;
    const watched = byName.get(memberId.toLowerCase());
    if (watched !== undefined) return { profileKey: watched.profileKey };
    const path = `chat_attendees/${encodeURIComponent(memberId)}`;
    const attendee = await orRefused(api.read({ path, schema: Attendee }));
    const name = nameIn(attendee?.profile_url ?? "");
    const isName = name !== null && name.toLowerCase() !== memberId.toLowerCase();
    if (!isName && !this.#mayReadProfile(api)) return undefined;
    const publicName = isName ? name : await publicNameOf(api, memberId);
    const profileKey = canonicalProfileUrl(`https://www.linkedin.com/in/${encodeURIComponent(publicName)}`);
    const personName = attendee?.name?.trim();
    return profileKey === null ? null : { profileKey, ...(personName && { personName }) };
  }

  #mayReadProfile({ accountId }: UnipileApi): boolean {
    const now = this.#clock.now();
    const reads = (this.#profileReads.get(accountId) ?? []).filter((at) => at > now - dayMs);
    const may = reads.length < maxProfiles;
    this.#profileReads.set(accountId, may ? [...reads, now] : reads);
    return may;
  }
}

const advertisements = new Set(["sponsored", "linkedin_offer"]);

type Listed = { chatId: string; senderId: string; at: number; message: ReportedMessage };

/** Newest first. */
async function messagesAfter(api: UnipileApi, since: number): Promise<Listed[]> {
  const listed: Listed[] = [];
  let cursor: string | null = "";
  for (let pages = 0; cursor !== null && pages < maxPages; pages++) {
    const query: Record<string, string> = { after: isoTime(since), limit: "250", ...(cursor && { cursor }) };
    const page: typeof Messages.static = await api.read({ path: "messages", query, schema: Messages });
    for (const { id = null, chat_id: chatId, sender_id: senderId, timestamp, text, ...flags } of page.items) {
      const at = Date.parse(timestamp);
      // Without its chat, nothing says whose message it is. Events are notes of the network, such as a change of the name.
      if (!chatId || Number.isNaN(at) || flags.is_event || flags.deleted) continue;
      const message = { ...incoming(id, at, text), ...(flags.is_sender && { isOutgoing: true as const }) };
      listed.push({ chatId, senderId: senderId?.toLowerCase() ?? "", at, message });
    }
    cursor = page.items.length > 0 && page.cursor ? page.cursor : null;
  }
  return listed;
}

/** By its public name, a person is recognized as a lead. The ID, if the network does not show the profile. */
async function publicNameOf(api: UnipileApi, memberId: string): Promise<string> {
  const profile = await orRefused(api.read({ path: `users/${encodeURIComponent(memberId)}`, schema: Profile }));
  return profile?.public_identifier || memberId;
}

/** Null if the vendor refuses this object; what stops the whole check is thrown. */
async function orRefused<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Ending && error.outcome.kind === "refused") return null;
    throw error;
  }
}

function nameOf({ accountId }: UnipileApi, chatId: string): string {
  return `${accountId} ${chatId}`;
}

/** The chat of the message to a person, if the reference names one. */
function chatOf({ reference }: WatchedPerson): string[] {
  const [chatId = "", messageId] = reference?.split("/") ?? [];
  return chatId !== "" && messageId !== undefined ? [chatId] : [];
}
