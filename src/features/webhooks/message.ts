import { isoTime } from "../../platform/base/clock.ts";
import type { Event } from "../../platform/events/model.ts";
import { subjectsOf } from "../../platform/events/view.ts";

/**
 * Value of the `webhook-id` header: the same for every attempt, so that receivers can detect duplicates. Includes the
 * time, because event IDs are reused after a backup has been restored.
 */
export function webhookIdOf({ id, at }: Pick<Event, "id" | "at">): string {
  return `msg_${id}_${at.toString(36)}`;
}

/** The request body, in the format recommended by Standard Webhooks. */
export function payloadOf(event: Event): { type: string; timestamp: string; data: Record<string, unknown> } {
  const { id, type, at, workspaceId, actorId, data } = event;
  return {
    type,
    timestamp: isoTime(at),
    data: { ...data, eventId: `${id}`, userId: workspaceId, actorId, ...subjectsOf(event) },
  };
}
