import { describe, expect, test } from "bun:test";
import { defaultAccount, mayAdminister, mayUse, type AccountUser } from "../../src/features/network/may-use.ts";
import { memberRoles } from "../../src/platform/auth/member-role.ts";
import { accountOf } from "../support/orders.ts";

const user = (memberRole: AccountUser["memberRole"], userId: string | null = "ada"): AccountUser => ({
  ...{ workspaceId: "w", permissions: [] },
  memberRole,
  userId,
});
const unshared = { memberId: "bob", isShared: false };

describe("an account", () => {
  test("that is shared is used by everybody, and administered by its member, owners, and admins", () => {
    const shared = { memberId: "bob", isShared: true };
    expect(memberRoles.filter((role) => mayUse(user(role), shared))).toEqual([...memberRoles]);
    expect(memberRoles.filter((role) => mayAdminister(user(role), shared))).toEqual(["owner", "admin"]);
    expect(mayAdminister(user("viewer", "bob"), shared)).toBe(true);
  });

  test("that is not shared is used by its member, owners, admins, and global keys", () => {
    expect(memberRoles.filter((role) => mayUse(user(role), unshared))).toEqual(["owner", "admin"]);
    expect(mayUse(user("member", "bob"), unshared)).toBe(true);
    expect(mayUse(user(null, null), unshared)).toBe(true);
  });

  test("of nobody is used by owners and admins only", () => {
    const nobodys = { memberId: null, isShared: false };
    expect(memberRoles.filter((role) => mayUse(user(role), nobodys))).toEqual(["owner", "admin"]);
    expect(mayUse(user("member", null), nobodys)).toBe(false);
  });
});

test("the default account is the first own one, or else the first that one may use", () => {
  const [shared, bobs, own] = [
    accountOf({ id: "shared", memberId: "eve" }),
    accountOf({ id: "bobs", ...unshared }),
    accountOf({ id: "own", memberId: "ada" }),
  ];
  expect(defaultAccount(user("member"), [bobs, shared, own])?.id).toBe("own");
  expect(defaultAccount(user("member"), [bobs, shared])?.id).toBe("shared");
  expect(defaultAccount(user("owner"), [bobs, shared])?.id).toBe("bobs");
  expect(defaultAccount(user("member"), [bobs])).toBeNull();
  // Nobody in particular has no own accounts, not those of nobody.
  expect(defaultAccount(user(null, null), [shared, accountOf({ memberId: null })])?.id).toBe("shared");
});
