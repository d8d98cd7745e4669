import { eq, sql } from "drizzle-orm";
import type { NetworkAccount } from "../../../features/network/account-model.ts";
import type { NewUser, UserStore } from "../../../features/workspaces/users/store.ts";
import type { User } from "../../../platform/auth/user-model.ts";
import type { Connection, Engine } from "./engine.ts";
import { networkAccounts } from "./network-tables.ts";
import { members, users, workspaces } from "./tables.ts";

/** What the slice needs: users without a first key and without credits. */
export function createUserStore({ orm, transact }: Engine): Pick<UserStore, "insert" | "get" | "count"> {
  async function insert(
    connection: Connection,
    { user, workspace, member, account, grant, key, audit }: NewUser,
  ): Promise<boolean> {
    if (grant !== null || key !== null || audit !== undefined)
      throw new Error("Credits, keys, and the audit log do not exist on PostgreSQL yet");
    const rows = await connection.insert(users).values(user).onConflictDoNothing().returning({ seq: users.seq });
    if (rows.length === 0) return false;
    await connection.insert(workspaces).values(workspace);
    await connection.insert(members).values(member);
    await insertAccount(connection, account);
    return true;
  }

  return {
    insert: (newcomer) => transact((connection) => insert(connection, newcomer)),
    get: async (id) => {
      const [row] = await orm.select().from(users).where(eq(users.id, id));
      return row === undefined ? null : userOf(row);
    },
    count: async () => {
      const [row] = await orm.select({ n: sql<number>`count(*)` }).from(users);
      return row?.n ?? 0;
    },
  };
}

export async function insertAccount(connection: Connection, account: NetworkAccount): Promise<void> {
  await connection.insert(networkAccounts).values(account);
}

function userOf({ seq: _seq, ...user }: typeof users.$inferSelect): User {
  return user;
}
