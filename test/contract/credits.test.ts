import { describe, expect, test } from "bun:test";
import { engines } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";
import { createDice } from "../support/ids.ts";

describe.each(engines)("credits on $name", ({ open }) => {
  test("the balance of a user is the sum of that user's entries, and nothing without any", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const ada = (await make.storedUser(storage)).user.id;
    const bob = (await make.storedUser(storage)).user.id;
    expect(await storage.credits.balance(ada)).toBe(0);
    expect(await storage.credits.add(make.grant(ada, { amount: 100 }))).toBe(100);
    expect(await storage.credits.add(make.grant(bob, { amount: 7, note: "for bob" }))).toBe(7);
    expect(await storage.credits.add(make.grant(ada, { amount: -30 }))).toBe(70);
    expect(await storage.credits.balance(ada)).toBe(70);
    expect(await storage.credits.balance(bob)).toBe(7);
    expect(await storage.credits.balance("nobody")).toBe(0);
  });

  test("entries that come at once are all counted, each answered with the balance behind it", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const dice = createDice(4);
    const ada = (await make.storedUser(storage)).user.id;
    const amounts = Array.from({ length: 50 }, () => dice.between(-20, 20));
    const balances = await Promise.all(amounts.map((amount) => storage.credits.add(make.grant(ada, { amount }))));
    let sum = 0;
    expect(balances).toEqual(amounts.map((amount) => (sum += amount)));
    expect(await storage.credits.balance(ada)).toBe(sum);
  });

  test("an entry is counted once, however often it is added, and an entry for nobody is refused", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const ada = (await make.storedUser(storage)).user.id;
    const entry = make.grant(ada);
    await storage.credits.add(entry);
    await expect(storage.credits.add(entry)).rejects.toThrow();
    await expect(storage.credits.add(make.grant("nobody"))).rejects.toThrow();
    expect(await storage.credits.balance(ada)).toBe(100);
    expect(await storage.credits.balance("nobody")).toBe(0);
  });

  test("an added entry is there after the process was killed", async () => {
    await using opened = await open();
    const make = createFactories();
    const ada = (await make.storedUser(opened.storage)).user.id;
    await opened.storage.credits.add(make.grant(ada, { amount: 12 }));
    const storage = await opened.reopen();
    expect(await storage.credits.balance(ada)).toBe(12);
  });
});
