import { isoTimeOrNull } from "../../../platform/base/clock.ts";
import type { EventType, NewEvent } from "../../../platform/events/model.ts";
import type { ApiKey } from "../../../platform/auth/key-model.ts";

/** What is told of a key: its owner is told, and of a global key the admins are. */
export function keyEvent(
  type: EventType,
  { id, userId, name, expiresAt }: Pick<ApiKey, "id" | "userId" | "name" | "expiresAt">,
  at: number,
): NewEvent {
  return { type, userId, at, data: { keyId: id, name, expiresAt: isoTimeOrNull(expiresAt) } };
}
