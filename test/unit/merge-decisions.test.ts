import { expect, test } from "bun:test";
import {
  accountChanges,
  mergedCounts,
  namesOfPaused,
  newMembers,
  obsoleteInvitations,
  renamedRequest,
  unitedLead,
  type MovingAccount,
} from "../../src/features/workspaces/merge/decisions.ts";
import { mergePlan } from "../../src/features/workspaces/merge/plan.ts";
import type { Member } from "../../src/platform/auth/workspace-model.ts";
import { startOfTests } from "../support/clock.ts";
import { createFactories } from "../support/factories.ts";

const at = startOfTests;
const make = createFactories();

function member(userId: string, role: Member["role"], workspaceId = "from"): Member {
  return { workspaceId, userId, role, permissions: null, isActive: true, createdAt: 1, updatedAt: 1 };
}

function account(id: string, more: Partial<MovingAccount> = {}): MovingAccount {
  return { id, name: id, connector: "manual", connectorSettings: {}, state: "active", ...more };
}

test("owners of the workspace that ends become admins of the other one, and other roles stay", () => {
  const moving = [member("ada", "owner"), member("bob", "viewer")];
  expect(newMembers(moving, [], "into", at)).toEqual([
    { ...member("ada", "admin", "into"), updatedAt: at },
    { ...member("bob", "viewer", "into"), updatedAt: at },
  ]);
});

test("who is a member of both workspaces keeps the role in the one that remains", () => {
  expect(newMembers([member("ada", "owner")], [member("ada", "viewer", "into")], "into", at)).toEqual([]);
});

test("invitations of members and of people who are invited twice end", () => {
  const moving = ["member", "twice", "new"].map((id) => ({ id, emailKey: id }));
  expect(obsoleteInvitations(moving, [{ id: "other", emailKey: "twice" }], ["member"])).toEqual(["member", "twice"]);
});

test("an account gets another name only if the name is taken", () => {
  const moving = [account("one", { name: "default" }), account("two", { name: "second" })];
  const changes = accountChanges(moving, [account("other", { name: "default" })], { name: "Sales" });
  expect(changes).toEqual([{ id: "one", name: "default (Sales)" }]);
});

test("the new name of an account fits into 200 characters", () => {
  const name = "𝒜".repeat(200);
  const [change] = accountChanges([account("one", { name })], [account("other", { name })], { name });
  expect(change!.name).toBe(`${"𝒜".repeat(100)} (${"𝒜".repeat(90)})`);
});

test("an active account of a vendor that both workspaces have is paused", () => {
  const same = { connector: "unipile", connectorSettings: { accountId: "a", region: "eu" } } as const;
  const moving = [
    account("twin", same),
    account("paused", { ...same, state: "paused" }),
    account("another", { ...same, connectorSettings: { accountId: "b", region: "eu" } }),
    account("manual"),
  ];
  const staying = [account("other", { ...same, connectorSettings: { region: "eu", accountId: "a" } }), account("x")];
  const changes = accountChanges(moving, staying, { name: "Sales" });
  expect(changes).toEqual([
    { id: "twin", state: "paused", stateReason: expect.stringContaining("same account twice") },
  ]);
  expect(namesOfPaused(moving, changes)).toEqual(["twin"]);
});

test("a paused account is reported under its new name", () => {
  const same = { name: "default", connector: "linkedapi", connectorSettings: { token: "t" } } as const;
  const moving = [account("one", same)];
  const changes = accountChanges(moving, [account("other", same)], { name: "Sales" });
  expect(namesOfPaused(moving, changes)).toEqual(["default (Sales)"]);
});

test("requests for credits stay apart", () => {
  expect(renamedRequest("r-1", "w-2")).toBe("r-1 (w-2)");
});

test("a lead of both workspaces keeps its ID and is completed by the other one", () => {
  const kept = make.lead("into", { email: "ada@example.com", title: null, tags: ["a"] });
  const gone = make.lead("from", { email: "ada@example.com", title: "Countess", tags: ["b"] });
  const { lead, identity } = unitedLead(kept, gone, at + 1);
  expect(lead).toMatchObject({ id: kept.id, workspaceId: "into", title: "Countess", tags: ["a", "b"], version: 2 });
  expect(lead.updatedAt).toBe(at + 1);
  expect(identity.email).toBe("ada@example.com");
});

test("rows that have not arrived were united", () => {
  expect(mergedCounts({ from: 5, into: 3 }, 6)).toEqual({ moved: 3, united: 2 });
});

test("leads are merged before what names them, and members before invitations", () => {
  const order = Object.keys(mergePlan);
  for (const later of ["lead_tags", "campaign_enrollments", "events"])
    expect(order.indexOf("leads")).toBeLessThan(order.indexOf(later));
  expect(order.indexOf("members")).toBeLessThan(order.indexOf("invitations"));
});
