import type { ApiKey, KeyView, NewKeyView } from "../../../platform/auth/key-model.ts";
import { isoTime, isoTimeOrNull } from "../../../platform/base/clock.ts";

/** A key without its secret. */
export function keyView(key: ApiKey): KeyView {
  const { id, userId, name, hint, permissions, requiresApproval, isActive, usageCount } = key;
  return {
    id,
    userId,
    name,
    hint,
    permissions,
    requiresApproval,
    rateLimits: key.rateLimits,
    allowedNetworks: key.allowedNetworks,
    isActive,
    usageCount,
    expires_at: isoTimeOrNull(key.expiresAt),
    created_at: isoTime(key.createdAt),
    last_used_at: isoTimeOrNull(key.lastUsedAt),
  };
}

export function newKeyView(key: ApiKey, secret: string): NewKeyView {
  return { ...keyView(key), key: secret };
}
