import type { Engine } from "./engine.ts";
import { prepared } from "./prepared.ts";

/** Looks up the number that large tables name a user by; null for an unknown user. Numbers never change. */
export type Owners = (userId: string) => number | null;

export function createOwners({ database }: Pick<Engine, "database">): Owners {
  const byId = prepared<{ seq: number }, [string]>(database, "SELECT seq FROM users WHERE id = ?");
  const known = new Map<string, number>();
  return (userId) => {
    const seen = known.get(userId);
    if (seen !== undefined) return seen;
    const owner = byId.get(userId)?.seq;
    if (owner === undefined) return null;
    known.set(userId, owner);
    return owner;
  };
}
