import { isoTimeOrNull, parseInstant, type Clock } from "../../platform/base/clock.ts";
import { invalid, notFound, type FieldError } from "../../platform/base/errors.ts";
import type { Log } from "../../platform/base/log.ts";
import { singleLine } from "../../platform/base/text.ts";
import type { NetworkAccount } from "./account-model.ts";
import type { AccountService } from "./account-service.ts";
import { profileKeyOf, type ProfileHosts } from "./action-input.ts";
import type { Connectors } from "./action-job.ts";
import { incoming, replyText, type Contact, type News, type WatchedPerson } from "./contact-model.ts";
import type { Connector } from "./connector.ts";
import type { ActionService } from "./action-service.ts";
import type { LeadOfProfile } from "./lead-of-profile.ts";
import type { ContactView, NewsInput } from "./relation-model.ts";
import type { AccountUser } from "./may-use.ts";
import type { NetworkStore } from "./store.ts";
import { awaitedAt, batchOf, maxWatched, turnsIn, watchedPerson } from "./watch-batch.ts";

const dayMs = 86_400_000;
/** Maximum number of withdrawals per account to schedule at once; the caps spread them over days. */
const withdrawalBatchSize = 40;
const watchTimeoutMs = 60_000;

export type RelationParts = {
  store: NetworkStore;
  accounts: AccountService;
  actions: ActionService;
  connectors: Connectors;
  leadOfProfile: LeadOfProfile;
  clock: Clock;
  log: Log;
  profileHosts: ProfileHosts;
  /** Called when campaigns may need to continue or stop. */
  onNews: () => void;
};

/** Relationships with people after an action: acceptances, replies, and stale requests. */
export class RelationService {
  readonly #parts: RelationParts;
  /** Whose turn it is next to be checked, by account. Only accounts that wait for more people than fit in one call. */
  readonly #positions = { acceptance: new Map<string, string>(), reply: new Map<string, string>() };

  constructor(parts: RelationParts) {
    this.#parts = parts;
  }

  /** The relationship between an account and a person. Throws NOT_FOUND if they were never in contact. */
  async get(user: AccountUser, accountId: string | undefined, profileUrl: string): Promise<ContactView> {
    const { accounts } = this.#parts;
    const { workspaceId } = user;
    const account = await (accountId === undefined
      ? accounts.choose(user, undefined)
      : accounts.find(workspaceId, accountId));
    const key = this.#keyOf(profileUrl);
    const contact = await this.#parts.store.contact(workspaceId, account.id, key);
    if (contact === null) throw notFound("contact", profileUrl);
    return contactView(contact);
  }

  /**
   * Stores a reported acceptance, reply, or messages. Only messages are stored of strangers: people who are no leads, and
   * whom the account has never contacted.
   */
  async report(user: AccountUser, input: NewsInput): Promise<{ isNew: boolean; newMessages: number }> {
    const { accounts, clock } = this.#parts;
    const account = await accounts.choose(user, input.accountId);
    const profileKey = this.#keyOf(input.profileUrl);
    const { unseen, newMessages } = await this.#note(account, [{ profileKey, ...reportOf(input, clock.now()) }]);
    return { isNew: unseen > 0, newMessages };
  }

  /**
   * Polls the connectors that support it for acceptances and messages. If there are too many people for one call, the newest
   * are checked every time, and the others take turns. A failed check uses up their turn, so that it holds up no one else.
   */
  async watch(): Promise<void> {
    const { store, connectors } = this.#parts;
    for (const account of await store.activeAccounts()) {
      const connector = connectors[account.connector];
      if (connector.watch !== undefined)
        await this.#check(account, (signal) => this.#watch(account, connector, signal));
      if (connector.readMessages !== undefined)
        await this.#check(account, (signal) => this.#readMessages(account, connector, signal));
    }
  }

  async #watch(account: NetworkAccount, connector: Connector, signal: AbortSignal): Promise<void> {
    const watched = await this.#nextBatch(account.id, "acceptance", connector);
    if (connector.readMessages === undefined) watched.push(...(await this.#nextBatch(account.id, "reply", connector)));
    if (watched.length > 0) await this.#note(account, (await connector.watch?.(watched, account, signal)) ?? []);
  }

  /** A failed check is repeated from the same time on. */
  async #readMessages(account: NetworkAccount, connector: Connector, signal: AbortSignal): Promise<void> {
    const since = await this.#parts.store.messagesReadTo(account.id);
    const watched = await this.#nextBatch(account.id, "reply", connector);
    const read = await connector.readMessages?.({ since, watched }, account, signal);
    if (read) await this.#note(account, read.news, read.readTo);
  }

