import { and, desc, eq, gt, inArray, lte, ne, sql } from "drizzle-orm";
import type { SessionScope, SessionStore } from "../../../features/workspaces/sessions/store.ts";
import { appendAudit } from "./audit.ts";
import type { Engine } from "./engine.ts";
import { apiKeys, sessions, signInLinks } from "./people-tables.ts";

export function createSessionStore({ orm, transact }: Engine): SessionStore {
  const held = () =>
    orm
      .select({
        session: sessions,
        keyName: apiKeys.name,
        userId: sql<string>`${apiKeys.userId}`,
        workspaceId: sql<string>`${apiKeys.workspaceId}`,
      })
      .from(sessions)
      .innerJoin(apiKeys, and(eq(apiKeys.id, sessions.keyId), eq(apiKeys.hash, sessions.keyHash)));

  async function sweepOne(table: typeof sessions | typeof signInLinks, now: number, limit: number): Promise<number> {
    const ended = orm.select({ hash: table.hash }).from(table).where(lte(table.expiresAt, now)).limit(limit);
    return (await orm.delete(table).where(inArray(table.hash, ended)).returning({ hash: table.hash })).length;
  }

  return {
    insert: (session) => transact(async (connection) => void (await connection.insert(sessions).values(session))),
    find: async (hash, now) =>
      (
        await orm
          .select()
          .from(sessions)
          .where(and(eq(sessions.hash, hash), gt(sessions.expiresAt, now)))
      )[0] ?? null,
    list: (scope, now, limit) =>
      held()
        .where(and(within(scope), gt(sessions.expiresAt, now)))
        .orderBy(desc(sessions.lastUsedAt), desc(sessions.id))
        .limit(limit),
    holder: async (id, now) => (await held().where(and(eq(sessions.id, id), gt(sessions.expiresAt, now))))[0] ?? null,
    touch: async (id, at) => void (await orm.update(sessions).set({ lastUsedAt: at }).where(eq(sessions.id, id))),
    remove: (hash) =>
      transact(async (connection) => {
        const removed = await connection.delete(sessions).where(eq(sessions.hash, hash)).returning({ id: sessions.id });
        return removed.length > 0;
      }),
    end: (scope, which, audit) =>
      transact(async (connection) => {
        const keys = connection.select({ id: apiKeys.id }).from(apiKeys).where(within(scope));
        const chosen =
          "ids" in which
            ? inArray(sessions.id, [...which.ids])
            : which.except === null
              ? undefined
              : ne(sessions.id, which.except);
        const ended = await connection
          .delete(sessions)
          .where(and(inArray(sessions.keyId, keys), chosen))
          .returning({ id: sessions.id });
        if (ended.length > 0) await appendAudit(connection, [audit]);
        return ended.length;
      }),
    insertLink: (link) => transact(async (connection) => void (await connection.insert(signInLinks).values(link))),
    redeemLink: (linkHash, begun) =>
      transact(async (connection) => {
        // Of two that delete a row at once, the second finds it gone.
        const [link] = await connection.delete(signInLinks).where(eq(signInLinks.hash, linkHash)).returning();
        if (link === undefined || link.expiresAt <= begun.createdAt) return null;
        const session = { ...begun, keyId: link.keyId, keyHash: link.keyHash };
        await connection.insert(sessions).values(session);
        return session;
      }),
    sweep: async (now, limit) => (await sweepOne(sessions, now, limit)) + (await sweepOne(signInLinks, now, limit)),
  };
}

function within({ userId, workspaceId }: SessionScope) {
  return and(eq(apiKeys.userId, userId), workspaceId === undefined ? undefined : eq(apiKeys.workspaceId, workspaceId));
}
