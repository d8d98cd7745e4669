import { describe, expect, test } from "bun:test";
import { auditEntry } from "../../src/platform/auth/audit/entry.ts";
import { startOfTests } from "../support/clock.ts";
import { engines } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";

describe.each(engines)("workspaces on $name", ({ open }) => {
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
});
