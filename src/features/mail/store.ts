import type { UserId } from "../../platform/base/ids.ts";
import type { Mail, MailOutcome, MailPreferences } from "./model.ts";

export type MailStore = {
  /** Ignores those whose `dedupe` exists. Returns how many were queued. */
  enqueue(mails: readonly Mail[]): Promise<number>;
  /** Notifications of events up to this one are queued; null before the first call of `collect`. */
  position(): Promise<number | null>;
  /** Queues the notifications of events up to `to`. False, and nothing is queued, if the position is no longer `from`. */
  collect(from: number | null, to: number, mails: readonly Mail[]): Promise<boolean>;
  /**
   * Up to `limit` mails that are due, longest waiting first. Until `until`, no other call returns them: a node that dies
   * meanwhile leaves them to the others.
   */
  claim(now: number, until: number, limit: number): Promise<Mail[]>;
  /** Ends an attempt. */
  settle(id: string, outcome: MailOutcome, at: number): Promise<void>;
  /** Deletes mails that ended before `at`, at most `limit`. Returns how many. */
  sweep(at: number, limit: number): Promise<number>;
  preferences(userIds: readonly UserId[]): Promise<Map<UserId, MailPreferences>>;
  setPreferences(userId: UserId, kinds: MailPreferences, at: number): Promise<void>;
  /** Active users who turned a kind on, by ID, after `after`, at most `limit`. */
  digestReaders(after: UserId | null, limit: number): Promise<{ id: UserId; email: string; timeZone: string }[]>;
};
