import type { Clock } from "../../../platform/base/clock.ts";
import type { ActionType } from "../../../features/network/action-kinds.ts";
import type { Refusal } from "../../../features/network/action-model.ts";
import type { ActionOrder, Connector, ConnectorOutcome } from "../../../features/network/connector.ts";
import {
  incoming,
  replyText,
  type News,
  type Relation,
  type WatchedPerson,
} from "../../../features/network/contact-model.ts";
import type { Simulation } from "../../../features/network/simulation.ts";
import { RecentMap } from "./recent-map.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** What people in the simulation reply, the same person always the same. */
const simulatedReplies = [
  ["Thanks for your message. Tell me more!"],
  ["Hi! Sounds interesting.", "Could you send me a short summary?"],
  ["Thanks for reaching out. Does Tuesday at 10 work for a call?"],
  ["Not right now, but please ask me again next quarter."],
  ["What does it cost for a team of 20?"],
  ["No, thank you. We have just chosen another product."],
  ["I am not the right person. Please ask our head of sales."],
];

export type SimulatedConnector = Connector & {
  /** The earliest time at which `watch` will have news about the people it was asked about; null = never. */
  nextNewsAt(): number | null;
};

/** Number of stored requests and first attempts. Everything else is derived from the seed. */
const remembered = 100_000;

/**
 * A network that exists only in this process and behaves the same in every run of a seed. Nothing leaves the machine.
 * Besides the rates, words in the path of a profile select an outcome: `refused` and `unknown` every time; `busy`,
 * `limited`, and `signedout` on the first attempt; `slow` delegates the action and completes it half a minute later;
 * `accepts` and `replies` ensure that the person does, within a few hours.
 */
export function createSimulatedConnector(simulation: Simulation, clock: Clock): SimulatedConnector {
  const people = new People(simulation, clock);
  const firstAttempts = new RecentMap<string, true>(remembered);
  const counts = new DailyCounts();

  /** True only once for each action. */
  function isFirst({ jobId }: ActionOrder): boolean {
    if (firstAttempts.get(jobId) !== undefined) return !firstAttempts.delete(jobId);
    firstAttempts.set(jobId, true);
    return true;
  }

  /** Returns what keeps an action from being sent now; null if nothing does. */
  function hindrance(order: ActionOrder, accountId: string): ConnectorOutcome | null {
    const now = clock.now();
    const { limitAfter } = simulation.rates;
    if (limitAfter > 0 && counts.next(`${accountId} ${order.actionType}`, now) > limitAfter)
      return limitedUntil(nextMidnight(now));
    switch (wordIn(order.profileKey) ?? drawnWord(simulation, order.jobId)) {
      case "refused":
        return refused(order);
      case "unknown":
        return { kind: "unknown", reason: "The simulated network did not respond." };
      case "busy":
        return isFirst(order) ? busyUntil(now + minuteMs, "The simulated network asks for a pause.") : null;
      case "limited":
        return isFirst(order) ? limitedUntil(now + hourMs) : null;
      case "signedout":
        return isFirst(order)
          ? { kind: "signedOut", reason: "The simulated network has signed the account out." }
          : null;
      case "slow":
        return handed(`${done(order)}@${now + minuteMs / 2}`, now);
      case undefined:
        return null;
    }
  }

  function handed(reference: string, now: number): ConnectorOutcome {
    const readyAt = Number(reference.split("@").at(-1)) || 0;
    if (readyAt > now) return { kind: "delegated", to: "vendor", reference, checkAt: readyAt };
    return { kind: "completed", reference };
  }

  return {
    async carryOut(order, account, signal) {
      if (signal.aborted) return busyUntil(clock.now() + minuteMs, "The action was not started in time.");
      const outcome = hindrance(order, account.id);
      if (outcome !== null) return outcome;
      const relation = people.relationAfter(order, account.id);
      return { kind: "completed", reference: done(order), ...(relation && { relation }) };
    },
    follow: async (reference) => handed(reference, clock.now()),
    watch: async (watched, account) => people.newsOf(watched, account.id),
    nextNewsAt: () => people.nextNewsAt(),
  };
}

const done = ({ jobId }: ActionOrder): string => `simulated-${jobId}`;

const words = ["refused", "busy", "unknown", "limited", "signedout", "slow"] as const;
type Word = (typeof words)[number];

function wordIn(profileKey: string): Word | undefined {
  const path = pathOf(profileKey);
  return words.find((word) => path.includes(word));
}

/** Draws the outcome of an action from the rates and the seed. A single draw, so that it has at most one outcome. */
function drawnWord({ seed, rates: { refusals, unknown, busy } }: Simulation, jobId: string): Word | undefined {
  if (refusals + unknown + busy === 0) return undefined;
  const drawn = 100 * draw(seed, jobId);
  if (drawn < refusals) return "refused";
  if (drawn < refusals + unknown) return "unknown";
  return drawn < refusals + unknown + busy ? "busy" : undefined;
}

