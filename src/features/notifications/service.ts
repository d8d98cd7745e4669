import { isoTime, type Clock } from "../../platform/base/clock.ts";
import { denied, type Caller } from "../../platform/auth/caller.ts";
import { invalid } from "../../platform/base/errors.ts";
import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";
import type { Event } from "../../platform/events/model.ts";
import type { EventStore } from "../../platform/events/store.ts";
import { subjectsOf } from "../../platform/events/view.ts";
import {
  maxNotifications,
  notificationDays,
  notificationTypeNames,
  type NotificationType,
  type NotificationView,
  type ReadInput,
} from "./model.ts";
import { concerns, isRead, nothingRead, withAllRead, withRead, type Reader } from "./rules.ts";
import type { NotificationStore } from "./store.ts";
import { notificationText, type Named } from "./texts.ts";

/** Names of the objects of events; each returns null if it does not exist. */
export type NotificationNames = {
  [Kind in keyof Named]: (workspaceId: WorkspaceId, id: string) => Promise<string | null>;
};

type Parts = {
  events: Pick<EventStore, "page">;
  store: NotificationStore;
  /** When a user became a member; null if they are none. */
  joinedAt: (workspaceId: WorkspaceId, userId: UserId) => Promise<number | null>;
  names: NotificationNames;
  clock: Clock;
};

/** For whom notifications are read: the caller, and the workspace and user it acts for. */
export type Acting = { caller: Caller; workspaceId: WorkspaceId; userId: UserId | null };

export type NotificationPage = {
  notifications: NotificationView[];
  total: number;
  unread: number;
  next: number | null;
};

const dayMs = 86_400_000;

/** The events that a member should know of, and which of them they have read. */
export class NotificationService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Newest first, at most `limit`, those before the event `before`. */
  async page(acting: Acting, limit: number, before: number | null): Promise<NotificationPage> {
    const { workspaceId } = acting;
    const reader = await this.#reader(acting);
    const [events, stored] = await Promise.all([
      this.#events(workspaceId, reader),
      this.#parts.store.readState(workspaceId, reader.userId),
    ]);
    const state = stored ?? nothingRead;
    const rest = before === null ? events : events.filter(({ id }) => id < before);
    const items = rest.slice(0, limit);
    return {
      notifications: await Promise.all(items.map((event) => this.#view(workspaceId, event, isRead(state, event.id)))),
      total: events.length,
      unread: events.filter(({ id }) => !isRead(state, id)).length,
      next: rest.length > limit ? (items.at(-1)?.id ?? null) : null,
    };
  }

  /** Marks notifications as read and returns how many are left. Safe to repeat. */
  async markRead(acting: Acting, { ids, until }: ReadInput): Promise<{ unread: number }> {
    if ((ids === undefined) === (until === undefined))
      throw invalid([{ path: "ids", message: "Send either the IDs to mark as read, or `until`." }]);
    const { workspaceId } = acting;
    const reader = await this.#reader(acting);
    const events = await this.#events(workspaceId, reader);
    // An ID in the future would hide what has not happened yet.
    const last = events[0]?.id ?? 0;
    const state = await this.#parts.store.changeReadState(workspaceId, reader.userId, (before) =>
      until === undefined
        ? withRead(
            before ?? nothingRead,
            (ids ?? []).map(Number).filter((id) => id <= last),
          )
        : withAllRead(before ?? nothingRead, Math.min(Number(until), last)),
    );
    return { unread: events.filter(({ id }) => !isRead(state, id)).length };
  }

  async #reader({ caller, workspaceId, userId }: Acting): Promise<Reader> {
    const joinedAt = userId === null ? null : await this.#parts.joinedAt(workspaceId, userId);
    if (userId === null || joinedAt === null)
      throw denied(
        caller,
        "*",
        "Notifications belong to a member. Use a key of a member, or name the user in `userId`.",
      );
    const may = (permission: string) => caller.permissions.some((grant) => grant === "*" || grant === permission);
    return { userId, joinedAt, may };
  }

  /** Newest first. */
  async #events(workspaceId: WorkspaceId, reader: Reader): Promise<Event[]> {
    const found = await this.#parts.events.page({
      ...{ scopes: [workspaceId], filter: { types: notificationTypeNames }, after: null, before: null },
      ...{ newestFirst: true, limit: maxNotifications },
    });
    const from = this.#parts.clock.now() - notificationDays * dayMs;
    return found.filter((event) => event.at >= from && concerns(event, reader));
  }

  async #view(workspaceId: WorkspaceId, event: Event, hasRead: boolean): Promise<NotificationView> {
    const { names } = this.#parts;
    const { conversationId } = event.data;
    const nameOf = async (name: keyof Named, id: string | null) => (id === null ? null : names[name](workspaceId, id));
    const [lead, account, campaign, voice] = await Promise.all([
      nameOf("lead", event.leadId),
      nameOf("account", event.accountId),
      nameOf("campaign", event.campaignId),
      nameOf("voice", event.voiceId),
    ]);
    return {
      ...{ id: `${event.id}`, type: event.type as NotificationType },
      ...notificationText(event, { lead, account, campaign, voice }),
      ...{ isRead: hasRead, createdAt: isoTime(event.at) },
      ...subjectsOf(event),
      ...(typeof conversationId === "string" && { conversationId }),
    };
  }
}
