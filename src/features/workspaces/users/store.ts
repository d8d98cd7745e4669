import type { AuditEntry } from "../../../platform/auth/audit/model.ts";
import type { LedgerEntry } from "../../credits/model.ts";
import type { NetworkAccount } from "../../network/account-model.ts";
import type { ApiKey } from "../../../platform/auth/key-model.ts";
import type { TimePlace } from "../../../platform/base/time-place.ts";
import type { User } from "../../../platform/auth/user-model.ts";

/** A user with everything that it starts with. */
export type NewUser = {
  user: User;
  account: NetworkAccount;
  grant: LedgerEntry | null;
  key: ApiKey | null;
  audit?: AuditEntry;
};

export type UserChange = { updatedAt: number } & Partial<Pick<User, "name" | "timeZone">>;

export type UserStore = {
  /** Stores all of it or nothing; false when the e-mail address is taken. */
  insert(newcomer: NewUser): Promise<boolean>;
  get(id: string): Promise<User | null>;
  /** Oldest first, at most `limit`, behind `after`. */
  list(limit: number, offset: number, after?: TimePlace | null): Promise<User[]>;
  count(): Promise<number>;
  /** Writes the fields that are given and answers the user as it is then; null when it is gone. */
  update(id: string, change: UserChange, audit?: AuditEntry): Promise<User | null>;
};
