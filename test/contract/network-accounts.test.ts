import { describe, expect, test } from "bun:test";
import { startOfTests } from "../support/clock.ts";
import { engines } from "../support/engines.ts";
import { alwaysOpen, createFactories } from "../support/factories.ts";

describe.each(engines)("network accounts on $name", ({ open }) => {
  test("an account is read by its owner as it was stored, and by nobody else", async () => {
    await using opened = await open();
    const { network } = opened.storage;
    const make = createFactories();
    const owner = (await make.storedUser(opened.storage)).user.id;
    const stranger = await make.storedUser(opened.storage);
    const account = make.account(owner, {
      connector: "manual",
      timeZone: "Asia/Kathmandu",
      workingHours: [[], ...alwaysOpen.slice(1)],
    });
    await network.insertAccount(account);
    expect(await network.account(owner, account.id)).toEqual(account);
    expect(await network.account(stranger.user.id, account.id)).toBeNull();
    expect(await network.account(owner, "nothing")).toBeNull();
    expect(await network.accounts(stranger.user.id)).toEqual([stranger.account]);
  });

  test("accounts are listed oldest first, ties by id", async () => {
    await using opened = await open();
    const make = createFactories();
    const { user, account: first } = await make.storedUser(opened.storage);
    const tied = [make.account(user.id), make.account(user.id)];
    const older = make.account(user.id, { createdAt: startOfTests - 1 });
    for (const account of [tied[1]!, older, tied[0]!]) await opened.storage.network.insertAccount(account);
    expect(await opened.storage.network.accounts(user.id)).toEqual([older, first, ...tied]);
  });

  test("an update writes everything but the owner, and changes no other account", async () => {
    await using opened = await open();
    const { network } = opened.storage;
    const make = createFactories();
    const { user, account } = await make.storedUser(opened.storage);
    const other = await make.storedUser(opened.storage);
    const change = {
      name: "Renamed",
      connector: "manual" as const,
      timeZone: "Europe/Berlin",
      workingHours: alwaysOpen,
      minGapSeconds: 1,
      maxGapSeconds: 2,
      updatedAt: startOfTests + 5,
    };
    const changed = { ...account, ...change };
    expect(await network.updateAccount(user.id, account.id, change)).toEqual(changed);
    expect(await network.account(user.id, account.id)).toEqual(changed);
    expect(await network.accounts(other.user.id)).toEqual([other.account]);
  });

  test("an account that does not exist, or is somebody else's, can't be updated", async () => {
    await using opened = await open();
    const { network } = opened.storage;
    const make = createFactories();
    const { user, account } = await make.storedUser(opened.storage);
    const stranger = (await make.storedUser(opened.storage)).user.id;
    expect(await network.updateAccount(stranger, account.id, { name: "Mine", updatedAt: 1 })).toBeNull();
    expect(await network.updateAccount(user.id, "nothing", { name: "Mine", updatedAt: 1 })).toBeNull();
    expect(await network.accounts(user.id)).toEqual([account]);
  });

  test("an update keeps the distance to the actions that are scheduled already", async () => {
    await using opened = await open();
    const make = createFactories();
    const { account } = await make.storedUser(opened.storage);
    const before = await make.scheduledJob(opened.storage, account);
    await opened.storage.network.updateAccount(account.userId, account.id, {
      name: "Renamed",
      updatedAt: account.updatedAt,
    });
    const after = await make.scheduledJob(opened.storage, account, { gapMs: 90_000 });
    expect(after.runAt).toBe(before.runAt + 90_000);
  });

  test("stored and changed accounts are there after the process was killed", async () => {
    await using opened = await open();
    const make = createFactories();
    const { user, account } = await make.storedUser(opened.storage);
    const second = make.account(user.id);
    await opened.storage.network.insertAccount(second);
    await opened.storage.network.updateAccount(account.userId, account.id, {
      name: "Renamed",
      updatedAt: account.updatedAt,
    });
    const storage = await opened.reopen();
    expect(await storage.network.accounts(user.id)).toEqual([{ ...account, name: "Renamed" }, second]);
  });
});
