import type { User } from "../../../platform/auth/user-model.ts";
import type { users } from "./tables.ts";

export function userOf({ seq: _seq, ...user }: typeof users.$inferSelect): User {
  return user;
}
