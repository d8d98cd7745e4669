import { Type, type Static } from "@sinclair/typebox";
import { isoTime } from "../../../platform/base/clock.ts";
import { canonicalProfileUrl } from "../../../platform/identity/profile-url.ts";
import {
  conversationNews,
  incoming,
  type MessageCheck,
  type MessagesRead,
  type News,
} from "../../../features/network/contact-model.ts";
import { busy, Ending, valueOrNull } from "./ending.ts";
import { Started, type LinkedapiApi } from "./linkedapi-api.ts";
import type { LinkedapiNews } from "./linkedapi-news.ts";
import { isOpen, WorkflowState } from "./linkedapi-result.ts";
import { RecentMap } from "./recent-map.ts";
import { outageMs, shaped } from "./vendor.ts";

const hourMs = 3_600_000;
/** The vendor can list a message some minutes after it was sent. */
const overlapMs = hourMs;
/** Also how long it may take, before it is requested again. */
const betweenRequestsMs = 6 * hourMs;

const InboxMessages = Type.Object({
  messages: Type.Array(
    Type.Object({
      threadId: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      personUrl: Type.String(),
      sender: Type.String(),
      time: Type.String(),
      text: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    }),
  ),
});
type InboxMessage = Static<typeof InboxMessages>["messages"][number];

/** A workflow that turns monitoring on. `workflowId` null: it could not be started. */
type SyncRequest = { workflowId: string | null; at: number; isDone: boolean };

/**
 * Reads the messages of whole accounts. The vendor collects those that arrive after it was told to monitor the inbox, which
 * takes it minutes. Until then, and while it cannot list them, the conversations with people who may reply are polled.
 */
export class LinkedapiInbox {
  readonly #news: LinkedapiNews;
  /** The latest request, by account. They are only stored in this process. */
  readonly #requests = new RecentMap<string, SyncRequest>(10_000);

  constructor(news: LinkedapiNews) {
    this.#news = news;
  }

  /** Throws the `Ending` of a failed call. */
  async read(api: LinkedapiApi, accountId: string, { since, watched }: MessageCheck): Promise<MessagesRead> {
    const wasPending = this.#requests.get(accountId)?.isDone === false;
    // Monitoring stays on, and was requested by the first check.
    const isOn = since !== null && (!wasPending || (await this.#isDone(api, accountId)));
    const found = isOn ? await valueOrNull(() => messagesAfter(api, since - overlapMs)) : "off";
    if (found === "off") await valueOrNull(() => this.#request(api, accountId));
    const messages = found === "off" || found === null ? null : found;
    const replies = messages === null || wasPending ? await this.#news.replies(api, accountId, watched) : [];
    const times = (messages ?? []).map(({ time }) => Date.parse(time)).filter((at) => !Number.isNaN(at));
    const readTo = Math.max(since ?? api.vendor.clock.now(), ...times);
    return { news: [...replies, ...conversationsIn(messages ?? [])], readTo };
  }

  async #isDone(api: LinkedapiApi, accountId: string): Promise<boolean> {
    const request = this.#requests.get(accountId);
    if (request === undefined) return true;
    if (request.workflowId !== null && api.vendor.clock.now() - request.at < betweenRequestsMs) {
      const found = await valueOrNull(async () =>
        api.resultOf(await api.get(`workflows/${encodeURIComponent(request.workflowId ?? "")}`), "asks"),
      );
      const state = shaped(WorkflowState, found);
      if (state === null || isOpen(state)) return false;
    }
    this.#requests.set(accountId, { ...request, isDone: true });
    return true;
  }

  async #request(api: LinkedapiApi, accountId: string): Promise<void> {
    const at = api.vendor.clock.now();
    const latest = this.#requests.get(accountId);
    if (latest !== undefined && at - latest.at < betweenRequestsMs) return;
    // Set before the call, so that a failing vendor is not called on every check.
    this.#requests.set(accountId, { workflowId: null, at, isDone: false });
    const answer = await api.post("asks", "workflows", { actionType: "st.syncInbox" });
    const workflowId = shaped(Started, api.resultOf(answer, "asks"))?.workflowId ?? null;
    this.#requests.set(accountId, { workflowId, at, isDone: false });
  }
}

/** "off": the vendor does not monitor the inbox. Throws the `Ending` of a failed call. */
async function messagesAfter(api: LinkedapiApi, since: number): Promise<InboxMessage[] | "off"> {
  const answer = await api.post("asks", "inbox/poll", { since: isoTime(since), type: "st" });
  if (answer.envelope?.error?.type.endsWith("NotSynced")) return "off";
  const found = shaped(InboxMessages, api.resultOf(answer, "asks"));
  if (found !== null) return found.messages;
  throw new Ending(busy(api.vendor.clock.now() + outageMs, "Linked API sent an unreadable response."));
}

/** What was written in threads with one person only. */
function conversationsIn(messages: readonly InboxMessage[]): News[] {
  const threads = Map.groupBy(messages, ({ threadId, personUrl }) => threadId ?? personUrl);
  return [...threads.values()].flatMap((thread) => {
    const [profileKey, ...others] = new Set(thread.map(({ personUrl }) => canonicalProfileUrl(personUrl)));
    if (!profileKey || others.length > 0) return [];
    const reported = thread
      .map(({ time, text, sender }) => ({
        // Without the ID, as in polled conversations: the same message can come from both.
        ...incoming(null, Date.parse(time), text),
        ...(sender === "us" && { isOutgoing: true as const }),
      }))
      .filter(({ at }) => !Number.isNaN(at));
    return reported.length === 0 ? [] : [conversationNews({ profileKey }, reported)];
  });
}
