import { isoTimeOrNull } from "../../platform/base/clock.ts";
import type { UserId } from "../../platform/base/ids.ts";
import type { NewEvent } from "../../platform/events/model.ts";
import type { ConversationChange } from "./model.ts";
import type { StoredConversation } from "./recording.ts";

/** Numbers of the messages of a conversation that a change of what is read depends on; null: there is none. */
export type ReadFacts = {
  /** The message that the change names. */
  named: number | null;
  last: number | null;
  lastReceived: number | null;
};

/** The number of the last message that was read, after this change. What others have read meanwhile stays read. */
export function readToAfter(
  { readTo }: Pick<StoredConversation, "readTo">,
  read: ConversationChange["read"],
  { named, last, lastReceived }: ReadFacts,
): number {
  if (read === undefined) return readTo;
  if (read === "unread") return lastReceived === null ? readTo : lastReceived - 1;
  const wanted = read.readTo === null ? last : named;
  return Math.max(readTo, wanted ?? 0);
}

/**
 * When the campaign that the person answered counts them as interested; null: no longer. Undefined: the change says nothing
 * about it.
 */
export function interestAfter({ label }: Pick<ConversationChange, "label">, at: number): number | null | undefined {
  return label === undefined ? undefined : label === "interested" ? at : null;
}

/** `unread`: how many messages of the person came after `readTo`. Without an event, nothing has changed. */
export function decideChange(
  before: StoredConversation,
  change: ConversationChange,
  { readTo, unread }: Pick<StoredConversation, "readTo" | "unread">,
  { accountId, at, actorId }: { accountId: string; at: number; actorId: UserId | null },
): { values: Partial<StoredConversation>; event: NewEvent | null } {
  const { read: _read, ...settings } = change;
  const wanted = { ...settings, readTo, unread };
  const names = (Object.keys(wanted) as (keyof typeof wanted)[]).filter((name) => wanted[name] !== before[name]);
  if (names.length === 0) return { values: {}, event: null };
  const values = Object.fromEntries(names.map((name) => [name, wanted[name]])) as Partial<StoredConversation>;
  const fields = [...new Set(names.map((name) => (name === "readTo" ? "unread" : name)))];
  const data = {
    conversationId: before.id,
    fields,
    ...(names.includes("label") && { label: change.label }),
    ...(names.includes("snoozedUntil") && { snoozedUntil: isoTimeOrNull(change.snoozedUntil ?? null) }),
  };
  const subjects = { accountId, leadId: before.leadId };
  const event: NewEvent = {
    type: "conversation.updated",
    workspaceId: before.workspaceId,
    at,
    actorId,
    ...subjects,
    data,
  };
  return { values: { ...values, updatedAt: at }, event };
}
