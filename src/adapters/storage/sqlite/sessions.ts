import { and, desc, eq, gt, inArray, lte, ne, sql } from "drizzle-orm";
import type { HeldSession } from "../../../features/workspaces/sessions/model.ts";
import type { SessionScope, SessionStore } from "../../../features/workspaces/sessions/store.ts";
import type { Engine } from "./engine.ts";
import { lazy } from "./prepared.ts";
import type { CommonRows } from "./common-rows.ts";
import { apiKeys, sessions, signInLinks } from "./tables.ts";

export function createSessionStore({ orm, writer }: Engine, { audits }: CommonRows): SessionStore {
  const at = sql.placeholder;
  const byHash = lazy(() =>
    orm
      .select()
      .from(sessions)
      .where(and(eq(sessions.hash, at("hash")), gt(sessions.expiresAt, at("now"))))
      .prepare(),
  );
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
  const within = ({ userId, workspaceId }: SessionScope) =>
    and(eq(apiKeys.userId, userId), workspaceId === undefined ? undefined : eq(apiKeys.workspaceId, workspaceId));

  function sweepOne(table: typeof sessions | typeof signInLinks, now: number, limit: number): number {
    const ended = orm.select({ hash: table.hash }).from(table).where(lte(table.expiresAt, now)).limit(limit);
    return orm.delete(table).where(inArray(table.hash, ended)).returning({ hash: table.hash }).all().length;
  }

  return {
    insert: (session) => writer.write(() => void orm.insert(sessions).values(session).run()),
    find: async (hash, now) => byHash().get({ hash, now }) ?? null,
    list: async (scope, now, limit): Promise<HeldSession[]> =>
      held()
        .where(and(within(scope), gt(sessions.expiresAt, now)))
        .orderBy(desc(sessions.lastUsedAt), desc(sessions.id))
        .limit(limit)
        .all(),
    holder: async (id, now) =>
      held()
        .where(and(eq(sessions.id, id), gt(sessions.expiresAt, now)))
        .get() ?? null,
    touch: (id, at) =>
      writer.write(() => void orm.update(sessions).set({ lastUsedAt: at }).where(eq(sessions.id, id)).run()),
    remove: (hash) =>
      writer.write(
        () => orm.delete(sessions).where(eq(sessions.hash, hash)).returning({ hash: sessions.hash }).all().length > 0,
      ),
    end: (scope, which, audit) =>
      writer.write(() => {
        const keys = orm.select({ id: apiKeys.id }).from(apiKeys).where(within(scope));
        const chosen =
          "ids" in which
            ? inArray(sessions.id, [...which.ids])
            : which.except === null
              ? undefined
              : ne(sessions.id, which.except);
        const ended = orm
          .delete(sessions)
          .where(and(inArray(sessions.keyId, keys), chosen))
          .returning({ id: sessions.id })
          .all().length;
        if (ended > 0) audits.append(audit);
        return ended;
      }),
    insertLink: (link) => writer.write(() => void orm.insert(signInLinks).values(link).run()),
    redeemLink: (linkHash, begun) =>
      writer.write(() => {
        const link = orm.delete(signInLinks).where(eq(signInLinks.hash, linkHash)).returning().get();
        if (link === undefined || link.expiresAt <= begun.createdAt) return null;
        const session = { ...begun, keyId: link.keyId, keyHash: link.keyHash };
        orm.insert(sessions).values(session).run();
        return session;
      }),
    sweep: (now, limit) => writer.write(() => sweepOne(sessions, now, limit) + sweepOne(signInLinks, now, limit)),
  };
}
