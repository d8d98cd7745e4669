import { auditEntry } from "../../../platform/auth/audit/entry.ts";
import type { AuditAction, AuditDetails } from "../../../platform/auth/audit/model.ts";
import type { KeyRing } from "../../../platform/auth/access.ts";
import { denied, requireApprover, type Caller } from "../../../platform/auth/caller.ts";
import { knownPermissions } from "../../../platform/auth/known-permissions.ts";
import { managerOf } from "../../../platform/auth/may-manage.ts";
import type { Member } from "../../../platform/auth/workspace-model.ts";
import { isoTime, type Clock } from "../../../platform/base/clock.ts";
import { ApiError, invalid, notFound, requireFields } from "../../../platform/base/errors.ts";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";
import type { MemberFacts, MemberOfWorkspace, WorkspaceStore } from "../store.ts";
import { changedMember, memberObstacle, roleProblem, type MemberObstacle } from "./decisions.ts";
import type { MemberUpdate, MemberView } from "./model.ts";

/** Passes on what belongs to one member to another; null: to nobody. */
export type HandOver = (workspaceId: WorkspaceId, from: UserId, to: UserId | null) => Promise<void>;

/** Who gets what a removed member worked on; absent: nobody. */
export type Successors = { leadsTo?: UserId | undefined; accountsTo?: UserId | undefined };

type Parts = {
  workspaces: WorkspaceStore;
  ring: KeyRing;
  clock: Clock;
  handOver: Readonly<Record<keyof Successors, HandOver>>;
};

/** Lists and changes the members of a workspace. */
export class MemberService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Oldest first. */
  async list(workspaceId: WorkspaceId): Promise<MemberView[]> {
    return (await this.#parts.workspaces.members(workspaceId)).map(memberView);
  }

  async get(workspaceId: WorkspaceId, userId: UserId): Promise<MemberView> {
    const found = await this.#parts.workspaces.member(workspaceId, userId);
    if (found === null) throw notFound("member", userId);
    return memberView(found);
  }

  /**
   * Changes the role of a member, or deactivates or reactivates them. Throws PERMISSION_DENIED by the rules of `mayManage`,
   * and CONFLICT if no active owner would be left.
   */
  async update(
    caller: Caller,
    workspaceId: WorkspaceId,
    userId: UserId,
    { role, permissions, isActive }: MemberUpdate,
  ): Promise<MemberView> {
    requireFields({ role, permissions, isActive });
    const change = {
      ...(role !== undefined && { role }),
      ...(permissions !== undefined && { permissions: knownPermissions(permissions) }),
      ...(isActive !== undefined && { isActive }),
    };
    await this.#change(caller, workspaceId, [userId], (facts, now) => {
      const before = memberIn(facts, userId);
      const after = changedMember(before, change, now);
      requireRole(after);
      requireChange(caller, memberObstacle(managerIn(caller), { before, after, activeOwners: facts.activeOwners }));
      const details = { role: after.role, isActive: after.isActive };
      return { write: [after], remove: [], audit: this.#audit(caller, "member.updated", before, details) };
    });
    return this.get(workspaceId, userId);
  }

  /**
   * Removes a member, or lets a member leave, after their leads and network accounts were passed on. Their keys and sessions end at once.
   * Throws the same errors as `update`, and VALIDATION_ERROR for a successor who is no other active member.
   */
  async remove(caller: Caller, workspaceId: WorkspaceId, userId: UserId, successors: Successors): Promise<void> {
    const { workspaces, handOver } = this.#parts;
    requireApprover(caller, "manage members");
    const members = await workspaces.members(workspaceId);
    const leaving = members.find(({ member }) => member.userId === userId);
    if (leaving === undefined) throw notFound("member", userId);
    const before = leaving.member;
    const activeOwners = members.filter(isActiveOwner).length;
    requireChange(caller, memberObstacle(managerIn(caller), { before, after: null, activeOwners }));
    requireSuccessors(members, userId, successors);
    // First, so that an interrupted removal can be repeated.
    for (const what of ["leadsTo", "accountsTo"] as const)
      await handOver[what](workspaceId, userId, successors[what] ?? null);
    await this.#change(caller, workspaceId, [userId], (facts) => {
      const before = memberIn(facts, userId);
      requireChange(
        caller,
        memberObstacle(managerIn(caller), { before, after: null, activeOwners: facts.activeOwners }),
      );
      const audit = this.#audit(caller, "member.removed", before, { role: before.role });
      return { write: [], remove: [userId], audit };
    });
    // Those that were assigned to the member meanwhile. From now on, none can be.
    await handOver.leadsTo(workspaceId, userId, successors.leadsTo ?? null);
  }

  /** Makes another active member an owner; the caller, an owner until then, becomes an admin. */
  async transferOwnership(caller: Caller, workspaceId: WorkspaceId, userId: UserId): Promise<MemberView> {
    const from = caller.userId;
    if (from === null)
      throw denied(
        caller,
        "*",
        "Only owners can transfer their ownership. With a global key, change the roles of both.",
      );
    if (from === userId)
      throw invalid([{ path: "userId", message: "You already own this workspace. Choose another member." }]);
    await this.#change(caller, workspaceId, [from, userId], (facts, now) => {
      const [giver, taker] = [memberIn(facts, from), memberIn(facts, userId)];
      if (giver.role !== "owner") throw denied(caller, "*", "Only owners can transfer their ownership.");
      if (!taker.isActive)
        throw new ApiError("CONFLICT", { message: "This member is deactivated. Reactivate them first." });
      const after = changedMember(taker, { role: "owner" }, now);
      requireChange(
        caller,
        memberObstacle(managerIn(caller), { before: taker, after, activeOwners: facts.activeOwners }),
      );
      return {
        write: [changedMember(giver, { role: "admin" }, now), after],
        remove: [],
        audit: this.#audit(caller, "workspace.ownershipTransferred", taker, {}),
      };
    });
    return this.get(workspaceId, userId);
  }

  async #change(
    caller: Caller,
    workspaceId: WorkspaceId,
    userIds: readonly UserId[],
    decide: (facts: MemberFacts, now: number) => ReturnType<Parameters<WorkspaceStore["changeMembers"]>[2]>,
  ): Promise<void> {
    requireApprover(caller, "manage members");
    const now = this.#parts.clock.now();
    await this.#parts.workspaces.changeMembers(workspaceId, userIds, (facts) => decide(facts, now));
    this.#parts.ring.forget();
  }

  #audit(caller: Caller, action: AuditAction, { workspaceId, userId }: Member, details: AuditDetails) {
    const target = { type: "member", id: userId };
    return auditEntry(caller, this.#parts.clock.now(), { action, workspaceId, target, details });
  }
}

