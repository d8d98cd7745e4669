import { and, asc, count, eq, ne, type SQL } from "drizzle-orm";
import { keyEvent } from "../../../features/workspaces/keys/key-event.ts";
import type { NewUser, UserStore } from "../../../features/workspaces/users/store.ts";
import type { UserId } from "../../../platform/base/ids.ts";
import { appendAudit } from "./audit.ts";
import type { Connection, Engine } from "./engine.ts";
import { appendEvents } from "./event-rows.ts";
import { newerThan } from "./list-pages.ts";
import { takeLocks } from "./locks.ts";
import { apiKeys } from "./people-tables.ts";
import { users } from "./tables.ts";
import { insertWorkspaceRows, userOf } from "./workspaces.ts";

export function createUserStore({ orm, transact }: Engine): UserStore {
  async function insert(connection: Connection, { user, key, audit, ...created }: NewUser): Promise<boolean> {
    await lockUsers(connection);
    const added = await connection
      .insert(users)
      .values(user)
      .onConflictDoNothing({ target: users.emailKey })
      .returning();
    if (added.length === 0) return false;
    await insertWorkspaceRows(connection, created);
    if (key !== null) {
      await connection.insert(apiKeys).values(key);
      await appendEvents(connection, [keyEvent("key.created", key, key.createdAt, audit?.actorId)]);
    }
    await appendAudit(connection, [audit]);
    return true;
  }

  async function countOthers(connection: Connection, id: UserId, condition: SQL | undefined): Promise<number> {
    const [row] = await connection
      .select({ n: count() })
      .from(users)
      .where(and(ne(users.id, id), condition));
    return row?.n ?? 0;
  }

  return {
    insert: (newcomer) => transact((connection) => insert(connection, newcomer)),
    get: async (id) => {
      const [row] = await orm.select().from(users).where(eq(users.id, id));
      return row === undefined ? null : userOf(row);
    },
    byAddress: async (emailKey) => {
      const [row] = await orm.select().from(users).where(eq(users.emailKey, emailKey));
      return row === undefined ? null : userOf(row);
    },
    list: async (limit, offset, after = null) =>
      (
        await orm
          .select()
          .from(users)
          .where(newerThan(users, after))
          .orderBy(asc(users.createdAt), asc(users.id))
          .limit(limit)
          .offset(offset)
      ).map(userOf),
    count: async () => (await orm.select({ n: count() }).from(users))[0]?.n ?? 0,
    change: (id, emailKey, decide) =>
      transact(async (connection) => {
        await lockUsers(connection);
        const [user] = await connection.select().from(users).where(eq(users.id, id));
        if (user === undefined) return null;
        const isTaken = emailKey !== null && (await countOthers(connection, id, eq(users.emailKey, emailKey))) > 0;
        const isActiveAdmin = and(eq(users.role, "admin"), eq(users.isActive, true));
        const otherAdmins = await countOthers(connection, id, isActiveAdmin);
        const { change, audit } = decide({ user: userOf(user), otherAdmins, isTaken });
        const [row] = await connection.update(users).set(change).where(eq(users.id, id)).returning();
        await appendAudit(connection, [audit]);
        return userOf(row!);
      }),
  };
}

/** Users are few and rarely change: one at a time, so that an address is taken once and an admin remains. */
export async function lockUsers(connection: Connection): Promise<void> {
  await takeLocks(connection, [{ key: "users", isShared: false }]);
}
