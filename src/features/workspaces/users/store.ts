import type { AuditEntry } from "../../../platform/auth/audit/model.ts";
import type { ApiKey } from "../../../platform/auth/key-model.ts";
import type { TimePlace } from "../../../platform/base/time-place.ts";
import type { User } from "../../../platform/auth/user-model.ts";
import type { NewWorkspace } from "../store.ts";
import type { UserId } from "../../../platform/base/ids.ts";

/** A new user with everything they start with: they own a workspace. */
export type NewUser = Omit<NewWorkspace, "audit"> & { user: User; key: ApiKey | null; audit?: AuditEntry };

export type UserChange = { updatedAt: number } & Partial<
  Pick<User, "email" | "emailKey" | "name" | "role" | "timeZone" | "isActive">
>;

/** What a change of a user is decided on, as it is in the transaction of the change. */
export type UserFacts = {
  user: User;
  /** Active admins of the installation besides this user. */
  otherAdmins: number;
  /** Whether another user has the requested address. */
  isTaken: boolean;
};

export type UserStore = {
  /** Stores everything or nothing; false if the email address is taken. */
  insert(newUser: NewUser): Promise<boolean>;
  get(id: UserId): Promise<User | null>;
  /** By the compared form of an address. */
  byAddress(emailKey: string): Promise<User | null>;
  /** Oldest first, at most `limit`, starting after `after`. */
  list(limit: number, offset: number, after?: TimePlace | null): Promise<User[]>;
  count(): Promise<number>;
  /**
   * Changes a user in one transaction and returns them; null if they do not exist. `emailKey` is the requested address, if any. What
   * `decide` throws, the promise rejects with, and nothing is changed.
   */
  change(
    id: UserId,
    emailKey: string | null,
    decide: (facts: UserFacts) => { change: UserChange; audit?: AuditEntry },
  ): Promise<User | null>;
};
