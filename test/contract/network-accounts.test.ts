import { describe, expect, test } from "bun:test";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { alwaysOpen, createFactories } from "../support/factories.ts";

describe.each(enginesAndPostgres)("network accounts on $name", ({ open }) => {
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

  test("a list that was read before includes an account that is added, and no longer one that is removed", async () => {
    await using opened = await open();
    const { network } = opened.storage;
    const make = createFactories();
    const { user, account: first } = await make.storedUser(opened.storage);
    expect(await network.accounts(user.id)).toEqual([first]);
    const second = make.account(user.id);
    await network.insertAccount(second);
    expect(await network.accounts(user.id)).toEqual([first, second]);
    expect(await network.removeAccount(user.id, first.id)).toBe("removed");
    expect(await network.accounts(user.id)).toEqual([second]);
  });

  test("an update writes everything but the owner, and changes no other account", async () => {
    await using opened = await open();
    const { network } = opened.storage;
    const make = createFactories();
    const { user, account } = await make.storedUser(opened.storage);
    const other = await make.storedUser(opened.storage);
    const change = {
      name: "Renamed",
      connector: "webhook",
      connectorSettings: { url: "https://worker.example/actions" },
      tier: "salesNavigator",
      timeZone: "Europe/Berlin",
      workingHours: alwaysOpen,
      caps: { invites: { day: 3, week: null } },
      warmUp: { perDay: 2, addPerDay: 1, startedAt: startOfTests },
      spacing: { medianSeconds: 2, minSeconds: 1 },
      sessions: { minMinutes: 1, maxMinutes: 2, minBreakMinutes: 3, maxBreakMinutes: 4 },
      jitterPercent: 7,
      state: "paused",
      stateReason: "Holiday",
      requiresApproval: true,
      withdrawAfterDays: 21,
      updatedAt: startOfTests + 5,
    } as const;
    const changed = { ...account, ...change };
    expect(await network.updateAccount(user.id, account.id, change)).toEqual(changed);
    expect(await network.account(user.id, account.id)).toEqual(changed);
    expect(await network.accounts(other.user.id)).toEqual([other.account]);
  });

  test("changes of different days at the same time both hold", async () => {
    await using opened = await open();
    const { network } = opened.storage;
    const { user, account } = await createFactories().storedUser(opened.storage);
    const day = [{ from: 60, to: 120 }];
    await Promise.all([
      network.updateAccount(user.id, account.id, { workingHours: [day], updatedAt: 1 }),
      network.updateAccount(user.id, account.id, { workingHours: [undefined, undefined, []], updatedAt: 2 }),
    ]);
    const { workingHours } = (await network.account(user.id, account.id))!;
    const [, tuesday, , ...others] = account.workingHours;
    expect(workingHours).toEqual([day, tuesday!, [], ...others]);
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

  test("an account that never acted is removed; one with actions stays, and nobody else's is touched", async () => {
    await using opened = await open();
    const { network } = opened.storage;
    const make = createFactories();
    const { user, account } = await make.storedUser(opened.storage);
    const stranger = await make.storedUser(opened.storage);
    const second = make.account(user.id);
    await network.insertAccount(second);
    await make.scheduledJob(opened.storage, account);
    expect(await network.removeAccount(user.id, account.id)).toBe("inUse");
    expect(await network.removeAccount(stranger.user.id, second.id)).toBe("absent");
    expect(await network.removeAccount(user.id, second.id)).toBe("removed");
    expect(await network.removeAccount(user.id, second.id)).toBe("absent");
    expect(await network.accounts(user.id)).toEqual([account]);
  });

  test("the name of a removed account leads to no other", async () => {
    await using opened = await open();
    const { network } = opened.storage;
    const make = createFactories();
    const { user } = await make.storedUser(opened.storage);
    const [removed, next] = [make.account(user.id), make.account(user.id)];
    await network.insertAccount(removed);
    expect(await network.account(user.id, removed.id)).toEqual(removed);
    await network.removeAccount(user.id, removed.id);
    await network.insertAccount(next);
    expect(await network.account(user.id, removed.id)).toBeNull();
    expect(await network.account(user.id, next.id)).toEqual(next);
    expect((await network.schedule(make.actionRequest(removed), false)).kind).toBe("accountGone");
  });

  test.each([
    ["caps", { caps: { all: { day: 1 } } }],
    ["hours", { workingHours: alwaysOpen }],
    ["warm-up", { warmUp: { perDay: 1, addPerDay: 1, startedAt: startOfTests } }],
    ["state", { state: "paused" }],
    ["connector", { connector: "worker" }],
  ] as const)("an update of %s wants a plan until one is made of the queue as it is", async (_what, change) => {
    await using opened = await open();
    const { network } = opened.storage;
    const make = createFactories();
    const { user, account } = await make.storedUser(opened.storage);
    await network.updateAccount(user.id, account.id, { name: "Renamed", updatedAt: 1 });
    expect(await network.accountsToPlan()).toEqual([]);
    await network.updateAccount(user.id, account.id, { ...change, updatedAt: 1 });
    expect(await network.accountsToPlan()).toEqual([account.id]);
    const { queueVersion } = (await network.planBasis(account.id, 10, startOfTests))!;
    await make.scheduledJob(opened.storage, account);
    expect(await network.endPlan(account.id, queueVersion, {})).toBe(false);
    expect(await network.accountsToPlan()).toEqual([account.id]);
    const again = (await network.planBasis(account.id, 10, startOfTests))!;
    expect(again.queue).toHaveLength(1);
    expect(await network.endPlan(account.id, again.queueVersion, {})).toBe(true);
    expect(await network.accountsToPlan()).toEqual([]);
  });

  test("stored and changed accounts are there after the process was killed", async () => {
    await using opened = await open();
    const make = createFactories();
    const { user, account } = await make.storedUser(opened.storage);
    const second = make.account(user.id);
    await opened.storage.network.insertAccount(second);
    await opened.storage.network.updateAccount(account.workspaceId, account.id, {
      name: "Renamed",
      updatedAt: account.updatedAt,
    });
    const storage = await opened.reopen();
    expect(await storage.network.accounts(user.id)).toEqual([{ ...account, name: "Renamed" }, second]);
  });
});