  async #check({ id, connector }: NetworkAccount, check: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { clock, log } = this.#parts;
    const timeout = new AbortController();
    const cancelTimer = clock.after(watchTimeoutMs, () => timeout.abort(new Error("Timed out")));
    try {
      await check(timeout.signal);
    } catch (error) {
      log.warn({ err: error, accountId: id, connector }, "could not check for acceptances and messages");
    } finally {
      cancelTimer();
    }
  }

  async #nextBatch(
    accountId: string,
    waitsFor: WatchedPerson["waitsFor"],
    { watchLimits }: Connector,
  ): Promise<WatchedPerson[]> {
    const { store, clock } = this.#parts;
    const positions = this.#positions[waitsFor];
    const limit = watchLimits?.[waitsFor] ?? maxWatched;
    const awaited = awaitedAt(clock.now(), waitsFor);
    const newest = await store.watched(accountId, awaited, { limit });
    const after = positions.get(accountId) ?? "";
    // When everyone fits, nobody takes turns.
    const turns =
      newest.length < limit ? [] : await store.watched(accountId, awaited, { limit: turnsIn(limit), after });
    const { people, position } = batchOf(newest, turns, limit);
    if (position === "") positions.delete(accountId);
    else positions.set(accountId, position);
    return people.map((one) => watchedPerson(one, waitsFor)).filter((one) => one !== null);
  }

  /** Schedules withdrawals of requests that were not accepted within `withdrawAfterDays` of their account. */
  async withdrawStale(): Promise<void> {
    const { store, actions, clock, log } = this.#parts;
    for (const account of await store.activeAccounts()) {
      if (account.withdrawAfterDays === null) continue;
      const before = clock.now() - account.withdrawAfterDays * dayMs;
      const stale = await store.pendingSince(account.id, before, withdrawalBatchSize);
      for (const { profileUrl } of stale) {
        const { workspaceId } = account;
        const scheduler = { workspaceId, userId: null, memberRole: null, needsApproval: false, permissions: [] };
        const input = { actionType: "withdrawConnectionRequest", profileUrl, accountId: account.id };
        await actions.schedule(scheduler, input).catch((error: unknown) => {
          log.warn({ err: error, accountId: account.id }, "could not schedule a withdrawal");
        });
      }
    }
  }

  async #note(
    { id, workspaceId }: NetworkAccount,
    news: readonly News[],
    readTo?: number,
  ): Promise<{ unseen: number; newMessages: number }> {
    const { store, clock, leadOfProfile, onNews } = this.#parts;
    if (news.length === 0 && readTo === undefined) return { unseen: 0, newMessages: 0 };
    const ofLeads = await Promise.all(
      news.map(async (item): Promise<News> => {
        const leadId = await leadOfProfile(workspaceId, item.profileKey);
        return leadId === null ? item : { ...item, leadId };
      }),
    );
    const { news: unseen, newMessages } = await store.noteNews(id, ofLeads, clock.now(), readTo);
    if (unseen.length > 0) onNews();
    return { unseen: unseen.length, newMessages };
  }

  #keyOf(profileUrl: string): string {
    const errors: FieldError[] = [];
    const key = profileKeyOf(profileUrl, this.#parts.profileHosts, errors);
    if (key === null) throw invalid(errors);
    return key;
  }
}

function reportOf(input: NewsInput, now: number): Omit<News, "profileKey"> {
  const { event, at, text, messages, personName } = input;
  const only = (wanted: string) => `Only supported for the event ${wanted}.`;
  const errors: FieldError[] = [];
  if (event !== "replied" && text !== undefined) errors.push({ path: "text", message: only("replied") });
  if (event !== "messages" && messages !== undefined) errors.push({ path: "messages", message: only("messages") });
  if (event !== "messages" && personName !== undefined) errors.push({ path: "personName", message: only("messages") });
  if (event === "messages" && at !== undefined)
    errors.push({ path: "at", message: "Not supported for the event messages: each message has its own time." });
  if (event === "messages" && messages === undefined)
    errors.push({ path: "messages", message: "Required for the event messages." });
  const timeOf = (path: string, written: string): number => {
    const time = parseInstant(written);
    if (time !== null && time <= now + dayMs) return time;
    errors.push({ path, message: "Expected a time that is not in the future." });
    return now;
  };
  const reported = (messages ?? []).map(({ id, direction, at: sentAt, text: written }, n) => ({
    ...incoming(id, timeOf(`messages.${n}.at`, sentAt), written),
    ...(direction === "outgoing" && { isOutgoing: true as const }),
  }));
  const happenedAt = at === undefined ? now : timeOf("at", at);
  if (errors.length > 0) throw invalid(errors);
  if (event !== "messages")
    return { kind: event, at: happenedAt, ...(at === undefined && { isUndated: true }), ...replyText([text]) };
  const name = singleLine(personName ?? "");
  return { kind: "replied", at: now, messages: reported, ...(name !== "" && { personName: name }) };
}

function contactView(contact: Contact): ContactView {
  const { accountId, profileUrl, relation } = contact;
  return {
    accountId,
    profileUrl,
    relation,
    invitedAt: isoTimeOrNull(contact.invitedAt),
    withdrawnAt: isoTimeOrNull(contact.withdrawnAt),
    connectedAt: isoTimeOrNull(contact.connectedAt),
    messagedAt: isoTimeOrNull(contact.messagedAt),
    repliedAt: isoTimeOrNull(contact.repliedAt),
  };
}
