import type { Session } from "./model.ts";

export type SessionStore = {
  insert(session: Session): Promise<void>;
  /** Null if the session has expired. */
  find(hash: string, now: number): Promise<Session | null>;
  /** False if the session does not exist. */
  remove(hash: string): Promise<boolean>;
  insertLink(link: Session): Promise<void>;
  /**
   * Redeems a link and stores the session it starts, for the same key, in one transaction. Returns null for a link that
   * was used, has expired, or does not exist; of two concurrent calls, only one succeeds.
   */
  redeemLink(linkHash: string, session: Pick<Session, "hash" | "createdAt" | "expiresAt">): Promise<Session | null>;
  /** Deletes expired sessions and links, up to `limit` of each; returns how many. */
  sweep(now: number, limit: number): Promise<number>;
};
