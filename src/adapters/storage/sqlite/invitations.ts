import { and, count, desc, eq, gt, inArray, lte, ne } from "drizzle-orm";
import type { InvitationFacts, InvitationStore } from "../../../features/workspaces/invitations/store.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import type { Engine } from "./engine.ts";
import { keyEvent } from "../../../features/workspaces/keys/key-event.ts";
import { olderThan } from "./list-pages.ts";
import type { CommonRows } from "./common-rows.ts";
import { apiKeys, invitations, members, users, workspaces } from "./tables.ts";
import { userOf } from "./user-rows.ts";
import { workspaceOf } from "./workspaces.ts";

export function createInvitationStore({ orm, writer }: Engine, { audits, events }: CommonRows): InvitationStore {
  const countMembers = (workspaceId: WorkspaceId) =>
    orm.select({ n: count() }).from(members).where(eq(members.workspaceId, workspaceId)).get()?.n ?? 0;
  const userBy = (emailKey: string) => {
    const row = orm.select().from(users).where(eq(users.emailKey, emailKey)).get();
    return row === undefined ? null : userOf(row);
  };
  const memberOf = (workspaceId: WorkspaceId, userId: string | null) =>
    (userId &&
      orm
        .select()
        .from(members)
        .where(and(eq(members.workspaceId, workspaceId), eq(members.userId, userId)))
        .get()) ||
    null;
  const open = (workspaceId: WorkspaceId, now: number) =>
    and(eq(invitations.workspaceId, workspaceId), gt(invitations.expiresAt, now));

  function factsOf(hash: string): InvitationFacts | null {
    const found = orm
      .select({ invitation: invitations, workspace: workspaces })
      .from(invitations)
      .innerJoin(workspaces, eq(workspaces.id, invitations.workspaceId))
      .where(eq(invitations.hash, hash))
      .get();
    if (found === undefined) return null;
    const { invitation, workspace } = found;
    const { workspaceId, invitedBy, emailKey } = invitation;
    const inviter = memberOf(workspaceId, invitedBy);
    const inviting = inviter && orm.select().from(users).where(eq(users.id, inviter.userId)).get();
    const invited = userBy(emailKey);
    return {
      invitation,
      workspace: workspaceOf(workspace),
      inviter: inviter && inviting ? { member: inviter, user: userOf(inviting) } : null,
      invited,
      membership: memberOf(workspaceId, invited?.id ?? null),
      members: countMembers(workspaceId),
    };
  }

  return {
    insert: (invitation, audit, check) =>
      writer.write(() => {
        const { workspaceId, emailKey, createdAt } = invitation;
        const others = and(open(workspaceId, createdAt), ne(invitations.emailKey, emailKey));
        check({
          isMember: memberOf(workspaceId, userBy(emailKey)?.id ?? null) !== null,
          members: countMembers(workspaceId),
          openInvitations: orm.select({ n: count() }).from(invitations).where(others).get()?.n ?? 0,
        });
        const replaced = and(eq(invitations.workspaceId, workspaceId), eq(invitations.emailKey, emailKey));
        orm.delete(invitations).where(replaced).run();
        orm.insert(invitations).values(invitation).run();
        audits.append(audit);
      }),
    list: async (workspaceId, now, limit, after) =>
      orm
        .select()
        .from(invitations)
        .where(and(open(workspaceId, now), olderThan(invitations, after)))
        .orderBy(desc(invitations.createdAt), desc(invitations.id))
        .limit(limit)
        .all(),
    count: async (workspaceId, now) =>
      orm.select({ n: count() }).from(invitations).where(open(workspaceId, now)).get()?.n ?? 0,
    get: async (workspaceId, id) =>
      orm
        .select()
        .from(invitations)
        .where(and(eq(invitations.id, id), eq(invitations.workspaceId, workspaceId)))
        .get() ?? null,
    remove: (workspaceId, id, audit) =>
      writer.write(() => {
        const removed = orm
          .delete(invitations)
          .where(and(eq(invitations.id, id), eq(invitations.workspaceId, workspaceId)))
          .returning({ id: invitations.id })
          .all();
        if (removed.length === 0) return false;
        audits.append(audit);
        return true;
      }),
    find: async (hash) => factsOf(hash),
    accept: (hash, decide) =>
      writer.write(() => {
        const { user, member, key, audit } = decide(factsOf(hash));
        if (user !== null) orm.insert(users).values(user).run();
        orm.insert(members).values(member).run();
        orm.insert(apiKeys).values(key).run();
        events.append(keyEvent("key.created", key, key.createdAt, audit?.actorId));
        orm.delete(invitations).where(eq(invitations.hash, hash)).run();
        audits.append(audit);
      }),
    sweep: (now, limit) =>
      writer.write(() => {
        const expired = orm
          .select({ id: invitations.id })
          .from(invitations)
          .where(lte(invitations.expiresAt, now))
          .limit(limit);
        return orm.delete(invitations).where(inArray(invitations.id, expired)).returning({ id: invitations.id }).all()
          .length;
      }),
  };
}
