import { eq, sql } from "drizzle-orm";
import type { Engine } from "./engine.ts";
import { users } from "./tables.ts";

/** Looks up the number that large tables name a user by; null for an unknown user. Numbers never change. */
export type Owners = (userId: string) => number | null;

export function createOwners({ orm }: Engine): Owners {
  const byId = orm
    .select({ seq: users.seq })
    .from(users)
    .where(eq(users.id, sql.placeholder("id")))
    .prepare();
  const known = new Map<string, number>();
  return (userId) => {
    const seen = known.get(userId);
    if (seen !== undefined) return seen;
    const owner = byId.get({ id: userId })?.seq;
    if (owner === undefined) return null;
    known.set(userId, owner);
    return owner;
  };
}
