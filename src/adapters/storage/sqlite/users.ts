import { asc, count, eq, sql } from "drizzle-orm";
import type { User } from "../../../platform/auth/user-model.ts";
import type { NewUser, UserStore } from "../../../features/workspaces/users/store.ts";
import type { Engine } from "./engine.ts";
import { keyEvent } from "./key-event.ts";
import { newerThan } from "./list-pages.ts";
import { insertAccountRow } from "./network-accounts.ts";
import { lazy } from "./prepared.ts";
import type { SharedRows } from "./shared-rows.ts";
import { apiKeys, creditLedger, members, users, workspaces } from "./tables.ts";

export function createUserStore(engine: Engine, { audits, events }: SharedRows): UserStore {
  const { orm, writer } = engine;
  const byId = lazy(() =>
    orm
      .select()
      .from(users)
      .where(eq(users.id, sql.placeholder("id")))
      .prepare(),
  );

  function insert({ user, workspace, member, account, grant, key, audit }: NewUser): boolean {
    const taken = orm.select({ id: users.id }).from(users).where(eq(users.emailKey, user.emailKey)).get();
    if (taken !== undefined) return false;
    orm.insert(users).values(user).run();
    orm.insert(workspaces).values(workspace).run();
    orm.insert(members).values(member).run();
    insertAccountRow(engine, account);
    if (grant !== null) orm.insert(creditLedger).values(grant).run();
    if (key !== null) {
      orm.insert(apiKeys).values(key).run();
      events.append(keyEvent("key.created", key, key.createdAt));
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
    update: (id, change, audit) =>
      writer.write(() => {
        const row = orm.update(users).set(change).where(eq(users.id, id)).returning().get();
        if (row === undefined) return null;
        audits.append(audit);
        return userOf(row);
      }),
  };
}

export function userOf({ seq: _seq, ...user }: typeof users.$inferSelect): User {
  return user;
}
