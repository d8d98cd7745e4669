import type { Clock, Ids } from "../../platform/base/clock.ts";
import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";
import type { Event, EventType } from "../../platform/events/model.ts";
import type { EventStore } from "../../platform/events/store.ts";
import type { LeadStore } from "../leads/store.ts";
import type { NetworkStore } from "../network/store.ts";
import type { WorkspaceStore } from "../workspaces/store.ts";
import type { NotificationKind } from "../notifications/model.ts";
import { digestDay, isRoutable, kindOf, mailName, recipientsOf } from "./decisions.ts";
import type { Mail } from "./model.ts";
import { newMail } from "./service.ts";
import type { MailStore } from "./store.ts";
import { digestText, notificationText, type DigestCounts } from "./texts.ts";

type Parts = {
  store: MailStore;
  events: Pick<EventStore, "since" | "last" | "page">;
  workspaces: WorkspaceStore;
  accounts: Pick<NetworkStore, "account">;
  leads: Pick<LeadStore, "get">;
  clock: Clock;
  ids: Ids;
  /** URL at which browsers reach the server, or "" while it is unknown. */
  baseUrl: () => string;
};

const batchSize = 500;
/** A run ends after so many events, so that others get their turn; the next one continues. */
const maxEventsPerRun = 20_000;
const dayMs = 86_400_000;
const readerBatchSize = 100;
/** More of one kind on one day are shown as so many. */
const maxCounted = 1000;

/** Follows events, and queues the mails that members get because of them. */
export class Notifier {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Queues what is new. Each event is followed exactly once, even if another node does the same. */
  async collect(): Promise<void> {
    const { store, events, clock } = this.#parts;
    for (let seen = 0; seen < maxEventsPerRun;) {
      const from = await store.position();
      if (from === null) return void (await store.collect(null, await events.last(), []));
      const next = await events.since(from, batchSize);
      if (next.length === 0) return;
      const now = clock.now();
      const mails: Mail[] = [];
      for (const event of next) {
        const kind = kindOf(event, now);
        if (kind !== null && event.workspaceId !== null)
          mails.push(...(await this.#mailsOf(kind, event, event.workspaceId, now)));
      }
      if (!(await store.collect(from, next.at(-1)!.id, mails))) return;
      seen += next.length;
    }
  }

  /** Queues the digests of users for whom it is morning. */
  async digest(): Promise<void> {
    const { store, clock, ids, baseUrl } = this.#parts;
    const now = clock.now();
    for (let after: UserId | null = null; ;) {
      const readers = await store.digestReaders(after, readerBatchSize);
      for (const { id, email, timeZone } of readers) {
        const day = digestDay(now, timeZone);
        if (day === null || !isRoutable(email)) continue;
        const text = digestText(await this.#countsOf(id, now), baseUrl());
        const about = { kind: "dailyDigest", dedupe: `digest:${id}:${day}`, userId: id, recipient: email } as const;
        if (text !== null) await store.enqueue([newMail(about, text, now, ids)]);
      }
      if (readers.length < readerBatchSize) return;
      after = readers.at(-1)!.id;
    }
  }

  async #mailsOf(kind: NotificationKind, event: Event, workspaceId: WorkspaceId, now: number): Promise<Mail[]> {
    const { store, workspaces, accounts, leads, ids, baseUrl } = this.#parts;
    const workspace = await workspaces.get(workspaceId);
    if (workspace === null) return [];
    const team = await workspaces.members(workspaceId);
    const { accountId, leadId } = event;
    const account = accountId === null ? null : await accounts.account(workspaceId, accountId);
    const lead = kind !== "replyReceived" || leadId === null ? null : await leads.get(workspaceId, leadId);
    const concerned = { accountMember: account?.memberId ?? null, assignee: lead?.assignedTo ?? null };
    const preferences = await store.preferences(team.map(({ user }) => user.id));
    return recipientsOf(event, concerned, team, preferences).map(({ id, email }) =>
      newMail(
        { kind, dedupe: mailName(event, id), userId: id, recipient: email },
        notificationText(kind, event, workspace.name, baseUrl()),
        now,
        ids,
      ),
    );
  }

  async #countsOf(userId: UserId, now: number): Promise<{ name: string; counts: DigestCounts }[]> {
    const memberships = await this.#parts.workspaces.ofUser(userId);
    const active = memberships.filter(({ member }) => member.isActive);
    return Promise.all(
      active.map(async ({ workspace }) => ({
        name: workspace.name,
        counts: {
          completed: await this.#count(workspace.id, "action.completed", now),
          failed: await this.#count(workspace.id, "action.failed", now),
          accepted: await this.#count(workspace.id, "connection.accepted", now),
          messages: await this.#count(workspace.id, "message.received", now),
          approvals: await this.#count(workspace.id, "action.approval_required", now),
        },
      })),
    );
  }

  async #count(workspaceId: WorkspaceId, type: EventType, now: number): Promise<number> {
    const filter = { types: [type] };
    const page = { scopes: [workspaceId], filter, after: null, before: null, newestFirst: true, limit: maxCounted };
    return (await this.#parts.events.page(page)).filter(({ at }) => at > now - dayMs && at <= now).length;
  }
}
