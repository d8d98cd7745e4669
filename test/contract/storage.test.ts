import { describe, expect, test } from "bun:test";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";

describe.each(enginesAndPostgres)("storage on $name", ({ open }) => {
  test("the check passes while the database takes writes, and fails once it is closed", async () => {
    await using opened = await open();
    await opened.storage.check();
    await opened.close();
    await expect(opened.storage.check()).rejects.toThrow();
  });

  test("closing commits what is queued", async () => {
    await using opened = await open();
    const make = createFactories();
    const writes = [make.newUser(), make.newUser()].map((newcomer) => opened.storage.users.insert(newcomer));
    await opened.close();
    expect(await Promise.all(writes)).toEqual([true, true]);
  });

  test("a write that is refused leaves the writes beside it as they are", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const results = await Promise.allSettled([
      storage.users.insert(make.newUser()),
      storage.credits.add(make.grant("nobody")),
      storage.users.insert(make.newUser()),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await storage.users.count()).toBe(2);
  });
});
