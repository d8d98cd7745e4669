import { and, asc, count, eq } from "drizzle-orm";
import type { User } from "../../../platform/auth/user-model.ts";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";
import type { IdentityFacts, IdentityStore } from "../../../features/workspaces/sign-in/store.ts";
import type { CommonRows } from "./common-rows.ts";
import type { Engine } from "./engine.ts";
import { members, userIdentities, users, workspaces } from "./tables.ts";
import { userOf } from "./user-rows.ts";

export function createIdentityStore({ orm, writer }: Engine, { audits }: CommonRows): IdentityStore {
  function known(issuer: string, subject: string): IdentityFacts["known"] {
    const row = orm
      .select({ identity: userIdentities, user: users })
      .from(userIdentities)
      .innerJoin(users, eq(users.id, userIdentities.userId))
      .where(and(eq(userIdentities.issuer, issuer), eq(userIdentities.subject, subject)))
      .get();
    return row === undefined ? null : { identity: row.identity, user: userOf(row.user) };
  }

  function byAddress(emailKey: string): User | null {
    const row = orm.select().from(users).where(eq(users.emailKey, emailKey)).get();
    return row === undefined ? null : userOf(row);
  }

  const hasIdentity = (issuer: string, userId: UserId) =>
    orm
      .select({ id: userIdentities.id })
      .from(userIdentities)
      .where(and(eq(userIdentities.issuer, issuer), eq(userIdentities.userId, userId)))
      .get() !== undefined;

  function workspace(id: WorkspaceId | null): IdentityFacts["workspace"] {
    const row = orm
      .select({ id: workspaces.id, timeZone: workspaces.timeZone })
      .from(workspaces)
      .where(id === null ? undefined : eq(workspaces.id, id))
      .orderBy(asc(workspaces.createdAt), asc(workspaces.id))
      .limit(1)
      .get();
    if (row === undefined) return null;
    const counted = orm.select({ n: count() }).from(members).where(eq(members.workspaceId, row.id)).get();
    return { ...row, members: counted?.n ?? 0 };
  }

  return {
    resolve: ({ issuer, subject, emailKey }, workspaceId, decide) =>
      writer.write(() => {
        const user = byAddress(emailKey);
        const { identity, newcomer, audit } = decide({
          known: known(issuer, subject),
          byAddress: user,
          isTaken: user !== null && hasIdentity(issuer, user.id),
          workspace: workspace(workspaceId),
        });
        if (newcomer !== null) {
          orm.insert(users).values(newcomer.user).run();
          orm.insert(members).values(newcomer.member).run();
        }
        const { email, lastUsedAt } = identity;
        orm
          .insert(userIdentities)
          .values(identity)
          .onConflictDoUpdate({ target: userIdentities.id, set: { email, lastUsedAt } })
          .run();
        if (audit !== null) audits.append(audit);
      }),
    ofUser: async (userId) =>
      orm
        .select()
        .from(userIdentities)
        .where(eq(userIdentities.userId, userId))
        .orderBy(asc(userIdentities.createdAt), asc(userIdentities.id))
        .all(),
    remove: (userId, id, audit) =>
      writer.write(() => {
        const removed = orm
          .delete(userIdentities)
          .where(and(eq(userIdentities.id, id), eq(userIdentities.userId, userId)))
          .returning({ id: userIdentities.id })
          .all();
        if (removed.length === 0) return false;
        audits.append(audit);
        return true;
      }),
  };
}
