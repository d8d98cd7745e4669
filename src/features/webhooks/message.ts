import { isoTime } from "../../platform/base/clock.ts";
import type { Event } from "../../platform/events/model.ts";
import { subjectsOf } from "../../platform/events/view.ts";

/**
 * The header webhook-id: the same in every attempt, so that a receiver knows a repeat. With the moment, because ids of
 * events come again after a backup was restored.
 */
export function webhookIdOf({ id, at }: Pick<Event, "id" | "at">): string {
  return `msg_${id}_${at.toString(36)}`;
}

/** What is posted, in the form that Standard Webhooks recommends. */
export function payloadOf(event: Event): { type: string; timestamp: string; data: Record<string, unknown> } {
  const { id, type, at, userId, data } = event;
  return { type, timestamp: isoTime(at), data: { ...data, eventId: `${id}`, userId, ...subjectsOf(event) } };
}
