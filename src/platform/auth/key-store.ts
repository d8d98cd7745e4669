import type { AuditEntry } from "./audit/model.ts";
import type { TimePlace } from "../base/time-place.ts";
import type { ApiKey } from "./key-model.ts";
import type { UserId, WorkspaceId } from "../base/ids.ts";

export type KeyUsage = { keyId: string; uses: number; lastUsedAt: number };
export type KeyChange = { updatedAt: number } & Partial<
  Pick<
    ApiKey,
    | "name"
    | "permissions"
    | "requiresApproval"
    | "isActive"
    | "hash"
    | "hint"
    | "createdAt"
    | "lastUsedAt"
    | "expiresAt"
    | "expiresInDays"
    | "rateLimits"
    | "allowedNetworks"
  >
>;
/** The keys of a workspace, of a user, or of a user in a workspace; or all keys, including global ones. */
export type KeyScope = { workspaceId?: WorkspaceId; userId?: UserId } | "all";

/** `audit` is stored in the same operation if that changes something. */
export type KeyStore = {
  insert(key: ApiKey, audit?: AuditEntry): Promise<void>;
  findByHash(hash: string): Promise<ApiKey | null>;
  get(scope: KeyScope, id: string): Promise<ApiKey | null>;
  /** Newest first, at most `limit`, after the position `after`. */
  list(scope: KeyScope, limit: number, after?: TimePlace | null): Promise<ApiKey[]>;
  count(scope: KeyScope): Promise<number>;
  /** Writes these fields and returns the updated key; null if it no longer exists. */
  update(id: string, change: KeyChange, audit?: AuditEntry): Promise<ApiKey | null>;
  /** False if it no longer exists. */
  remove(id: string, at: number, audit?: AuditEntry): Promise<boolean>;
  /**
   * Appends an event for each key that expires after `from` and by `to`, once per expiry date, for at most `limit` keys.
   * Returns how many.
   */
  warnOfEnds(from: number, to: number, limit: number): Promise<number>;
  /** Appends an event for a leaked key, unless one was appended after `since`. */
  tellLeak(key: ApiKey, at: number, since: number): Promise<void>;
  /** Adds buffered uses. Ignores keys that no longer exist. */
  recordUsage(usages: KeyUsage[]): Promise<void>;
  /** Uses by day since the day `from` (days since 1970 in UTC), oldest first; days without a use are missing. */
  usage(keyId: string, from: number): Promise<{ day: number; uses: number }[]>;
  /** Deletes the uses of days before `day`, at most `limit` rows. Returns how many. */
  forgetUsage(day: number, limit: number): Promise<number>;
};
