import { describe, expect, test } from "bun:test";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";

describe.each(enginesAndPostgres)("keys on $name", ({ open }) => {
  test("a key is found by its hash, with everything that was stored", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const { user } = await make.storedUser(storage);
    const own = make.key(user.id, {
      permissions: ["leads:read", "jobs:read"],
      expiresAt: startOfTests + 1,
      isActive: false,
    });
    const global = make.key(null, { lastUsedAt: startOfTests, usageCount: 7 });
    await storage.keys.insert(own);
    await storage.keys.insert(global);
    expect(await storage.keys.findByHash(own.hash)).toEqual(own);
    expect(await storage.keys.findByHash(global.hash)).toEqual(global);
    expect(await storage.keys.findByHash(make.key(null).hash)).toBeNull();
  });

  test("a user's scope sees that user's keys only; the scope of all sees the global ones too", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const ada = (await make.storedUser(storage)).user.id;
    const bob = (await make.storedUser(storage)).user.id;
    const [ofAda, ofBob, global] = [make.key(ada), make.key(bob), make.key(null)];
    for (const key of [ofAda, ofBob, global]) await storage.keys.insert(key);
    expect(await storage.keys.get({ workspaceId: ada }, ofAda.id)).toEqual(ofAda);
    expect(await storage.keys.get({ workspaceId: ada }, ofBob.id)).toBeNull();
    expect(await storage.keys.get({ workspaceId: ada }, global.id)).toBeNull();
    expect(await storage.keys.list({ workspaceId: ada }, 10)).toEqual([ofAda]);
    for (const key of [ofAda, ofBob, global]) expect(await storage.keys.get("all", key.id)).toEqual(key);
    expect(await storage.keys.list("all", 10)).toEqual([global, ofBob, ofAda]);
  });

  test("keys are listed newest first, ties by id, at most as many as asked for", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const { user } = await make.storedUser(storage);
    const tied = [make.key(user.id), make.key(user.id)];
    const [newer, older] = [1, -1].map((ms) => make.key(user.id, { createdAt: startOfTests + ms }));
    for (const key of [tied[1]!, older!, tied[0]!, newer!]) await storage.keys.insert(key);
    const expected = [newer!, tied[1]!, tied[0]!, older!];
    expect(await storage.keys.list({ workspaceId: user.id }, 10)).toEqual(expected);
    expect(await storage.keys.list("all", 3)).toEqual(expected.slice(0, 3));
  });

  test("an update writes what may change and keeps owner, expiry and the count of uses", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const ada = (await make.storedUser(storage)).user.id;
    const key = make.key(ada, { expiresAt: startOfTests + 1000 });
    const other = make.key(ada);
    for (const each of [key, other]) await storage.keys.insert(each);
    await storage.keys.recordUsage([{ keyId: key.id, uses: 3, lastUsedAt: startOfTests + 5 }]);
    const fresh = make.key(ada);
    const change = {
      name: "Renamed",
      permissions: ["leads:read" as const],
      isActive: false,
      hash: fresh.hash,
      hint: fresh.hint,
      createdAt: startOfTests + 1,
      updatedAt: startOfTests + 2,
      lastUsedAt: null,
    };
    expect(await storage.keys.update(key.id, change)).toEqual({ ...key, ...change, usageCount: 3 });
    expect(await storage.keys.get("all", key.id)).toEqual({ ...key, ...change, usageCount: 3 });
    expect(await storage.keys.findByHash(key.hash)).toBeNull();
    expect((await storage.keys.findByHash(fresh.hash))?.id).toBe(key.id);
    expect(await storage.keys.get("all", other.id)).toEqual(other);
  });

  test("a removed key is gone, once", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const { user } = await make.storedUser(storage);
    const [key, other] = [make.key(user.id), make.key(user.id)];
    for (const each of [key, other]) await storage.keys.insert(each);
    expect(await storage.keys.remove(key.id, startOfTests)).toBe(true);
    expect(await storage.keys.remove(key.id, startOfTests)).toBe(false);
    expect(await storage.keys.update(key.id, { name: "x", updatedAt: 1 })).toBeNull();
    expect(await storage.keys.findByHash(key.hash)).toBeNull();
    expect(await storage.keys.list("all", 10)).toEqual([other]);
  });

  test("buffered uses are added, and the last use never goes back", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const { user } = await make.storedUser(storage);
    const [one, two] = [make.key(user.id), make.key(user.id)];
    for (const key of [one, two]) await storage.keys.insert(key);
    await storage.keys.recordUsage([
      { keyId: one.id, uses: 2, lastUsedAt: startOfTests + 20 },
      { keyId: two.id, uses: 1, lastUsedAt: startOfTests + 5 },
    ]);
    await storage.keys.recordUsage([{ keyId: one.id, uses: 3, lastUsedAt: startOfTests + 10 }]);
    expect(await storage.keys.get("all", one.id)).toMatchObject({ usageCount: 5, lastUsedAt: startOfTests + 20 });
    expect(await storage.keys.get("all", two.id)).toMatchObject({ usageCount: 1, lastUsedAt: startOfTests + 5 });
  });

  test("uses of a key that is gone are passed over, the others are counted", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const { user } = await make.storedUser(storage);
    const key = make.key(user.id);
    await storage.keys.insert(key);
    await storage.keys.recordUsage([
      { keyId: "gone", uses: 1, lastUsedAt: startOfTests },
      { keyId: key.id, uses: 4, lastUsedAt: startOfTests },
    ]);
    expect((await storage.keys.get("all", key.id))?.usageCount).toBe(4);
    expect(await storage.keys.list("all", 10)).toHaveLength(1);
  });

  test("two keys can't have one hash", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const key = make.key(null);
    await storage.keys.insert(key);
    await expect(storage.keys.insert({ ...make.key(null), hash: key.hash })).rejects.toThrow();
    expect(await storage.keys.list("all", 10)).toEqual([key]);
  });

  test("keys, their changes and their uses are there after the process was killed", async () => {
    await using opened = await open();
    const make = createFactories();
    const [kept, removed] = [make.key(null), make.key(null)];
    await opened.storage.keys.insert(kept);
    await opened.storage.keys.insert(removed);
    await opened.storage.keys.update(kept.id, { name: "Renamed", updatedAt: kept.updatedAt });
    await opened.storage.keys.recordUsage([{ keyId: kept.id, uses: 2, lastUsedAt: startOfTests }]);
    await opened.storage.keys.remove(removed.id, startOfTests);
    const storage = await opened.reopen();
    expect(await storage.keys.list("all", 10)).toEqual([
      { ...kept, name: "Renamed", usageCount: 2, lastUsedAt: startOfTests },
    ]);
  });
});
