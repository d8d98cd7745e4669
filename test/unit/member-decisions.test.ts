import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { changedMember, memberObstacle, roleProblem } from "../../src/features/workspaces/members/decisions.ts";
import { permissions, type Permission } from "../../src/platform/auth/key-model.ts";
import { memberRoles, type MemberRole } from "../../src/platform/auth/member-role.ts";
import type { Member } from "../../src/platform/auth/workspace-model.ts";

function memberOf(userId: string, role: MemberRole, changes: Partial<Member> = {}): Member {
  const custom: Permission[] = ["leads:read"];
  const own = { role, permissions: role === "custom" ? custom : null };
  return { workspaceId: "w", userId, ...own, isActive: true, createdAt: 1, updatedAt: 1, ...changes };
}

const everything = ["*"] as const;
const owner = { role: "owner", permissions: everything, userId: "ada" } as const;
const admin = { role: "admin", permissions: everything, userId: "alan" } as const;
const globalKey = { role: null, permissions: everything, userId: null } as const;

test("a change leaves what it does not name, and another role removes custom permissions", () => {
  const bob = memberOf("bob", "custom");
  expect(changedMember(bob, { isActive: false }, 9)).toEqual({ ...bob, isActive: false, updatedAt: 9 });
  expect(changedMember(bob, { role: "viewer" }, 9)).toEqual(memberOf("bob", "viewer", { updatedAt: 9 }));
  const wider: Permission[] = ["leads:read", "leads:write"];
  expect(changedMember(bob, { permissions: wider }, 9)).toEqual({ ...bob, permissions: wider, updatedAt: 9 });
});

test("permissions belong to the role custom, and to no other", () => {
  expect(roleProblem({ role: "custom", permissions: ["leads:read"] })).toBeNull();
  expect(roleProblem({ role: "viewer", permissions: null })).toBeNull();
  expect(roleProblem({ role: "custom", permissions: [] })).toBe("missing");
  expect(roleProblem({ role: "custom", permissions: null })).toBe("missing");
  expect(roleProblem({ role: "viewer", permissions: ["leads:read"] })).toBe("unexpected");
});

const roles = fc.constantFrom(...memberRoles);
const states = fc.record({ role: roles, isActive: fc.boolean() });

test("whoever changes whom, an active owner is left", () => {
  const managers = fc.constantFrom(owner, admin, globalKey);
  fc.assert(
    fc.property(
      managers,
      states,
      fc.option(states),
      fc.integer({ min: 0, max: 3 }),
      (manager, was, becomes, others) => {
        const before = memberOf("bob", was.role, { isActive: was.isActive });
        const after = becomes && memberOf("bob", becomes.role, { isActive: becomes.isActive });
        const isOwner = (member: Member | null) => member !== null && member.role === "owner" && member.isActive;
        const activeOwners = others + Number(isOwner(before));
        fc.pre(activeOwners > 0);
        if (memberObstacle(manager, { before, after, activeOwners }) === null)
          expect(others + Number(isOwner(after))).toBeGreaterThan(0);
      },
    ),
  );
});

test("everyone may leave, except the last owner", () => {
  for (const role of memberRoles) {
    const before = memberOf("bob", role);
    const self = { role, permissions: ["leads:read"] as const, userId: "bob" };
    expect(memberObstacle(self, { before, after: null, activeOwners: 2 })).toBeNull();
  }
  const last = memberOf("ada", "owner");
  expect(memberObstacle(owner, { before: last, after: null, activeOwners: 1 })).toEqual({ kind: "lastOwner" });
});

test("no one but owners and admins changes members, and only owners change owners", () => {
  const bob = memberOf("bob", "member");
  for (const role of ["member", "viewer", "custom"] as const)
    expect(memberObstacle({ ...owner, role }, { before: bob, after: null, activeOwners: 1 })).toEqual({ kind: "role" });
  const ada = memberOf("ada", "owner");
  const seen = { before: ada, after: null, activeOwners: 2 };
  expect(memberObstacle(admin, seen)).toEqual({ kind: "owner" });
  expect(memberObstacle(globalKey, seen)).toBeNull();
  const promoted = { before: bob, after: changedMember(bob, { role: "owner" }, 2), activeOwners: 1 };
  expect(memberObstacle(admin, promoted)).toEqual({ kind: "owner" });
  expect(memberObstacle(owner, promoted)).toBeNull();
});

test("a key with few permissions deactivates a member, and gives no more than it has", () => {
  const narrow = { ...admin, permissions: ["users:write"] as Permission[] };
  const bob = memberOf("bob", "member");
  const deactivated = changedMember(bob, { isActive: false }, 2);
  expect(memberObstacle(narrow, { before: bob, after: deactivated, activeOwners: 1 })).toBeNull();
  const restored = memberObstacle(narrow, { before: deactivated, after: bob, activeOwners: 1 });
  expect(restored?.kind).toBe("permissions");
  const after = changedMember(bob, { role: "custom", permissions: [...permissions] }, 2);
  expect(memberObstacle(narrow, { before: bob, after, activeOwners: 1 })?.kind).toBe("permissions");
});