/** Returns the path of a canonical profile URL, because the host may contain any word. */
function pathOf(profileKey: string): string {
  return profileKey.slice(profileKey.indexOf("/", "https://".length));
}

function busyUntil(retryAt: number, reason: string): ConnectorOutcome {
  return { kind: "busy", retryAt, reason };
}

function limitedUntil(retryAt: number): ConnectorOutcome {
  return { kind: "limited", retryAt, reason: "The simulated network asks this account to slow down." };
}

function refused({ actionType }: ActionOrder): ConnectorOutcome {
  return {
    kind: "refused",
    refusal: refusalOf[actionType] ?? "personNotFound",
    reason: "The simulated person does not accept this.",
  };
}

const refusalOf: Partial<Record<ActionType, Refusal>> = {
  sendConnectionRequest: "requestNotAllowed",
  withdrawConnectionRequest: "notPending",
  sendMessage: "messagingNotAllowed",
  sendInMail: "noInMailCredits",
  sendVoiceMessage: "messagingNotAllowed",
  likePost: "postNotFound",
  commentPost: "commentingNotAllowed",
  endorseSkill: "skillNotFound",
};

/** The people of the network: whether and when they react depends on the seed and on who they are. */
class People {
  readonly #simulation: Simulation;
  readonly #clock: Clock;
  /** When an account sent a request to a profile. */
  readonly #requests = new RecentMap<string, number>(remembered);
  /** By account. */
  readonly #nextNews = new Map<string, number>();

  constructor(simulation: Simulation, clock: Clock) {
    this.#simulation = simulation;
    this.#clock = clock;
  }

  relationAfter({ actionType, profileKey }: ActionOrder, accountId: string): Relation | undefined {
    const pair = `${accountId} ${profileKey}`;
    if (actionType === "sendConnectionRequest") this.#requests.set(pair, this.#clock.now());
    else if (actionType === "withdrawConnectionRequest") this.#requests.delete(pair);
    else if (actionType !== "checkConnectionStatus") return undefined;
    const since = this.#requests.get(pair);
    if (since === undefined) return "none";
    const acceptedAt = this.#reactionAt({ profileKey, waitsFor: "acceptance", since }, accountId);
    return acceptedAt !== null && acceptedAt <= this.#clock.now() ? "connected" : "pending";
  }

  newsOf(watched: readonly WatchedPerson[], accountId: string): News[] {
    const now = this.#clock.now();
    // After a reply, it is the account's turn.
    const waiting = watched.filter(({ hasReplied }) => hasReplied !== true);
    const reactions = waiting.map((one) => ({ ...one, at: this.#reactionAt(one, accountId) ?? Infinity }));
    this.#nextNews.set(accountId, Math.min(...reactions.map(({ at }) => at).filter((at) => at > now)));
    return reactions
      .filter(({ at }) => at <= now)
      .map(({ profileKey, waitsFor, at }) => ({
        profileKey,
        kind: waitsFor === "acceptance" ? "accepted" : "replied",
        at,
        ...(waitsFor === "reply" && this.#reply(`${accountId} ${profileKey}`, at)),
      }));
  }

  #reply(who: string, at: number): Pick<News, "text" | "messages"> {
    const chosen = Math.floor(draw(this.#simulation.seed, `${who} text`) * simulatedReplies.length);
    const texts = simulatedReplies[chosen] ?? [];
    const messages = texts.map((text, n) =>
      incoming(`${who} ${at} ${n}`, at - (texts.length - 1 - n) * minuteMs, text),
    );
    return { ...replyText(texts), messages };
  }

  nextNewsAt(): number | null {
    const coming = [...this.#nextNews.values()].filter((at) => at > this.#clock.now() && at < Infinity);
    return coming.length === 0 ? null : Math.min(...coming);
  }

  /** Between 2 and 50 hours after the earliest time; null for a person who never reacts. */
  #reactionAt({ profileKey, waitsFor, since }: Omit<WatchedPerson, "profileUrl">, accountId: string): number | null {
    const { rates, seed } = this.#simulation;
    const [rate, word] = waitsFor === "acceptance" ? [rates.acceptances, "accepts"] : [rates.replies, "replies"];
    const who = `${accountId} ${profileKey} ${waitsFor}`;
    const isSure = pathOf(profileKey).includes(word);
    if (!isSure && 100 * draw(seed, who) >= rate) return null;
    return since + (2 + Math.floor(draw(seed, `${who} when`) * (isSure ? 4 : 48))) * hourMs;
  }
}

/** Returns a number in [0, 1) that is the same for the same seed and text. */
function draw(seed: number, text: string): number {
  return Bun.hash.xxHash32(text, seed) / 2 ** 32;
}

/** Counts events since midnight (UTC). */
class DailyCounts {
  #day = 0;
  #counts = new Map<string, number>();

  next(key: string, now: number): number {
    const day = Math.floor(now / dayMs);
    if (day !== this.#day) this.#counts = new Map();
    this.#day = day;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count;
  }
}

function nextMidnight(now: number): number {
  return (Math.floor(now / dayMs) + 1) * dayMs;
}
