import type { AuditEntry } from "./audit/model.ts";
import type { TimePlace } from "../base/time-place.ts";
import type { ApiKey } from "./key-model.ts";

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
  >
>;
/** Whose keys: one user's, the global ones and everybody's together. */
export type KeyScope = { userId: string } | "all";

/** `audit`, where it is given, is stored in the same operation, if that changes anything. */
export type KeyStore = {
  insert(key: ApiKey, audit?: AuditEntry): Promise<void>;
  findByHash(hash: string): Promise<ApiKey | null>;
  get(scope: KeyScope, id: string): Promise<ApiKey | null>;
  /** Newest first, at most `limit`, behind `after`. */
  list(scope: KeyScope, limit: number, after?: TimePlace | null): Promise<ApiKey[]>;
  count(scope: KeyScope): Promise<number>;
  /** Writes the fields that are given and answers the key as it is then; null when it is gone. */
  update(id: string, change: KeyChange, audit?: AuditEntry): Promise<ApiKey | null>;
  /** False when it is gone already. */
  remove(id: string, at: number, audit?: AuditEntry): Promise<boolean>;
  /**
   * Tells of keys that expire behind `from` and not after `to`, each once for each end that it is given, at most
   * `limit`; answers how many.
   */
  warnOfEnds(from: number, to: number, limit: number): Promise<number>;
  /** Tells that a key was leaked, unless that was told behind `since`. */
  tellLeak(key: ApiKey, at: number, since: number): Promise<void>;
  /** Adds buffered uses; keys that are gone are passed over. */
  recordUsage(usages: KeyUsage[]): Promise<void>;
};
