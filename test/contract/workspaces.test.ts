import { describe, expect, test } from "bun:test";
import { auditEntry } from "../../src/platform/auth/audit/entry.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";

describe.each(enginesAndPostgres)("workspaces on $name", ({ open }) => {
  test("a new user owns a workspace, holds its keys there, and nowhere else", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const ada = await make.storedUser(storage, { role: "admin" });
    const bob = await make.storedUser(storage);
    const { workspaces } = storage;
    expect(await workspaces.get(ada.workspace.id)).toEqual(ada.workspace);
    expect(await workspaces.ofUser(ada.user.id)).toEqual([{ workspace: ada.workspace, member: ada.member }]);
    expect(await workspaces.members(ada.workspace.id)).toEqual([{ member: ada.member, user: ada.user }]);
    expect(await workspaces.member(ada.workspace.id, bob.user.id)).toBeNull();
    expect(await workspaces.holder(ada.workspace.id, ada.user.id)).toEqual({
      role: "admin",
      member: { role: "owner", permissions: null },
    });
    expect(await workspaces.holder(ada.workspace.id, bob.user.id)).toBeNull();
    expect(await workspaces.get("nothing")).toBeNull();
    expect(await workspaces.ofUser("nobody")).toEqual([]);
  });

  test("nobody who is deactivated holds a key", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const { user, workspace } = await make.storedUser(storage, { isActive: false });
    expect(await storage.workspaces.holder(workspace.id, user.id)).toBeNull();
  });

  test("a change of a workspace leaves what it does not name, and is in the audit log", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const { workspace } = await make.storedUser(storage);
    const updatedAt = startOfTests + 5;
    const audit = auditEntry(null, updatedAt, {
      action: "user.updated",
      workspaceId: workspace.id,
      target: { type: "workspace", id: workspace.id },
    });
    const changed = await storage.workspaces.update(workspace.id, { name: "Sales", updatedAt }, audit);
    expect(changed).toEqual({ ...workspace, name: "Sales", updatedAt });
    expect(await storage.workspaces.get(workspace.id)).toEqual(changed);
    expect(await storage.workspaces.update("nothing", { name: "x", updatedAt }, audit)).toBeNull();
    expect(await storage.audit.page({ filter: {}, before: null, limit: 10 })).toEqual([{ seq: 1, ...audit }]);
  });

  test("a new workspace is stored with its owner, and workspaces are listed oldest first", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const ada = await make.storedUser(storage);
    const bob = await make.storedUser(storage);
    const audit = auditEntry(null, startOfTests, { action: "workspace.created", workspaceId: "w" });
    const workspace = { ...ada.workspace, id: "w", name: "Sales", createdAt: ada.workspace.createdAt + 9 };
    const member = { ...ada.member, workspaceId: "w", createdAt: ada.member.createdAt + 9 };
    const account = { ...ada.account, id: "account-w", workspaceId: "w" };
    await storage.workspaces.insert({ workspace, member, account, grant: null, audit });
    expect((await storage.workspaces.ofUser(ada.user.id)).map(({ workspace: { id } }) => id)).toEqual([
      ada.workspace.id,
      "w",
    ]);
    expect((await storage.network.accounts("w")).map(({ id }) => id)).toEqual(["account-w"]);
    expect(await storage.workspaces.count()).toBe(3);
    const first = await storage.workspaces.list(2, null);
    expect(first.map(({ id }) => id)).toEqual([ada.workspace.id, bob.workspace.id]);
    expect(await storage.workspaces.list(9, first[1]!)).toEqual([workspace]);
  });

  const removal = (at: number) => auditEntry(null, at, { action: "member.removed", workspaceId: null });

  test("members are added, changed, and removed, as decided on what the transaction sees", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const ada = await make.storedUser(storage);
    const bob = await make.storedUser(storage);
    const { id } = ada.workspace;
    const joined = { ...bob.member, workspaceId: id, role: "custom" as const, permissions: ["leads:read" as const] };
    await storage.workspaces.changeMembers(id, [bob.user.id], (facts) => {
      expect(facts).toEqual({ members: [], activeOwners: 1 });
      return { write: [joined], remove: [], audit: removal(1) };
    });
    expect((await storage.workspaces.member(id, bob.user.id))?.member).toEqual(joined);
    const owner = { ...joined, role: "owner" as const, permissions: null };
    await storage.workspaces.changeMembers(id, [bob.user.id, ada.user.id], (facts) => {
      expect(facts.members.map(({ userId }) => userId).toSorted()).toEqual([ada.user.id, bob.user.id].toSorted());
      return { write: [owner], remove: [], audit: removal(2) };
    });
    await storage.workspaces.changeMembers(id, [ada.user.id], (facts) => {
      expect(facts.activeOwners).toBe(2);
      return { write: [], remove: [ada.user.id], audit: removal(3) };
    });
    expect((await storage.workspaces.members(id)).map(({ member }) => member)).toEqual([owner]);
    // Nobody else's membership is touched.
    expect(await storage.workspaces.holder(bob.workspace.id, bob.user.id)).not.toBeNull();
    expect(await storage.audit.page({ filter: { actions: ["member.removed"] }, before: null, limit: 10 })).toHaveLength(
      3,
    );
  });

  test("the keys and sessions of a removed member go with them, those of their other workspaces stay", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const ada = await make.storedUser(storage);
    const bob = await make.storedUser(storage);
    const joined = { ...bob.member, workspaceId: ada.workspace.id };
    await storage.workspaces.changeMembers(ada.workspace.id, [], () => ({
      write: [joined],
      remove: [],
      audit: removal(1),
    }));
    const [there, own] = [ada.workspace.id, bob.workspace.id].map((workspaceId) =>
      make.key(workspaceId, { userId: bob.user.id }),
    );
    for (const key of [there!, own!]) {
      await storage.keys.insert(key);
      const times = { createdAt: startOfTests, lastUsedAt: startOfTests, expiresAt: startOfTests + 99 };
      const place = { address: null, userAgent: null };
      const hash = `session of ${key.id}`;
      await storage.sessions.insert({ id: hash, hash, keyId: key.id, keyHash: key.hash, ...place, ...times });
    }
    await storage.workspaces.changeMembers(ada.workspace.id, [bob.user.id], () => ({
      write: [],
      remove: [bob.user.id],
      audit: removal(2),
    }));
    expect(await storage.keys.findByHash(there!.hash)).toBeNull();
    expect(await storage.keys.findByHash(own!.hash)).not.toBeNull();
    expect(await storage.sessions.find(`session of ${there!.id}`, startOfTests)).toBeNull();
    expect(await storage.sessions.find(`session of ${own!.id}`, startOfTests)).not.toBeNull();
  });

  test("what the decision throws comes out, and nothing is changed", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const { workspace, member, user } = await make.storedUser(storage);
    const refused = storage.workspaces.changeMembers(workspace.id, [user.id], () => {
      throw new Error("the last owner");
    });
    await expect(refused).rejects.toThrow("the last owner");
    expect((await storage.workspaces.member(workspace.id, user.id))?.member).toEqual(member);
  });
});
