import type { Contact, WatchedPerson } from "./contact-model.ts";

const dayMs = 86_400_000;
/** How long to watch for the reply to a message. */
const replyWaitMs = 60 * dayMs;
/** How long to watch for more messages after a reply. */
const talkMs = 14 * dayMs;
/**
 * Maximum number of people per account to check in one call, for acceptances and for replies each, unless the connector
 * has limits of its own. Accounts rarely wait for more, so that usually everyone is checked every time.
 */
export const maxWatched = 2000;

/**
 * The people an account waits for. `reply`: those who have not replied to a message sent after `messagedAfter`, and those
 * who have replied after `repliedAfter`. People who have a request of the account are watched for its acceptance only.
 */
export type Awaited = { waitsFor: "acceptance" } | { waitsFor: "reply"; messagedAfter: number; repliedAfter: number };

export function awaitedAt(now: number, waitsFor: WatchedPerson["waitsFor"]): Awaited {
  if (waitsFor === "acceptance") return { waitsFor };
  return { waitsFor, messagedAfter: now - replyWaitMs, repliedAfter: now - talkMs };
}

/** How many people of a batch take turns; the others are the newest, who are the most likely to react. */
export function turnsIn(limit: number): number {
  return Math.ceil(limit / 2);
}

/**
 * Up to `limit` people: the newest, and those whose turn it is. `newest`: up to `limit` people, newest first. `turns`: the
 * next `turnsIn(limit)` people in the order of their profile keys, which never changes. With the returned position in that
 * order, each of n people is in one of n / turnsIn(limit) + 1 consecutive batches. An empty position is the beginning.
 */
export function batchOf<Person extends Pick<Contact, "profileKey">>(
  newest: readonly Person[],
  turns: readonly Person[],
  limit: number,
): { people: Person[]; position: string } {
  const inOrder = [...newest.slice(0, limit - turnsIn(limit)), ...turns, ...newest];
  const people = [...new Map(inOrder.map((one) => [one.profileKey, one])).values()].slice(0, limit);
  return { people, position: turns.length < turnsIn(limit) ? "" : (turns.at(-1)?.profileKey ?? "") };
}

/** What to look for; null if the account waits for nothing. */
export function watchedPerson(
  { profileUrl, profileKey, invitedAt, messagedAt, repliedAt, reference }: Contact,
  waitsFor: WatchedPerson["waitsFor"],
): WatchedPerson | null {
  const person = { profileUrl, profileKey, waitsFor, reference };
  if (waitsFor === "acceptance") return invitedAt === null ? null : { ...person, since: invitedAt };
  if (messagedAt !== null && messagedAt > (repliedAt ?? 0)) return { ...person, since: messagedAt };
  return repliedAt === null ? null : { ...person, since: repliedAt, hasReplied: true };
}
