import type { User } from "../../platform/auth/user-model.ts";
import { managesWorkspace, permissionsOf } from "../../platform/auth/member-role.ts";
import type { Member } from "../../platform/auth/workspace-model.ts";
import type { UserId } from "../../platform/base/ids.ts";
import type { Event } from "../../platform/events/model.ts";
import { notificationKinds, notifiedOf, type NotificationKind } from "../notifications/model.ts";
import type { MailOutcome, MailPreferences, SendResult } from "./model.ts";

/** News that are older are not worth a mail: mail was turned off, or the server was down. */
const freshMs = 86_400_000;

/** What an event notifies of; null: nothing. */
export function kindOf({ type, at, data }: Pick<Event, "type" | "at" | "data">, now: number): NotificationKind | null {
  // Messages are reported later than they are sent, with the whole conversation if need be.
  const sentAt = typeof data["sentAt"] === "string" ? Date.parse(data["sentAt"]) : at;
  return Math.min(at, sentAt) < now - freshMs ? null : (notifiedOf(type)?.mail ?? null);
}

type Team = readonly { member: Member; user: User }[];

/** What is known of the objects of an event. */
export type Concerned = { accountMember: UserId | null; assignee: UserId | null };

/**
 * The users whom an event concerns. What someone started concerns them; a message, the member of the lead or else of the
 * account; an account, its member. If they are not active members, owners and admins are notified instead. As in the
 * dashboard, nobody is notified of what their role may not see.
 */
export function recipientsOf(
  { type, actorId }: Pick<Event, "type" | "actorId">,
  { accountMember, assignee }: Concerned,
  team: Team,
  preferences: ReadonlyMap<UserId, MailPreferences>,
): User[] {
  const notified = notifiedOf(type);
  if (notified === null || notified.mail === null) return [];
  const { permission, isPersonal, mail: kind } = notified;
  const active = team.filter(({ member, user }) => member.isActive && user.isActive);
  const wanted = isPersonal ? actorId : kind === "replyReceived" ? (assignee ?? accountMember) : accountMember;
  const own = active.filter(({ user }) => user.id === wanted);
  const others = isPersonal ? [] : active.filter(({ member }) => managesWorkspace(member.role));
  return (own.length > 0 ? own : others)
    .filter(({ member }) => permissionsOf(member).some((grant) => grant === "*" || grant === permission))
    .map(({ user }) => user)
    .filter((user) => isOn(preferences.get(user.id), kind) && isRoutable(user.email));
}

const hourMs = 3_600_000;

/** Names what a mail to a user is about. The messages of one conversation in one hour are one mail. */
export function mailName({ id, type, at, data }: Pick<Event, "id" | "type" | "at" | "data">, userId: UserId): string {
  const { conversationId } = data;
  return type === "message.received" && typeof conversationId === "string"
    ? `conversation:${conversationId}:${Math.floor(at / hourMs)}:${userId}`
    : `event:${id}:${userId}`;
}

export function isOn(preferences: MailPreferences | undefined, kind: NotificationKind): boolean {
  return preferences?.[kind] ?? notificationKinds[kind].isOn;
}

/** False for addresses such as admin@localhost, which no mail server delivers to. */
export function isRoutable(email: string): boolean {
  return /@[^@\s]+\.[^@\s.]+$/.test(email);
}

const minuteMs = 60_000;
/** About a day altogether: longer, news are old. */
const delaysMs = [1, 5, 15, 60, 180, 360, 720].map((minutes) => minutes * minuteMs);

/** What becomes of a mail after its attempt number `tries`. */
export function outcomeOf(result: SendResult, tries: number, now: number): MailOutcome {
  if (result.isSent) return { kind: "sent" };
  const delayMs = delaysMs[tries - 1];
  if (result.isFinal || delayMs === undefined) return { kind: "failed", reason: result.reason };
  return { kind: "retry", dueAt: now + delayMs, reason: result.reason };
}

/** Morning in the time zone of a user: when the digest of the day before is sent. */
const digestHour = 8;

/** The day in a time zone, as 2026-01-31, if its digest is due; null while it is not. */
export function digestDay(now: number, timeZone: string): string | null {
  const parts = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    dateStyle: "short",
    timeStyle: "short",
    hourCycle: "h23",
  });
  const [day = "", time = ""] = parts.format(now).split(", ");
  return Number(time.slice(0, 2)) >= digestHour ? day : null;
}
