import { describe, expect, test } from "bun:test";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import type { NewUser } from "../../src/features/workspaces/users/store.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories, type Factories } from "../support/factories.ts";

describe.each(enginesAndPostgres)("users on $name", ({ open, isSingleWriter }) => {
  test("a new user is there with its account, its credits and its key", async () => {
    await using opened = await open();
    const { storage } = opened;
    const newcomer = complete(createFactories());
    expect(await storage.users.insert(newcomer)).toBe(true);
    expect(await storage.users.get(newcomer.user.id)).toEqual(newcomer.user);
    expect(await partsOf(storage, newcomer)).toEqual({
      accounts: [newcomer.account],
      balance: 100,
      keys: [newcomer.key!],
    });
  });

  test("a new user needs neither credits nor a key", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const newcomer = make.newUser({ name: null });
    expect(await storage.users.insert(newcomer)).toBe(true);
    expect(await storage.users.get(newcomer.user.id)).toEqual(newcomer.user);
    expect(await partsOf(storage, newcomer)).toEqual({ accounts: [newcomer.account], balance: 0, keys: [] });
  });

  test("a taken email address, in whatever case, stores nothing of the newcomer", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    await make.storedUser(storage, { email: "ada@example.com" });
    const second = complete(make, { email: "ADA@Example.com" });
    expect(await storage.users.insert(second)).toBe(false);
    expect(await storage.users.get(second.user.id)).toBeNull();
    expect(await storage.users.count()).toBe(1);
    expect(await partsOf(storage, second)).toEqual({ accounts: [], balance: 0, keys: [] });
  });

  test("of two users with one email address that come at once only one is stored", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const twins = [make.newUser({ email: "ada@example.com" }), make.newUser({ email: "Ada@example.com" })];
    const stored = await Promise.all(twins.map((twin) => storage.users.insert(twin)));
    if (isSingleWriter) expect(stored).toEqual([true, false]);
    expect(stored.filter(Boolean)).toHaveLength(1);
    expect(await storage.users.count()).toBe(1);
  });

  test("when the last part of a newcomer can't be stored, none of it is", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const first = complete(make);
    await storage.users.insert(first);
    const second = complete(make);
    second.key = { ...second.key!, hash: first.key!.hash };
    const attempt = storage.users.insert(second);
    await expect(attempt).rejects.toThrow();
    expect(await storage.users.get(second.user.id)).toBeNull();
    expect(await partsOf(storage, second)).toEqual({ accounts: [], balance: 0, keys: [] });
    expect(await partsOf(storage, first)).toEqual({ accounts: [first.account], balance: 100, keys: [first.key!] });
  });

  test("users are listed oldest first, ties by id, in bounded pages that meet each once", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const tied = [make.newUser(), make.newUser(), make.newUser()];
    const [younger, older] = [1, -1].map((ms) => make.newUser({ createdAt: startOfTests + ms }));
    for (const newcomer of [tied[2]!, younger!, tied[0]!, older!, tied[1]!]) await storage.users.insert(newcomer);
    const expected = [older!, ...tied, younger!].map(({ user }) => user.id);
    const pages = [await storage.users.list(2, 0), await storage.users.list(2, 2), await storage.users.list(2, 4)];
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(pages.flat().map(({ id }) => id)).toEqual(expected);
    expect(await storage.users.list(10, 5)).toEqual([]);
    expect(await storage.users.count()).toBe(5);
  });

  test("an update writes name and time zone and leaves everything else as it is", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const { user } = await make.storedUser(storage);
    const other = (await make.storedUser(storage)).user;
    const change = { name: null, timeZone: "Europe/Berlin", updatedAt: startOfTests + 5 };
    expect(await storage.users.change(user.id, null, () => ({ change }))).toEqual({ ...user, ...change });
    expect(await storage.users.get(user.id)).toEqual({ ...user, ...change });
    expect(await storage.users.get(other.id)).toEqual(other);
  });

  test("a user that does not exist is null, and can't be updated", async () => {
    await using opened = await open();
    const { storage } = opened;
    expect(await storage.users.get("nobody")).toBeNull();
    expect(await storage.users.change("nobody", null, () => ({ change: { updatedAt: 1 } }))).toBeNull();
    expect(await storage.users.count()).toBe(0);
  });

  test("what was stored or changed is there after the process was killed", async () => {
    await using opened = await open();
    const make = createFactories();
    const newcomer = complete(make);
    await opened.storage.users.insert(newcomer);
    const changed = { ...newcomer.user, name: "Changed" };
    await opened.storage.users.change(changed.id, null, () => ({
      change: { name: "Changed", updatedAt: changed.updatedAt },
    }));
    const storage = await opened.reopen();
    expect(await storage.users.get(newcomer.user.id)).toEqual(changed);
    expect(await partsOf(storage, newcomer)).toEqual({
      accounts: [newcomer.account],
      balance: 100,
      keys: [newcomer.key!],
    });
  });

  test("a change of a user is decided on what the transaction sees", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const ada = await make.storedUser(storage, { role: "admin" });
    const bob = await make.storedUser(storage, { role: "admin", isActive: false });
    const seen: object[] = [];
    const look = (emailKey: string | null) =>
      storage.users.change(ada.user.id, emailKey, ({ user, ...facts }) => {
        expect(user).toEqual(ada.user);
        seen.push(facts);
        return { change: { updatedAt: ada.user.updatedAt } };
      });
    await look(null);
    await look(bob.user.emailKey);
    await look(ada.user.emailKey);
    await storage.users.change(bob.user.id, null, () => ({ change: { isActive: true, updatedAt: 5 } }));
    await look("free@example.com");
    expect(seen).toEqual([
      { otherAdmins: 0, isTaken: false },
      { otherAdmins: 0, isTaken: true },
      { otherAdmins: 0, isTaken: false },
      { otherAdmins: 1, isTaken: false },
    ]);
    const refused = storage.users.change(ada.user.id, null, () => {
      throw new Error("no");
    });
    await expect(refused).rejects.toThrow("no");
    expect(await storage.users.get(ada.user.id)).toEqual(ada.user);
  });
});

function complete(make: Factories, overrides: Parameters<Factories["newUser"]>[0] = {}): NewUser {
  const newcomer = make.newUser(overrides);
  const { id } = newcomer.user;
  return { ...newcomer, grant: make.grant(id), key: make.key(id) };
}

/** What is stored beside the user itself. */
async function partsOf(storage: Storage, { workspace: { id } }: NewUser) {
  const [accounts, balance, keys] = await Promise.all([
    storage.network.accounts(id),
    storage.credits.balance(id),
    storage.keys.list({ workspaceId: id }, 10),
  ]);
  return { accounts, balance, keys };
}
