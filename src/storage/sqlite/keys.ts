import { and, desc, eq, sql } from "drizzle-orm";
import type { KeyScope, KeyStore } from "../../keys/store.ts";
import type { Engine } from "./engine.ts";
import { apiKeys } from "./tables.ts";

export function createKeyStore({ orm, writer }: Engine): KeyStore {
  const at = sql.placeholder;
  const byHash = orm
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.hash, at("hash")))
    .prepare();
  const addUses = orm
    .update(apiKeys)
    .set({
      usageCount: sql`${apiKeys.usageCount} + ${at("uses")}`,
      lastUsedAt: sql`max(coalesce(${apiKeys.lastUsedAt}, 0), ${at("lastUsedAt")})`,
    })
    .where(eq(apiKeys.id, at("keyId")))
    .prepare();

  const within = (scope: KeyScope) => (scope === "all" ? undefined : eq(apiKeys.userId, scope.userId));

  return {
    insert: (key) => writer.writeForAnswer(() => void orm.insert(apiKeys).values(key).run()),
    findByHash: async (hash) => byHash.get({ hash }) ?? null,
    get: async (scope, id) =>
      orm
        .select()
        .from(apiKeys)
        .where(and(eq(apiKeys.id, id), within(scope)))
        .get() ?? null,
    list: async (scope, limit) =>
      orm
        .select()
        .from(apiKeys)
        .where(within(scope))
        .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id))
        .limit(limit)
        .all(),
    update: (id, change) =>
      writer.writeForAnswer(() => orm.update(apiKeys).set(change).where(eq(apiKeys.id, id)).returning().get() ?? null),
    remove: (id) =>
      writer.write(() => orm.delete(apiKeys).where(eq(apiKeys.id, id)).returning({ id: apiKeys.id }).all().length > 0),
    recordUsage: (usages) =>
      writer.write(() => {
        for (const usage of usages) addUses.run(usage);
      }),
  };
}
