import { Type } from "@sinclair/typebox";
import { isoTime } from "../../../platform/base/clock.ts";
import { incoming, replyText, type News, type WatchedPerson } from "../../../features/network/contact-model.ts";
import { canonicalProfileUrl } from "../../../platform/identity/profile-url.ts";
import { Started, type LinkedapiApi } from "./linkedapi-api.ts";
import { connectionsIn, isOpen, WorkflowState } from "./linkedapi-result.ts";
import { withScheme } from "./profile-address.ts";
import { RecentMap } from "./recent-map.ts";
import { shaped } from "./vendor.ts";

const hourMs = 3_600_000;
/** The vendor reads in a browser, so checking the connections takes minutes. */
const betweenLooksMs = hourMs;
const betweenSyncsMs = 6 * hourMs;
/** A workflow that has not ended by then is abandoned. */
const longestLookMs = 24 * hourMs;
/** The most conversations to ask for in one call. Those that the vendor does not follow yet cost a call each. */
export const maxConversations = 50;

/** Who is connected, as of `at`. */
type Connections = { people: ReadonlySet<string>; at: number };
/** `known`: what the last workflow that ended has found. Retained, because people take turns being watched. */
type Look = { workflowId: string | null; startedAt: number; known: Connections | null };

const Conversations = Type.Array(
  Type.Object({
    personUrl: Type.String(),
    messages: Type.Array(
      Type.Object({
        sender: Type.String(),
        time: Type.String(),
        text: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      }),
    ),
  }),
);

/**
 * Finds out which watched people accepted or replied. The vendor looks things up asynchronously: one call starts a
 * workflow, a later one reads its result. Started workflows are only stored in this process.
 */
export class LinkedapiNews {
  /** The latest check of the connections, by account. */
  readonly #looks = new RecentMap<string, Look>(10_000);
  /** When following a conversation was requested, by account and person. */
  readonly #syncs = new RecentMap<string, number>(100_000);

  /** Throws the `Ending` of a failed call. */
  async acceptances(api: LinkedapiApi, accountId: string, watched: readonly WatchedPerson[]): Promise<News[]> {
    if (watched.length === 0) return [];
    const now = api.vendor.clock.now();
    const look = this.#looks.get(accountId);
    if (look?.workflowId && now - look.startedAt < longestLookMs) {
      const found = api.resultOf(await api.get(`workflows/${encodeURIComponent(look.workflowId)}`), "asks");
      const state = shaped(WorkflowState, found);
      if (state !== null && isOpen(state)) return accepted(watched, look.known);
      const known = {
        people: new Set(connectionsIn(state).map((url) => canonicalProfileUrl(url) ?? "")),
        at: look.startedAt,
      };
      this.#looks.set(accountId, { ...look, workflowId: null, known });
      return accepted(watched, known);
    }
    const known = look?.known ?? null;
    if (look !== undefined && now - look.startedAt < betweenLooksMs) return accepted(watched, known);
    // Set before the call, so that a failing vendor is not called on every check.
    this.#looks.set(accountId, { workflowId: null, startedAt: now, known });
    const since = isoTime(Math.min(...watched.map((one) => one.since))).slice(0, 10);
    const workflow = { actionType: "st.retrieveConnections", since };
    const started = shaped(Started, api.resultOf(await api.post("asks", "workflows", workflow), "asks"));
    this.#looks.set(accountId, { workflowId: started?.workflowId ?? null, startedAt: now, known });
    return accepted(watched, known);
  }

  /** Throws the `Ending` of a failed call. */
  async replies(api: LinkedapiApi, accountId: string, watched: readonly WatchedPerson[]): Promise<News[]> {
    if (watched.length === 0) return [];
    const all = await newsIn(api, watched);
    if (all !== null) return all;
    // A single conversation that is not followed yet makes the whole response an error.
    const news: News[] = [];
    const unknown: WatchedPerson[] = [];
    for (const one of watched) {
      const found = await newsIn(api, [one]);
      if (found === null) unknown.push(one);
      else news.push(...found);
    }
    await this.#follow(api, accountId, unknown);
    return news;
  }

  /** Makes the vendor follow conversations from now on, which it does permanently. */
  async #follow(api: LinkedapiApi, accountId: string, watched: readonly WatchedPerson[]): Promise<void> {
    const now = api.vendor.clock.now();
    const nameOf = ({ profileKey }: WatchedPerson): string => `${accountId} ${profileKey}`;
    const due = watched.filter((one) => now - (this.#syncs.get(nameOf(one)) ?? -Infinity) >= betweenSyncsMs);
    if (due.length === 0) return;
    for (const one of due) this.#syncs.set(nameOf(one), now);
    const workflow = due.map(({ profileUrl }) => ({
      actionType: "st.syncConversation",
      personUrl: withScheme(profileUrl),
    }));
    api.resultOf(await api.post("asks", "workflows", workflow.length === 1 ? workflow[0] : workflow), "asks");
  }
}

/** A request that was sent after the connections were read is not accepted by them. */
function accepted(watched: readonly WatchedPerson[], known: Connections | null): News[] {
  if (known === null) return [];
  return watched
    .filter(({ profileKey, since }) => since <= known.at && known.people.has(profileKey))
    .map(({ profileKey }) => ({ profileKey, kind: "accepted", at: known.at }));
}

/** Returns the first reply of each of these people; null if the vendor does not follow all of the conversations yet. */
async function newsIn(api: LinkedapiApi, watched: readonly WatchedPerson[]): Promise<News[] | null> {
  const answer = await api.post(
    "asks",
    "conversations/poll",
    watched.map(({ profileUrl, since }) => ({ personUrl: withScheme(profileUrl), since: isoTime(since), type: "st" })),
  );
  if (answer.envelope?.error?.type === "conversationsNotSynced") return null;
  const conversations = shaped(Conversations, api.resultOf(answer, "asks")) ?? [];
  return watched.flatMap(({ profileUrl, profileKey, since }) => {
    const answers = conversations
      .filter(({ personUrl }) => personUrl === withScheme(profileUrl))
      .flatMap(({ messages }) => messages.filter(({ sender }) => sender === "them"))
      .map(({ time, text }) => ({ at: Date.parse(time), text }))
      .filter(({ at }) => at > since)
      .sort((a, b) => a.at - b.at);
    if (answers.length === 0) return [];
    // The vendor gives messages no ID.
    const messages = answers.map(({ at, text }) => incoming(null, at, text));
    const text = replyText(answers.map((answer) => answer.text));
    return [{ profileKey, kind: "replied" as const, at: answers[0]!.at, ...text, messages }];
  });
}
