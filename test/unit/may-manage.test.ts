import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { permissions, type Grant } from "../../src/platform/auth/key-model.ts";
import { mayManage, type Manager } from "../../src/platform/auth/may-manage.ts";
import { memberRoles, permissionsOf, type RoleGrant } from "../../src/platform/auth/member-role.ts";

const grants = fc.oneof(fc.constant<Grant[]>(["*"]), fc.subarray<Grant>([...permissions]));
const roleGrant: fc.Arbitrary<RoleGrant> = fc.oneof(
  fc.constantFrom(...memberRoles).map((role) => ({ role, permissions: role === "custom" ? [] : null })),
  fc.subarray([...permissions]).map((custom) => ({ role: "custom" as const, permissions: custom })),
);
const optionalGrant = fc.option(roleGrant, { nil: null });
const manager: fc.Arbitrary<Manager> = fc.record({ role: fc.constantFrom(...memberRoles, null), permissions: grants });

test("no one gives permissions beyond their own", () => {
  fc.assert(
    fc.property(manager, optionalGrant, roleGrant, (by, before, after) => {
      if (mayManage(by, { before, after }) !== null || by.permissions.includes("*")) return;
      const given = permissionsOf(after);
      const all = given.includes("*") ? permissions : given;
      for (const permission of all) expect(by.permissions).toContain(permission);
    }),
  );
});

test("only owners and global keys make, change, or remove owners", () => {
  fc.assert(
    fc.property(manager, optionalGrant, optionalGrant, (by, before, after) => {
      if (before?.role !== "owner" && after?.role !== "owner") return;
      if (mayManage(by, { before, after }) === null) expect([null, "owner"]).toContain(by.role);
    }),
  );
});

test("members, viewers, and custom roles manage no one", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("member", "viewer", "custom"),
      grants,
      optionalGrant,
      optionalGrant,
      (role, own, before, after) => {
        expect(mayManage({ role, permissions: own }, { before, after })).toEqual({ kind: "role" });
      },
    ),
  );
});

test("a limited key of an owner gives no more than the key may do", () => {
  const limited: Manager = { role: "owner", permissions: ["users:read", "users:write"] };
  const custom = (own: RoleGrant["permissions"]): RoleGrant => ({ role: "custom", permissions: own });
  expect(mayManage(limited, { before: null, after: custom(["users:read"]) })).toBeNull();
  expect(mayManage(limited, { before: null, after: custom(["leads:read"]) })).toEqual({
    kind: "permissions",
    lacking: ["leads:read"],
  });
  const owner = { role: "owner", permissions: null } as const;
  const lacking = permissions.filter((permission) => !limited.permissions.includes(permission));
  expect(mayManage(limited, { before: null, after: owner })).toEqual({ kind: "permissions", lacking });
});
