import type { Permission } from "../../platform/auth/key-model.ts";
import type { UserId } from "../../platform/base/ids.ts";
import type { Event } from "../../platform/events/model.ts";
import { notifiedOf, type ReadState } from "./model.ts";

/** A member who reads notifications. */
export type Reader = {
  userId: UserId;
  /** When they joined the workspace. What happened before is not news to them. */
  joinedAt: number;
  may: (permission: Permission) => boolean;
};

export const nothingRead: ReadState = { readUntil: 0, alsoRead: [] };
/** Of single notifications. Beyond that, those before the oldest of them count as read too. */
const maxAlsoRead = 200;

/** Whether a member is notified of an event. */
export function concerns({ type, at, actorId }: Pick<Event, "type" | "at" | "actorId">, reader: Reader): boolean {
  const notified = notifiedOf(type);
  if (notified === null || at < reader.joinedAt || !reader.may(notified.permission)) return false;
  return !notified.isPersonal || actorId === null || actorId === reader.userId;
}

export function isRead({ readUntil, alsoRead }: ReadState, id: number): boolean {
  return id <= readUntil || alsoRead.includes(id);
}

/** Marks single notifications as read. */
export function withRead(state: ReadState, ids: readonly number[]): ReadState {
  const later = ids.filter((id) => id > state.readUntil);
  const alsoRead = [...new Set([...state.alsoRead, ...later])].toSorted((one, other) => one - other);
  const dropped = alsoRead.slice(0, Math.max(0, alsoRead.length - maxAlsoRead));
  return dropped.length === 0 ? { ...state, alsoRead } : withAllRead({ ...state, alsoRead }, dropped.at(-1)!);
}

/** Marks everything up to an event as read. A request that arrives late takes nothing back. */
export function withAllRead({ readUntil, alsoRead }: ReadState, until: number): ReadState {
  const reached = Math.max(readUntil, until);
  return { readUntil: reached, alsoRead: alsoRead.filter((id) => id > reached) };
}
