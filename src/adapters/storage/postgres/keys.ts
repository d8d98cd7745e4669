import { and, asc, count, desc, eq, gt, gte, isNull, lt, lte, sql } from "drizzle-orm";
import { keyEvent } from "../../../features/workspaces/keys/key-event.ts";
import type { KeyScope, KeyStore } from "../../../platform/auth/key-store.ts";
import { appendAudit } from "./audit.ts";
import type { Connection, Engine } from "./engine.ts";
import { appendEvents } from "./event-rows.ts";
import { ownersOf } from "./owners.ts";
import { olderThan } from "./list-pages.ts";
import { takeLocks } from "./locks.ts";
import { apiKeys, keyUsage, keyWarnings } from "./people-tables.ts";
import { events } from "./tables.ts";

const dayMs = 86_400_000;

export function createKeyStore({ orm, transact }: Engine): KeyStore {
  /** Locks keys that expire in a period and were not announced for their current expiry time. */
  function expiring(connection: Connection, from: number, to: number, limit: number) {
    const isAnnounced = eq(keyWarnings.expiresAt, apiKeys.expiresAt);
    return connection
      .select({
        id: apiKeys.id,
        workspaceId: apiKeys.workspaceId,
        name: apiKeys.name,
        expiresAt: sql<number>`${apiKeys.expiresAt}`,
      })
      .from(apiKeys)
      .leftJoin(keyWarnings, and(eq(keyWarnings.keyId, apiKeys.id), isAnnounced))
      .where(
        and(
          gt(apiKeys.expiresAt, from),
          lte(apiKeys.expiresAt, to),
          eq(apiKeys.isActive, true),
          isNull(keyWarnings.keyId),
        ),
      )
      .limit(limit)
      .for("update", { of: apiKeys });
  }

  return {
    insert: (key, audit) =>
      transact(async (connection) => {
        await connection.insert(apiKeys).values(key);
        await appendEvents(connection, [keyEvent("key.created", key, key.createdAt, audit?.actorId)]);
        await appendAudit(connection, [audit]);
      }),
    findByHash: async (hash) => (await orm.select().from(apiKeys).where(eq(apiKeys.hash, hash)))[0] ?? null,
    get: async (scope, id) =>
      (
        await orm
          .select()
          .from(apiKeys)
          .where(and(eq(apiKeys.id, id), within(scope)))
      )[0] ?? null,
    list: (scope, limit, after = null) =>
      orm
        .select()
        .from(apiKeys)
        .where(and(within(scope), olderThan(apiKeys, after)))
        .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id))
        .limit(limit),
    count: async (scope) => (await orm.select({ n: count() }).from(apiKeys).where(within(scope)))[0]?.n ?? 0,
    update: (id, change, audit) =>
      transact(async (connection) => {
        const [key] = await connection.update(apiKeys).set(change).where(eq(apiKeys.id, id)).returning();
        if (key === undefined) return null;
        if (change.hash !== undefined)
          await appendEvents(connection, [keyEvent("key.regenerated", key, change.updatedAt, audit?.actorId)]);
        await appendAudit(connection, [audit]);
        return key;
      }),
    remove: (id, at, audit) =>
      transact(async (connection) => {
        const [key] = await connection.delete(apiKeys).where(eq(apiKeys.id, id)).returning();
        if (key === undefined) return false;
        await appendEvents(connection, [keyEvent("key.deleted", key, at, audit?.actorId)]);
        await appendAudit(connection, [audit]);
        return true;
      }),
    warnOfEnds: (from, to, limit) =>
      transact(async (connection) => {
        // Another node that warns at the same time would see the keys before their warnings are committed.
        await takeLocks(connection, [{ key: "warnings of keys", isShared: false }]);
        const ending = await expiring(connection, from, to, limit);
        if (ending.length === 0) return 0;
        await appendEvents(
          connection,
          ending.map((key) => keyEvent("key.expiring", key, from)),
        );
        await connection
          .insert(keyWarnings)
          .values(ending.map(({ id: keyId, expiresAt }) => ({ keyId, expiresAt })))
          .onConflictDoUpdate({
            target: keyWarnings.keyId,
            set: { expiresAt: sql`excluded.${sql.identifier(keyWarnings.expiresAt.name)}` },
          });
        return ending.length;
      }),
    tellLeak: (key, at, since) =>
      transact(async (connection) => {
        await takeLocks(connection, [{ key: `leak of ${key.id}`, isShared: false }]);
        const owner = key.workspaceId && ((await ownersOf(connection, [key.workspaceId])).get(key.workspaceId) ?? 0);
        const [told] = await connection
          .select({ id: events.id })
          .from(events)
          .where(
            and(
              owner === null ? isNull(events.owner) : eq(events.owner, owner),
              eq(events.type, "key.leaked"),
              gt(events.at, since),
              eq(sql`${events.data} ->> 'keyId'`, key.id),
            ),
          )
          .limit(1);
        if (told === undefined) await appendEvents(connection, [keyEvent("key.leaked", key, at)]);
      }),
    recordUsage: async (usages) => {
      if (usages.length === 0) return;
      // In the order of the keys, so that two nodes do not wait for each other.
      const rows = usages.toSorted((one, other) => (one.keyId < other.keyId ? -1 : 1));
      const { id, usageCount, lastUsedAt } = apiKeys;
      await transact(async (connection) => {
        await connection.execute(sql`
          SELECT 1 FROM ${apiKeys} WHERE ${id} IN (
            SELECT "keyId" FROM json_to_recordset(${JSON.stringify(rows)}::json) AS used ("keyId" text))
          ORDER BY ${id} FOR NO KEY UPDATE`);
        await connection.execute(sql`
          UPDATE ${apiKeys} SET ${sql.identifier(usageCount.name)} = ${usageCount} + used.uses,
            ${sql.identifier(lastUsedAt.name)} = greatest(${lastUsedAt}, used."lastUsedAt")
          FROM json_to_recordset(${JSON.stringify(rows)}::json) AS used ("keyId" text, uses bigint, "lastUsedAt" bigint)
          WHERE ${id} = used."keyId"`);
        const days = rows.map(({ keyId, uses, lastUsedAt: at }) => ({ keyId, uses, day: Math.floor(at / dayMs) }));
        // Only for keys that exist: a key may have been deleted since it was counted.
        await connection.execute(sql`
          INSERT INTO ${keyUsage} SELECT ${id}, used.day, used.uses
          FROM json_to_recordset(${JSON.stringify(days)}::json) AS used ("keyId" text, day integer, uses bigint)
          JOIN ${apiKeys} ON ${id} = used."keyId" ORDER BY ${id}
          ON CONFLICT (${sql.identifier(keyUsage.keyId.name)}, ${sql.identifier(keyUsage.day.name)})
            DO UPDATE SET ${sql.identifier(keyUsage.uses.name)} = ${keyUsage.uses} + excluded.uses`);
      });
    },
    usage: (keyId, from) =>
      orm
        .select({ day: keyUsage.day, uses: keyUsage.uses })
        .from(keyUsage)
        .where(and(eq(keyUsage.keyId, keyId), gte(keyUsage.day, from)))
        .orderBy(asc(keyUsage.day)),
    forgetUsage: async (day, limit) => {
      const old = orm.select({ keyId: keyUsage.keyId, day: keyUsage.day }).from(keyUsage).where(lt(keyUsage.day, day));
      const rows = sql`(${keyUsage.keyId}, ${keyUsage.day}) IN ${old.limit(limit)}`;
      return (await orm.delete(keyUsage).where(rows).returning({ day: keyUsage.day })).length;
    },
  };
}

/** The keys that a scope contains; all if undefined. */
function within(scope: KeyScope) {
  if (scope === "all") return undefined;
  const { workspaceId, userId } = scope;
  return and(
    workspaceId === undefined ? undefined : eq(apiKeys.workspaceId, workspaceId),
    userId === undefined ? undefined : eq(apiKeys.userId, userId),
  );
}
