import { isoTimeOrNull, parseInstant, type Clock } from "../../platform/base/clock.ts";
import { invalid, notFound, type FieldError } from "../../platform/base/errors.ts";
import type { Log } from "../../platform/base/log.ts";
import type { AccountService } from "./account-service.ts";
import { profileKeyOf, type ProfileHosts } from "./action-input.ts";
import type { Connectors } from "./action-job.ts";
import { replyText, type Contact, type News, type WatchedPerson } from "./contact-model.ts";
import type { ActionService } from "./action-service.ts";
import type { ContactView, NewsInput } from "./relation-model.ts";
import type { AccountUser } from "./may-use.ts";
import type { NetworkStore } from "./store.ts";

const dayMs = 86_400_000;
/** Maximum number of people per account to check in one call. */
const watchBatchSize = 200;
/** Maximum number of withdrawals per account to schedule at once; the caps spread them over days. */
const withdrawalBatchSize = 40;
/** How long to watch for the reply to a message. */
const replyWaitMs = 60 * dayMs;
/** How long to watch for more messages after a reply. */
const talkMs = 14 * dayMs;
const watchTimeoutMs = 60_000;

export type RelationParts = {
  store: NetworkStore;
  accounts: AccountService;
  actions: ActionService;
  connectors: Connectors;
  clock: Clock;
  log: Log;
  profileHosts: ProfileHosts;
  /** Called when campaigns may need to continue or stop. */
  onNews: () => void;
};

/** Relationships with people after an action: acceptances, replies, and stale requests. */
export class RelationService {
  readonly #parts: RelationParts;

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

  /** Stores a reported acceptance or reply. Ignores people the account has never contacted. */
  async report(user: AccountUser, input: NewsInput): Promise<{ isNew: boolean }> {
    const { accounts, store, clock, onNews } = this.#parts;
    const account = await accounts.choose(user, input.accountId);
    const now = clock.now();
    const at = input.at === undefined ? now : parseInstant(input.at);
    if (at === null || at > now + dayMs)
      throw invalid([{ path: "at", message: "Expected a time that is not in the future." }]);
    const profileKey = this.#keyOf(input.profileUrl);
    const errors: FieldError[] = [{ path: "text", message: "Only supported for the event replied." }];
    if (input.event !== "replied" && input.text !== undefined) throw invalid(errors);
    const news: News = { profileKey, kind: input.event, at, ...replyText([input.text]) };
    const unseen = await store.noteNews(account.id, [news], now);
    if (unseen.length > 0) onNews();
    return { isNew: unseen.length > 0 };
  }

  /** Polls the connectors that support it for acceptances and replies. */
  async watch(): Promise<void> {
    const { store, connectors, clock, log } = this.#parts;
    for (const account of await store.activeAccounts()) {
      const connector = connectors[account.connector];
      if (connector.watch === undefined) continue;
      const now = clock.now();
      const watched = watchedOf(await store.watched(account.id, watchBatchSize, now - talkMs), now);
      if (watched.length === 0) continue;
      const timeout = new AbortController();
      const cancelTimer = clock.after(watchTimeoutMs, () => timeout.abort(new Error("Timed out")));
      try {
        const news = await connector.watch(watched, account, timeout.signal);
        await this.#note(account.id, news);
      } catch (error) {
        log.warn(
          { err: error, accountId: account.id, connector: account.connector },
          "could not check for acceptances and replies",
        );
      } finally {
        cancelTimer();
      }
    }
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

  async #note(accountId: string, news: readonly News[]): Promise<void> {
    const { store, clock, onNews } = this.#parts;
    if (news.length === 0) return;
    const unseen = await store.noteNews(accountId, news, clock.now());
    if (unseen.length > 0) onNews();
  }

  #keyOf(profileUrl: string): string {
    const errors: FieldError[] = [];
    const key = profileKeyOf(profileUrl, this.#parts.profileHosts, errors);
    if (key === null) throw invalid(errors);
    return key;
  }
}

function watchedOf(contacts: readonly Contact[], now: number): WatchedPerson[] {
  return contacts.flatMap(({ profileUrl, profileKey, relation, invitedAt, messagedAt, repliedAt, reference }) => {
    const watched: WatchedPerson[] = [];
    if (relation === "pending" && invitedAt !== null)
      watched.push({ profileUrl, profileKey, waitsFor: "acceptance", since: invitedAt, reference });
    else if (messagedAt !== null && messagedAt > (repliedAt ?? 0) && messagedAt > now - replyWaitMs)
      watched.push({ profileUrl, profileKey, waitsFor: "reply", since: messagedAt, reference });
    else if (repliedAt !== null && repliedAt > now - talkMs)
      watched.push({ profileUrl, profileKey, waitsFor: "reply", since: repliedAt, hasReplied: true, reference });
    return watched;
  });
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
