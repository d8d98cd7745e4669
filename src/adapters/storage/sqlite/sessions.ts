import { and, eq, gt, inArray, lte, sql } from "drizzle-orm";
import type { SessionStore } from "../../../features/workspaces/sessions/store.ts";
import type { Engine } from "./engine.ts";
import { lazy } from "./prepared.ts";
import { sessions, signInLinks } from "./tables.ts";

export function createSessionStore({ orm, writer }: Engine): SessionStore {
  const at = sql.placeholder;
  const byHash = lazy(() =>
    orm
      .select()
      .from(sessions)
      .where(and(eq(sessions.hash, at("hash")), gt(sessions.expiresAt, at("now"))))
      .prepare(),
  );

  function sweepOne(table: typeof sessions | typeof signInLinks, now: number, limit: number): number {
    const ended = orm.select({ hash: table.hash }).from(table).where(lte(table.expiresAt, now)).limit(limit);
    return orm.delete(table).where(inArray(table.hash, ended)).returning({ hash: table.hash }).all().length;
  }

  return {
    insert: (session) => writer.write(() => void orm.insert(sessions).values(session).run()),
    find: async (hash, now) => byHash().get({ hash, now }) ?? null,
    remove: (hash) =>
      writer.write(
        () => orm.delete(sessions).where(eq(sessions.hash, hash)).returning({ hash: sessions.hash }).all().length > 0,
      ),
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