export function memberView({ member, user }: MemberOfWorkspace): MemberView {
  const { userId, role, permissions, createdAt, updatedAt } = member;
  return {
    userId,
    email: user.email,
    name: user.name,
    role,
    permissions,
    isActive: member.isActive && user.isActive,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}

/** Throws VALIDATION_ERROR unless the permissions belong to the role. */
export function requireRole(grant: Parameters<typeof roleProblem>[0]): void {
  const problem = roleProblem(grant);
  if (problem === null) return;
  const message =
    problem === "missing"
      ? "The role `custom` needs at least one permission."
      : `The role ${grant.role} has fixed permissions. Omit permissions, or choose the role custom.`;
  throw invalid([{ path: "permissions", message }]);
}

/** Throws the error of an obstacle. */
export function requireChange(caller: Caller, obstacle: MemberObstacle | null): void {
  if (obstacle === null) return;
  switch (obstacle.kind) {
    case "role":
      throw denied(caller, "*", "Only owners and admins of the workspace can manage its members.");
    case "owner":
      throw denied(caller, "*", "Only owners of the workspace can add, change, or remove owners.");
    case "permissions": {
      const { lacking } = obstacle;
      const message = `This API key cannot give a role with permissions it lacks: ${lacking.join(", ")}.`;
      throw denied(caller, lacking[0]!, message, { lacking });
    }
    case "lastOwner":
      throw new ApiError("CONFLICT", {
        message: "A workspace needs an active owner. Make another member an owner first.",
      });
  }
}

function isActiveOwner({ member, user }: MemberOfWorkspace): boolean {
  return member.role === "owner" && member.isActive && user.isActive;
}

function requireSuccessors(members: readonly MemberOfWorkspace[], leaving: UserId, successors: Successors): void {
  const isActive = (userId: UserId) =>
    userId !== leaving &&
    members.some(({ member, user }) => member.userId === userId && member.isActive && user.isActive);
  const errors = Object.entries(successors).flatMap(([path, userId]) =>
    userId === undefined || isActive(userId)
      ? []
      : [{ path, message: `${userId} is not the ID of another active member of the workspace.` }],
  );
  if (errors.length > 0) throw invalid(errors);
}

function managerIn(caller: Caller) {
  return { ...managerOf(caller), userId: caller.userId };
}

function memberIn({ members }: MemberFacts, userId: UserId): Member {
  const member = members.find((one) => one.userId === userId);
  if (member === undefined) throw notFound("member", userId);
  return member;
}
