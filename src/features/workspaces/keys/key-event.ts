import { isoTimeOrNull } from "../../../platform/base/clock.ts";
import type { EventType, NewEvent } from "../../../platform/events/model.ts";
import type { UserId } from "../../../platform/base/ids.ts";
import type { ApiKey } from "../../../platform/auth/key-model.ts";

/** An event about a key, for its owner, or for the admins if the key is global. */
export function keyEvent(
  type: EventType,
  { id, workspaceId, name, expiresAt }: Pick<ApiKey, "id" | "workspaceId" | "name" | "expiresAt">,
  at: number,
  actorId: UserId | null = null,
): NewEvent {
  return { type, workspaceId, at, actorId, data: { keyId: id, name, expiresAt: isoTimeOrNull(expiresAt) } };
}
