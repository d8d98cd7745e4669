import { and, asc, count, desc, eq, gt, gte, lt, lte, not, sql } from "drizzle-orm";
import type { KeyScope, KeyStore, KeyUsage } from "../../../platform/auth/key-store.ts";
import type { Engine } from "./engine.ts";
import { keyEvent } from "../../../features/workspaces/keys/key-event.ts";
import { olderThan } from "./list-pages.ts";
import { lazy, prepared } from "./prepared.ts";
import type { CommonRows } from "./common-rows.ts";
import { apiKeys, keyUsage, keyWarnings } from "./tables.ts";

const dayMs = 86_400_000;

export function createKeyStore(engine: Engine, { audits, events }: CommonRows): KeyStore {
  const { orm, database, writer } = engine;
  const at = sql.placeholder;
  const byHash = lazy(() =>
    orm
      .select()
      .from(apiKeys)
      .where(eq(apiKeys.hash, at("hash")))
      .prepare(),
  );
  const addUses = lazy(() =>
    orm
      .update(apiKeys)
      .set({
        usageCount: sql`${apiKeys.usageCount} + ${at("uses")}`,
        lastUsedAt: sql`max(coalesce(${apiKeys.lastUsedAt}, 0), ${at("lastUsedAt")})`,
      })
      .where(eq(apiKeys.id, at("keyId")))
      .prepare(),
  );

  /** Only for keys that exist: a key may have been deleted since it was counted. */
  function addDayUses({ keyId, uses, lastUsedAt }: KeyUsage): void {
    const day = sql<number>`${Math.floor(lastUsedAt / dayMs)}`.as("day");
    const used = { keyId: apiKeys.id, day, uses: sql<number>`${uses}`.as("uses") };
    orm
      .insert(keyUsage)
      .select(orm.select(used).from(apiKeys).where(eq(apiKeys.id, keyId)))
      .onConflictDoUpdate({
        target: [keyUsage.keyId, keyUsage.day],
        set: { uses: sql`${keyUsage.uses} + ${uses}` },
      })
      .run();
  }

  /** Keys that expire in a period and were not announced for their current expiry time. */
  function expiring(from: number, to: number, limit: number) {
    const isAnnounced = sql`${keyWarnings.expiresAt} IS ${apiKeys.expiresAt}`;
    return orm
      .select({
        id: apiKeys.id,
        workspaceId: apiKeys.workspaceId,
        name: apiKeys.name,
        expiresAt: sql<number>`${apiKeys.expiresAt}`,
      })
      .from(apiKeys)
      .leftJoin(keyWarnings, eq(keyWarnings.keyId, apiKeys.id))
      .where(and(gt(apiKeys.expiresAt, from), lte(apiKeys.expiresAt, to), eq(apiKeys.isActive, true), not(isAnnounced)))
      .limit(limit)
      .all();
  }

  const leakTold = prepared<object, [string | null, number, string]>(
    database,
    `SELECT 1 FROM events WHERE owner IS (SELECT seq FROM workspaces WHERE id = ?) AND type = 'key.leaked' AND at > ?
       AND data ->> 'keyId' = ?`,
  );

  const within = (scope: KeyScope) =>
    scope === "all"
      ? undefined
      : and(
          scope.workspaceId === undefined ? undefined : eq(apiKeys.workspaceId, scope.workspaceId),
          scope.userId === undefined ? undefined : eq(apiKeys.userId, scope.userId),
        );

  return {
    insert: (key, audit) =>
      writer.write(() => {
        orm.insert(apiKeys).values(key).run();
        events.append(keyEvent("key.created", key, key.createdAt, audit?.actorId));
        audits.append(audit);
      }),
    findByHash: async (hash) => byHash().get({ hash }) ?? null,
    get: async (scope, id) =>
      orm
        .select()
        .from(apiKeys)
        .where(and(eq(apiKeys.id, id), within(scope)))
        .get() ?? null,
    list: async (scope, limit, after = null) =>
      orm
        .select()
        .from(apiKeys)
        .where(and(within(scope), olderThan(apiKeys, after)))
        .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id))
        .limit(limit)
        .all(),
    count: async (scope) => orm.select({ n: count() }).from(apiKeys).where(within(scope)).get()?.n ?? 0,
    update: (id, change, audit) =>
      writer.write(() => {
        const key = orm.update(apiKeys).set(change).where(eq(apiKeys.id, id)).returning().get() ?? null;
        if (key !== null && change.hash !== undefined)
          events.append(keyEvent("key.regenerated", key, change.updatedAt, audit?.actorId));
        if (key !== null) audits.append(audit);
        return key;
      }),
    remove: (id, at, audit) =>
      writer.write(() => {
        const [key] = orm.delete(apiKeys).where(eq(apiKeys.id, id)).returning().all();
        if (key === undefined) return false;
        events.append(keyEvent("key.deleted", key, at, audit?.actorId));
        audits.append(audit);
        return true;
      }),
    warnOfEnds: (from, to, limit) =>
      writer.write(() => {
        const ending = expiring(from, to, limit);
        for (const key of ending) {
          events.append(keyEvent("key.expiring", key, from));
          const { id: keyId, expiresAt } = key;
          const set = { expiresAt };
          orm
            .insert(keyWarnings)
            .values({ keyId, expiresAt })
            .onConflictDoUpdate({ target: keyWarnings.keyId, set })
            .run();
        }
        return ending.length;
      }),
    tellLeak: (key, at, since) =>
      writer.write(() => {
        events.flush();
        if (leakTold.get(key.workspaceId, since, key.id) === null) events.append(keyEvent("key.leaked", key, at));
      }),
    recordUsage: (usages) =>
      writer.write(() => {
        for (const usage of usages) {
          addUses().run(usage);
          addDayUses(usage);
        }
      }),
    usage: async (keyId, from) =>
      orm
        .select({ day: keyUsage.day, uses: keyUsage.uses })
        .from(keyUsage)
        .where(and(eq(keyUsage.keyId, keyId), gte(keyUsage.day, from)))
        .orderBy(asc(keyUsage.day))
        .all(),
    forgetUsage: (day, limit) =>
      writer.write(() => {
        const old = orm
          .select({ keyId: keyUsage.keyId, day: keyUsage.day })
          .from(keyUsage)
          .where(lt(keyUsage.day, day))
          .limit(limit)
          .all();
        for (const row of old)
          orm
            .delete(keyUsage)
            .where(and(eq(keyUsage.keyId, row.keyId), eq(keyUsage.day, row.day)))
            .run();
        return old.length;
      }),
  };
}
