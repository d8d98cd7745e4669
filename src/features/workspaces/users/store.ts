import type { AuditEntry } from "../../../platform/auth/audit/model.ts";
import type { LedgerEntry } from "../../credits/model.ts";
import type { NetworkAccount } from "../../network/account-model.ts";
import type { ApiKey } from "../../../platform/auth/key-model.ts";
import type { TimePlace } from "../../../platform/base/time-place.ts";
import type { User } from "../../../platform/auth/user-model.ts";

/** A new user with everything they start with. */
export type NewUser = {
  user: User;
  account: NetworkAccount;
  grant: LedgerEntry | null;
  key: ApiKey | null;
  audit?: AuditEntry;
};

export type UserChange = { updatedAt: number } & Partial<Pick<User, "name" | "timeZone">>;

export type UserStore = {
  /** Stores everything or nothing; false if the email address is taken. */
  insert(newUser: NewUser): Promise<boolean>;
  get(id: string): Promise<User | null>;
  /** Oldest first, at most `limit`, starting after `after`. */
  list(limit: number, offset: number, after?: TimePlace | null): Promise<User[]>;
  count(): Promise<number>;
  /** Updates the given fields and returns the updated user; null if the user does not exist. */
  update(id: string, change: UserChange, audit?: AuditEntry): Promise<User | null>;
};
