import { and, asc, count, eq } from "drizzle-orm";
import type { User } from "../../../platform/auth/user-model.ts";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";
import type { IdentityFacts, IdentityStore } from "../../../features/workspaces/sign-in/store.ts";
import { appendAudit } from "./audit.ts";
import type { Connection, Engine } from "./engine.ts";
import { userIdentities } from "./people-tables.ts";
import { members, users, workspaces } from "./tables.ts";
import { lockUsers } from "./users.ts";
import { lockWorkspace, userOf } from "./workspaces.ts";

export function createIdentityStore({ orm, transact }: Engine): IdentityStore {
  return {
    resolve: ({ issuer, subject, emailKey }, workspaceId, decide) =>
      transact(async (connection) => {
        // Two nodes may receive the same newcomer at once.
        await lockUsers(connection);
        const user = await byAddress(connection, emailKey);
        const { identity, newcomer, audit } = decide({
          known: await known(connection, issuer, subject),
          byAddress: user,
          isTaken: user !== null && (await hasIdentity(connection, issuer, user.id)),
          workspace: await workspaceFor(connection, workspaceId),
        });
        if (newcomer !== null) {
          await connection.insert(users).values(newcomer.user);
          await connection.insert(members).values(newcomer.member);
        }
        const { email, lastUsedAt } = identity;
        await connection
          .insert(userIdentities)
          .values(identity)
          .onConflictDoUpdate({ target: userIdentities.id, set: { email, lastUsedAt } });
        if (audit !== null) await appendAudit(connection, [audit]);
      }),
    ofUser: (userId) =>
      orm
        .select()
        .from(userIdentities)
        .where(eq(userIdentities.userId, userId))
        .orderBy(asc(userIdentities.createdAt), asc(userIdentities.id)),
    remove: (userId, id, audit) =>
      transact(async (connection) => {
        const removed = await connection
          .delete(userIdentities)
          .where(and(eq(userIdentities.id, id), eq(userIdentities.userId, userId)))
          .returning({ id: userIdentities.id });
        if (removed.length === 0) return false;
        await appendAudit(connection, [audit]);
        return true;
      }),
  };
}

async function known(connection: Connection, issuer: string, subject: string): Promise<IdentityFacts["known"]> {
  const [row] = await connection
    .select({ identity: userIdentities, user: users })
    .from(userIdentities)
    .innerJoin(users, eq(users.id, userIdentities.userId))
    .where(and(eq(userIdentities.issuer, issuer), eq(userIdentities.subject, subject)));
  return row === undefined ? null : { identity: row.identity, user: userOf(row.user) };
}

async function byAddress(connection: Connection, emailKey: string): Promise<User | null> {
  const [row] = await connection.select().from(users).where(eq(users.emailKey, emailKey));
  return row === undefined ? null : userOf(row);
}

async function hasIdentity(connection: Connection, issuer: string, userId: UserId): Promise<boolean> {
  const found = await connection
    .select({ id: userIdentities.id })
    .from(userIdentities)
    .where(and(eq(userIdentities.issuer, issuer), eq(userIdentities.userId, userId)));
  return found.length > 0;
}

/** Locked, so that the members that are counted are all. */
async function workspaceFor(connection: Connection, id: WorkspaceId | null): Promise<IdentityFacts["workspace"]> {
  const [row] = await connection
    .select({ id: workspaces.id, timeZone: workspaces.timeZone })
    .from(workspaces)
    .where(id === null ? undefined : eq(workspaces.id, id))
    .orderBy(asc(workspaces.createdAt), asc(workspaces.id))
    .limit(1);
  if (row === undefined) return null;
  await lockWorkspace(connection, row.id);
  const [counted] = await connection.select({ n: count() }).from(members).where(eq(members.workspaceId, row.id));
  return { ...row, members: counted?.n ?? 0 };
}
