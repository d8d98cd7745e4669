import { describe, expect, test } from "bun:test";
import type { SavedLeadView } from "../../src/features/leads/views/model.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";

describe.each(enginesAndPostgres)("saved views of leads on $name", ({ open }) => {
  test("are the workspace's, oldest first, and change only in what is sent", async () => {
    await using opened = await open();
    const { leadViews } = opened.storage;
    const { user } = await createFactories().storedUser(opened.storage);
    const view = (n: number): SavedLeadView => ({
      ...{ id: `v${n}`, workspaceId: user.id, ownerId: n === 1 ? null : user.id, name: `View ${n}` },
      ...{ filters: { tags: ["a"], hasEmail: true }, columns: ["name", "customFields.size"], sort: "-createdAt" },
      ...{ createdAt: 5, updatedAt: n },
    });
    for (const n of [2, 1, 3]) expect(await leadViews.insert(view(n), 200)).toBe(true);
    expect(await leadViews.list(user.id, 2, null)).toEqual([view(1), view(2)]);
    expect(await leadViews.list(user.id, 2, { createdAt: 5, id: "v2" })).toEqual([view(3)]);
    expect(await leadViews.count(user.id)).toBe(3);
    expect(await leadViews.update(user.id, "v2", { filters: { q: "x" }, updatedAt: 9 })).toEqual({
      ...view(2),
      ...{ filters: { q: "x" }, updatedAt: 9 },
    });
    expect(await leadViews.update("another", "v2", { name: "x", updatedAt: 9 })).toBeNull();
    expect(await leadViews.get("another", "v2")).toBeNull();
    expect(await leadViews.remove("another", "v2")).toBe(false);
    expect(await leadViews.remove(user.id, "v2")).toBe(true);
    expect(await leadViews.get(user.id, "v2")).toBeNull();
  });

  test("there are never more than allowed, however many are saved at once", async () => {
    await using opened = await open();
    const { leadViews } = opened.storage;
    const { user } = await createFactories().storedUser(opened.storage);
    const view = (n: number): SavedLeadView => ({
      ...{ id: `v${n}`, workspaceId: user.id, ownerId: null, name: "All", filters: {}, columns: [], sort: "email" },
      ...{ createdAt: n, updatedAt: n },
    });
    const stored = await Promise.all([1, 2, 3, 4, 5].map((n) => leadViews.insert(view(n), 3)));
    expect(stored.filter(Boolean)).toHaveLength(3);
    expect(await leadViews.count(user.id)).toBe(3);
  });
});
