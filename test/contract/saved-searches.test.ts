import { describe, expect, test } from "bun:test";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";

describe.each(enginesAndPostgres)("saved searches on $name", ({ open }) => {
  test("saved searches are their owner's, newest first", async () => {
    await using opened = await open();
    const { savedSearches } = opened.storage;
    const factories = createFactories();
    const { user } = await factories.storedUser(opened.storage);
    const search = (n: number) => ({
      id: `s${n}`,
      workspaceId: user.id,
      name: `Search ${n}`,
      source: "directory" as const,
      filters: {},
      createdAt: n,
      updatedAt: n,
    });
    for (const n of [1, 2, 3]) await savedSearches.insert(search(n));
    expect((await savedSearches.list(user.id, 2, 0)).map(({ id }) => id)).toEqual(["s3", "s2"]);
    expect((await savedSearches.list(user.id, 2, 2)).map(({ id }) => id)).toEqual(["s1"]);
    expect(await savedSearches.count(user.id)).toBe(3);
    const filters = { person: { title: ["CTO"] } };
    expect(await savedSearches.update(user.id, "s2", { filters, updatedAt: 9 })).toEqual({
      ...search(2),
      filters,
      updatedAt: 9,
    });
    expect(await savedSearches.update("another", "s2", { name: "x", updatedAt: 9 })).toBeNull();
    expect(await savedSearches.get("another", "s2")).toBeNull();
    expect(await savedSearches.remove("another", "s2")).toBe(false);
    expect(await savedSearches.remove(user.id, "s2")).toBe(true);
    expect(await savedSearches.get(user.id, "s2")).toBeNull();
  });
});
