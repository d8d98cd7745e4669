import type { Session } from "./model.ts";

export type SessionStore = {
  insert(session: Session): Promise<void>;
  /** Null for one that has ended by its time. */
  find(hash: string, now: number): Promise<Session | null>;
  /** False when it is gone already. */
  remove(hash: string): Promise<boolean>;
  insertLink(link: Session): Promise<void>;
  /**
   * Uses a link up and stores the session that it begins, for the same key, in one step: of two that come at once, one
   * gets null, as for a link that was used, has ended by its time, or never was.
   */
  redeemLink(linkHash: string, session: Pick<Session, "hash" | "createdAt" | "expiresAt">): Promise<Session | null>;
  /** Removes what has ended by its time, up to `limit` of each kind; answers how many. */
  sweep(now: number, limit: number): Promise<number>;
};
