import { and, asc, count, eq, ne, sql, type SQL } from "drizzle-orm";
import type { UserId } from "../../../platform/base/ids.ts";
import type { NewUser, UserStore } from "../../../features/workspaces/users/store.ts";
import type { Engine } from "./engine.ts";
import { keyEvent } from "../../../features/workspaces/keys/key-event.ts";
import { newerThan } from "./list-pages.ts";
import { lazy } from "./prepared.ts";
import type { CommonRows } from "./common-rows.ts";
import { apiKeys, users } from "./tables.ts";
import { userOf } from "./user-rows.ts";
import { insertWorkspaceRows } from "./workspaces.ts";

export function createUserStore(engine: Engine, { audits, events }: CommonRows): UserStore {
  const { orm, writer } = engine;
  const byId = lazy(() =>
    orm
      .select()
      .from(users)
      .where(eq(users.id, sql.placeholder("id")))
      .prepare(),
  );

  const countOthers = (id: UserId, condition: SQL | undefined) =>
    orm
      .select({ n: count() })
      .from(users)
      .where(and(ne(users.id, id), condition))
      .get()?.n ?? 0;

  function insert({ user, key, audit, ...created }: NewUser): boolean {
    const taken = orm.select({ id: users.id }).from(users).where(eq(users.emailKey, user.emailKey)).get();
    if (taken !== undefined) return false;
    orm.insert(users).values(user).run();
    insertWorkspaceRows(engine, created);
    if (key !== null) {
      orm.insert(apiKeys).values(key).run();
      events.append(keyEvent("key.created", key, key.createdAt, audit?.actorId));
    }
    audits.append(audit);
    return true;
  }

  return {
    insert: (newcomer) => writer.write(() => insert(newcomer)),
    get: async (id) => {
      const row = byId().get({ id });
      return row === undefined ? null : userOf(row);
    },
    byAddress: async (emailKey) => {
      const row = orm.select().from(users).where(eq(users.emailKey, emailKey)).get();
      return row === undefined ? null : userOf(row);
    },
    list: async (limit, offset, after = null) =>
      orm
        .select()
        .from(users)
        .where(newerThan(users, after))
        .orderBy(asc(users.createdAt), asc(users.id))
        .limit(limit)
        .offset(offset)
        .all()
        .map(userOf),
    count: async () => orm.select({ n: count() }).from(users).get()?.n ?? 0,
    change: (id, emailKey, decide) =>
      writer.write(() => {
        const user = byId().get({ id });
        if (user === undefined) return null;
        const isTaken = emailKey !== null && countOthers(id, eq(users.emailKey, emailKey)) > 0;
        const otherAdmins = countOthers(id, and(eq(users.role, "admin"), eq(users.isActive, true)));
        const { change, audit } = decide({ user: userOf(user), otherAdmins, isTaken });
        const row = orm.update(users).set(change).where(eq(users.id, id)).returning().get();
        audits.append(audit);
        return userOf(row);
      }),
  };
}
