import { and, count, desc, eq, gt, inArray, lte, ne } from "drizzle-orm";
import { keyEvent } from "../../../features/workspaces/keys/key-event.ts";
import type { InvitationFacts, InvitationStore } from "../../../features/workspaces/invitations/store.ts";
import type { User } from "../../../platform/auth/user-model.ts";
import type { Member } from "../../../platform/auth/workspace-model.ts";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";
import { appendAudit } from "./audit.ts";
import type { Connection, Engine } from "./engine.ts";
import { appendEvents } from "./event-rows.ts";
import { olderThan } from "./list-pages.ts";
import { apiKeys, invitations } from "./people-tables.ts";
import { members, users, workspaces } from "./tables.ts";
import { lockUsers } from "./users.ts";
import { lockWorkspace, userOf, workspaceOf } from "./workspaces.ts";

export function createInvitationStore({ orm, transact }: Engine): InvitationStore {
  return {
    insert: (invitation, audit, check) =>
      transact(async (connection) => {
        const { workspaceId, emailKey, createdAt } = invitation;
        await lockWorkspace(connection, workspaceId);
        const others = and(open(workspaceId, createdAt), ne(invitations.emailKey, emailKey));
        const [openInvitations] = await connection.select({ n: count() }).from(invitations).where(others);
        const invited = await userBy(connection, eq(users.emailKey, emailKey));
        check({
          isMember: (await memberOf(connection, workspaceId, invited?.id ?? null)) !== null,
          members: await countMembers(connection, workspaceId),
          openInvitations: openInvitations?.n ?? 0,
        });
        const replaced = and(eq(invitations.workspaceId, workspaceId), eq(invitations.emailKey, emailKey));
        await connection.delete(invitations).where(replaced);
        await connection.insert(invitations).values(invitation);
        await appendAudit(connection, [audit]);
      }),
    list: (workspaceId, now, limit, after) =>
      orm
        .select()
        .from(invitations)
        .where(and(open(workspaceId, now), olderThan(invitations, after)))
        .orderBy(desc(invitations.createdAt), desc(invitations.id))
        .limit(limit),
    count: async (workspaceId, now) =>
      (await orm.select({ n: count() }).from(invitations).where(open(workspaceId, now)))[0]?.n ?? 0,
    get: async (workspaceId, id) => (await orm.select().from(invitations).where(isOne(workspaceId, id)))[0] ?? null,
    remove: (workspaceId, id, audit) =>
      transact(async (connection) => {
        const removed = await connection
          .delete(invitations)
          .where(isOne(workspaceId, id))
          .returning({ id: invitations.id });
        if (removed.length === 0) return false;
        await appendAudit(connection, [audit]);
        return true;
      }),
    find: (hash) => factsOf(orm, hash),
    accept: (hash, decide) =>
      transact(async (connection) => {
        await lockUsers(connection);
        const [found] = await connection
          .select({ workspaceId: invitations.workspaceId })
          .from(invitations)
          .where(eq(invitations.hash, hash));
        if (found !== undefined) await lockWorkspace(connection, found.workspaceId);
        // Read behind the locks: another request may have accepted or revoked it meanwhile.
        const { user, member, key, audit } = decide(await factsOf(connection, hash));
        if (user !== null) await connection.insert(users).values(user);
        await connection.insert(members).values(member);
        await connection.insert(apiKeys).values(key);
        await appendEvents(connection, [keyEvent("key.created", key, key.createdAt, audit?.actorId)]);
        await connection.delete(invitations).where(eq(invitations.hash, hash));
        await appendAudit(connection, [audit]);
      }),
    sweep: async (now, limit) => {
      const expired = orm
        .select({ id: invitations.id })
        .from(invitations)
        .where(lte(invitations.expiresAt, now))
        .limit(limit);
      return (await orm.delete(invitations).where(inArray(invitations.id, expired)).returning({ id: invitations.id }))
        .length;
    },
  };
}

async function factsOf(connection: Connection, hash: string): Promise<InvitationFacts | null> {
  const [found] = await connection
    .select({ invitation: invitations, workspace: workspaces })
    .from(invitations)
    .innerJoin(workspaces, eq(workspaces.id, invitations.workspaceId))
    .where(eq(invitations.hash, hash));
  if (found === undefined) return null;
  const { invitation, workspace } = found;
  const { workspaceId, invitedBy, emailKey } = invitation;
  const inviter = await memberOf(connection, workspaceId, invitedBy);
  const inviting = inviter && (await userBy(connection, eq(users.id, inviter.userId)));
  const invited = await userBy(connection, eq(users.emailKey, emailKey));
  return {
    invitation,
    workspace: workspaceOf(workspace),
    inviter: inviter && inviting ? { member: inviter, user: inviting } : null,
    invited,
    membership: await memberOf(connection, workspaceId, invited?.id ?? null),
    members: await countMembers(connection, workspaceId),
  };
}

async function userBy(connection: Connection, condition: ReturnType<typeof eq>): Promise<User | null> {
  const [row] = await connection.select().from(users).where(condition);
  return row === undefined ? null : userOf(row);
}

async function memberOf(
  connection: Connection,
  workspaceId: WorkspaceId,
  userId: UserId | null,
): Promise<Member | null> {
  if (userId === null) return null;
  const [member] = await connection
    .select()
    .from(members)
    .where(and(eq(members.workspaceId, workspaceId), eq(members.userId, userId)));
  return member ?? null;
}

async function countMembers(connection: Connection, workspaceId: WorkspaceId): Promise<number> {
  const [row] = await connection.select({ n: count() }).from(members).where(eq(members.workspaceId, workspaceId));
  return row?.n ?? 0;
}

function open(workspaceId: WorkspaceId, now: number) {
  return and(eq(invitations.workspaceId, workspaceId), gt(invitations.expiresAt, now));
}

function isOne(workspaceId: WorkspaceId, id: string) {
  return and(eq(invitations.id, id), eq(invitations.workspaceId, workspaceId));
}
