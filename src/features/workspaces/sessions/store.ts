import type { AuditEntry } from "../../../platform/auth/audit/model.ts";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";
import type { HeldSession, Session, SignInLink } from "./model.ts";

/** The sessions of a user: in all workspaces, or in one. */
export type SessionScope = { userId: UserId; workspaceId?: WorkspaceId };

export type SessionStore = {
  insert(session: Session): Promise<void>;
  /** Null if the session has expired. */
  find(hash: string, now: number): Promise<Session | null>;
  /** Those that have not ended, last used first, at most `limit`. */
  list(scope: SessionScope, now: number, limit: number): Promise<HeldSession[]>;
  /** Who has a session; null if it has ended. */
  holder(id: string, now: number): Promise<HeldSession | null>;
  /** Records a use. */
  touch(id: string, at: number): Promise<void>;
  /** False if the session does not exist. */
  remove(hash: string): Promise<boolean>;
  /** Ends these sessions of `scope`, or all except `except`. Returns how many. */
  end(
    scope: SessionScope,
    which: { ids: readonly string[] } | { except: string | null },
    audit: AuditEntry,
  ): Promise<number>;
  insertLink(link: SignInLink): Promise<void>;
  /**
   * Redeems a link and stores the session it starts, for the same key, in one transaction. Returns null for a link that
   * was used, has expired, or does not exist; of two concurrent calls, only one succeeds.
   */
  redeemLink(linkHash: string, session: Omit<Session, "keyId" | "keyHash">): Promise<Session | null>;
  /** Deletes expired sessions and links, up to `limit` of each; returns how many. */
  sweep(now: number, limit: number): Promise<number>;
};
