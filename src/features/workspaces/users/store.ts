import type { AuditEntry } from "../../../platform/auth/audit/model.ts";
import type { LedgerEntry } from "../../credits/model.ts";
import type { NetworkAccount } from "../../network/account-model.ts";
import type { ApiKey } from "../../../platform/auth/key-model.ts";
import type { TimePlace } from "../../../platform/base/time-place.ts";
import type { User } from "../../../platform/auth/user-model.ts";
import type { Member, Workspace } from "../../../platform/auth/workspace-model.ts";
import type { UserId } from "../../../platform/base/ids.ts";

/** A new user with everything they start with: they own a workspace. */
export type NewUser = {
  user: User;
  workspace: Workspace;
  member: Member;
  account: NetworkAccount;
  grant: LedgerEntry | null;
  key: ApiKey | null;
  audit?: AuditEntry;
};

export type UserChange = { updatedAt: number } & Partial<Pick<User, "name" | "timeZone">>;

export type UserStore = {
  /** Stores everything or nothing; false if the email address is taken. */
  insert(newUser: NewUser): Promise<boolean>;
  get(id: UserId): Promise<User | null>;
  /** By the compared form of an address. */
  byAddress(emailKey: string): Promise<User | null>;
  /** Oldest first, at most `limit`, starting after `after`. */
  list(limit: number, offset: number, after?: TimePlace | null): Promise<User[]>;
  count(): Promise<number>;
  /** Updates the given fields and returns the updated user; null if the user does not exist. */
  update(id: UserId, change: UserChange, audit?: AuditEntry): Promise<User | null>;
};
