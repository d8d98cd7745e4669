import type { User } from "../../platform/auth/user-model.ts";
import { managesWorkspace } from "../../platform/auth/member-role.ts";
import type { Member } from "../../platform/auth/workspace-model.ts";
import type { UserId } from "../../platform/base/ids.ts";
import type { Event, EventType } from "../../platform/events/model.ts";
import {
  notificationKinds,
  type MailOutcome,
  type MailPreferences,
  type NotificationKind,
  type SendResult,
} from "./model.ts";

const kindsByEvent: Partial<Record<EventType, NotificationKind>> = {
  "account.reconnect_required": "accountReconnect",
  "leads.imported": "importFinished",
  "prospects.uploaded": "importFinished",
  "voice.ready": "trainingFinished",
  "voice.failed": "trainingFinished",
  "message.replied": "replyReceived",
};

/** News that are older are not worth a mail: mail was turned off, or the server was down. */
const freshMs = 86_400_000;

/** What an event notifies of; null: nothing. */
export function kindOf({ type, at }: Pick<Event, "type" | "at">, now: number): NotificationKind | null {
  return at < now - freshMs ? null : (kindsByEvent[type] ?? null);
}

type Team = readonly { member: Member; user: User }[];

/** What is known of the objects of an event. */
export type Concerned = { accountMember: UserId | null; assignee: UserId | null };

/**
 * The users whom an event concerns. What someone started concerns them; a reply, the member of the lead or else of the account;
 * an account, its member. If they are not active members, owners and admins are notified instead.
 */
export function recipientsOf(
  kind: NotificationKind,
  { actorId }: Pick<Event, "actorId">,
  { accountMember, assignee }: Concerned,
  team: Team,
  preferences: ReadonlyMap<UserId, MailPreferences>,
): User[] {
  const active = team.filter(({ member, user }) => member.isActive && user.isActive);
  const isStarted = kind === "importFinished" || kind === "trainingFinished";
  const wanted = isStarted ? actorId : kind === "replyReceived" ? (assignee ?? accountMember) : accountMember;
  const own = active.filter(({ user }) => user.id === wanted);
  const others = isStarted ? [] : active.filter(({ member }) => managesWorkspace(member.role));
  return (own.length > 0 ? own : others)
    .map(({ user }) => user)
    .filter((user) => isOn(preferences.get(user.id), kind) && isRoutable(user.email));
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
