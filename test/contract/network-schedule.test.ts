import { describe, expect, test } from "bun:test";
import type { Job } from "../../src/jobs/model.ts";
import { actionTypes, type NetworkAccount } from "../../src/network/model.ts";
import { nextOpenMoment, type WorkingHours } from "../../src/network/pacing.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { startOfTests } from "../support/clock.ts";
import { engines } from "../support/engines.ts";
import { alwaysOpen, claimJob, claimOf, createFactories } from "../support/factories.ts";

const minute = 60_000;
const hour = 60 * minute;
const closed: WorkingHours = [[], [], [], [], [], [], []];
const officeHours: WorkingHours = alwaysOpen.map((_, day) =>
  day < 5
    ? [
        { from: 540, to: 720 },
        { from: 780, to: 1080 },
      ]
    : [],
);

describe.each(engines)("scheduling of network actions on $name", ({ open }) => {
  test("an action that may run now is due now, and the job tells so", async () => {
    await using opened = await open();
    const { storage, account, make } = await withAccount(opened.storage, { workingHours: alwaysOpen });
    const request = make.actionRequest(account, { job: { metadata: { actionType: "sendMessage" } } });
    const outcome = await storage.network.schedule(request);
    expect(outcome.kind).toBe("scheduled");
    const { job } = outcome as { job: Job };
    const now = new Date(startOfTests).toISOString();
    const placed = {
      delay: 0,
      scheduledFor: now,
      nextEligibleAt: now,
      pendingReason: "queued",
      actionType: "sendMessage",
    };
    expect(job).toMatchObject({
      ...request.job,
      runAt: startOfTests,
      message: `Scheduled for ${now}`,
      metadata: placed,
    });
    expect(await storage.jobs.get(account.userId, job.id)).toEqual(job);
    expect(await storage.network.action(job.id)).toEqual(request.action);
  });

  test("an action behind another waits for the gap, and the job tells so", async () => {
    await using opened = await open();
    const { storage, account, make } = await withAccount(opened.storage, { workingHours: alwaysOpen });
    await make.scheduledJob(storage, account);
    const job = await make.scheduledJob(storage, account, { gapMs: 95_000 });
    const at = startOfTests + 95_000;
    const scheduledFor = new Date(at).toISOString();
    expect(job).toMatchObject({
      runAt: at,
      metadata: { delay: 95_000, scheduledFor, nextEligibleAt: scheduledFor, pendingReason: "spacing" },
    });
  });

  test("an action outside the working hours waits for them, and the job tells so", async () => {
    await using opened = await open();
    const tomorrow = [[], [{ from: 540, to: 1080 }], [], [], [], [], []];
    const { storage, account, make } = await withAccount(opened.storage, { workingHours: tomorrow });
    const job = await make.scheduledJob(storage, account);
    expect(job).toMatchObject({
      runAt: startOfTests + 23 * hour,
      metadata: { delay: 23 * hour, pendingReason: "outsideWorkingHours" },
    });
  });

  test("an action that is asked for later is not placed earlier, and the delay counts from its creation", async () => {
    await using opened = await open();
    const { storage, account, make } = await withAccount(opened.storage, { workingHours: alwaysOpen });
    const job = await make.scheduledJob(storage, account, { job: { runAt: startOfTests + hour } });
    expect(job).toMatchObject({ runAt: startOfTests + hour, metadata: { delay: hour, pendingReason: "queued" } });
  });

  test("with hours that never open nothing is stored", async () => {
    await using opened = await open();
    const { storage, account, make } = await withAccount(opened.storage, { workingHours: closed });
    const request = make.actionRequest(account);
    expect(await storage.network.schedule(request)).toEqual({ kind: "neverOpen" });
    expect(await storage.network.action(request.job.id)).toBeNull();
    expect(await storage.jobs.get(account.userId, request.job.id)).toBeNull();
    await storage.network.updateAccount(account.userId, account.id, { workingHours: alwaysOpen, updatedAt: 1 });
    expect((await make.scheduledJob(storage, account)).runAt).toBe(startOfTests);
  });

  test("a hundred actions that are scheduled at once take a hundred slots, spaced and within the working hours", async () => {
    await using opened = await open();
    const { storage, account, make } = await withAccount(opened.storage, {
      workingHours: officeHours,
      timeZone: "Europe/Berlin",
    });
    const requests = Array.from({ length: 100 }, (_, n) =>
      make.actionRequest(account, { gapMs: (2 + (n % 7)) * minute }),
    );
    const outcomes = await Promise.all(requests.map((request) => storage.network.schedule(request)));
    const slots = outcomes.map((outcome) => (outcome.kind === "scheduled" ? outcome.job.runAt : 0));
    for (const [index, slot] of slots.entries()) {
      expect(nextOpenMoment(slot, officeHours, "Europe/Berlin")).toBe(slot);
      if (index > 0) expect(slot - slots[index - 1]!).toBeGreaterThanOrEqual(requests[index]!.gapMs);
    }
    expect(slots.at(-1)! - slots[0]!).toBeGreaterThan(12 * hour);
    const stored = await storage.jobs.page({ userId: account.userId, filter: {}, limit: 200, offset: 0, after: null });
    expect(stored.map(({ runAt }) => runAt).toSorted((a, b) => a - b)).toEqual(slots);
  });

  test("accounts do not wait for each other", async () => {
    await using opened = await open();
    const { storage, account, make } = await withAccount(opened.storage, { workingHours: alwaysOpen });
    const second = make.account(account.userId, { workingHours: alwaysOpen });
    await storage.network.insertAccount(second);
    const jobs = [await make.scheduledJob(storage, account), await make.scheduledJob(storage, second)];
    expect(jobs.map(({ runAt }) => runAt)).toEqual([startOfTests, startOfTests]);
  });

  describe("an action that is on its way already", () => {
    const profileUrl = "https://network.example/in/ada";

    test("is answered instead of a second one, and takes no slot", async () => {
      await using opened = await open();
      const { storage, account, make } = await withAccount(opened.storage, { workingHours: alwaysOpen });
      const job = await make.scheduledJob(storage, account, { action: { profileUrl } });
      const again = make.actionRequest(account, {
        action: { profileUrl: "HTTPS://www.network.example/in/Ada/?x=1", message: "Hello" },
      });
      expect(await storage.network.schedule(again)).toEqual({ kind: "existing", job });
      expect(await storage.network.action(again.job.id)).toBeNull();
      expect(await storage.jobs.get(account.userId, again.job.id)).toBeNull();
      expect((await make.scheduledJob(storage, account)).runAt).toBe(startOfTests + minute);
    });

    test("is answered to all but one of those that ask at once", async () => {
      await using opened = await open();
      const { storage, account, make } = await withAccount(opened.storage);
      const requests = Array.from({ length: 20 }, () => make.actionRequest(account, { action: { profileUrl } }));
      const outcomes = await Promise.all(requests.map((request) => storage.network.schedule(request)));
      expect(outcomes.map(({ kind }) => kind)).toEqual([
        "scheduled",
        ...Array.from({ length: 19 }, () => "existing" as const),
      ]);
      expect(new Set(outcomes.map((outcome) => (outcome as { job: Job }).job.id)).size).toBe(1);
    });

    test("is one of the same account and the same kind", async () => {
      await using opened = await open();
      const { storage, account, make } = await withAccount(opened.storage);
      const second = make.account(account.userId);
      await storage.network.insertAccount(second);
      const requests = [account, second].flatMap((of) =>
        actionTypes.map((actionType) => make.actionRequest(of, { action: { profileUrl, actionType } })),
      );
      const outcomes = await Promise.all(requests.map((request) => storage.network.schedule(request)));
      expect(outcomes.map(({ kind }) => kind)).toEqual(["scheduled", "scheduled", "scheduled", "scheduled"]);
    });

    test.each(["scheduled", "sending", "awaiting"] as const)("is answered while it is %s", async (state) => {
      await using opened = await open();
      const { storage, account, make } = await withAccount(opened.storage);
      const scheduled = await make.scheduledJob(storage, account, { action: { profileUrl } });
      const job = state === "scheduled" ? scheduled : await claimJob(storage);
      if (state !== "scheduled") await storage.network.markSending(claimOf(job), startOfTests);
      if (state === "awaiting")
        await storage.network.endAction(claimOf(job), { state, message: "", metadata: {}, at: startOfTests });
      const outcome = await storage.network.schedule(make.actionRequest(account, { action: { profileUrl } }));
      expect(outcome).toMatchObject({ kind: "existing", job: { id: job.id } });
    });

    test.each(["done", "skipped", "failed", "unknown"] as const)(
      "is over once it is %s, and the next request schedules anew",
      async (state) => {
        await using opened = await open();
        const { storage, account, make } = await withAccount(opened.storage);
        await make.scheduledJob(storage, account, { action: { profileUrl } });
        const claim = claimOf(await claimJob(storage));
        await storage.network.markSending(claim, startOfTests);
        await storage.network.endAction(claim, { state, message: "", metadata: {}, at: startOfTests });
        expect((await storage.network.schedule(make.actionRequest(account, { action: { profileUrl } }))).kind).toBe(
          "scheduled",
        );
      },
    );

    test("is over once its job was given up", async () => {
      await using opened = await open();
      const { storage, account, make } = await withAccount(opened.storage);
      await make.scheduledJob(storage, account, { action: { profileUrl } });
      const job = await claimJob(storage);
      await storage.jobs.end(claimOf(job), { kind: "failed", message: "Given up", metadata: {}, at: startOfTests });
      expect((await storage.network.schedule(make.actionRequest(account, { action: { profileUrl } }))).kind).toBe(
        "scheduled",
      );
    });
  });

  test("an account that is gone, or is somebody else's, takes no action", async () => {
    await using opened = await open();
    const { storage, account, make } = await withAccount(opened.storage, { workingHours: alwaysOpen });
    const stranger = (await make.storedUser(storage)).user.id;
    for (const of of [
      { id: "nothing", userId: stranger },
      { id: account.id, userId: stranger },
    ]) {
      const request = make.actionRequest(of);
      await expect(storage.network.schedule(request)).rejects.toThrow();
      expect(await storage.network.action(request.job.id)).toBeNull();
      expect(await storage.jobs.get(stranger, request.job.id)).toBeNull();
    }
    expect((await make.scheduledJob(storage, account)).runAt).toBe(startOfTests);
  });

  test("a job that can't be stored takes no slot", async () => {
    await using opened = await open();
    const { storage, account, make } = await withAccount(opened.storage, { workingHours: alwaysOpen });
    const taken = await make.storedJob(storage, account.userId);
    const request = make.actionRequest(account, { job: { id: taken.id } });
    await expect(storage.network.schedule(request)).rejects.toThrow();
    expect(await storage.network.action(taken.id)).toBeNull();
    expect((await make.scheduledJob(storage, account)).runAt).toBe(startOfTests);
  });

  test("scheduled actions and the slots that they took are there after the process was killed", async () => {
    await using opened = await open();
    const { account, make } = await withAccount(opened.storage, { workingHours: alwaysOpen });
    const job = await make.scheduledJob(opened.storage, account);
    const storage = await opened.reopen();
    expect(await storage.jobs.get(account.userId, job.id)).toEqual(job);
    expect(await storage.network.action(job.id)).toMatchObject({ state: "scheduled" });
    expect((await make.scheduledJob(storage, account)).runAt).toBe(startOfTests + minute);
  });
});

async function withAccount(storage: Storage, overrides: Partial<NetworkAccount> = {}) {
  const make = createFactories();
  const { user } = await make.storedUser(storage);
  const account = make.account(user.id, overrides);
  await storage.network.insertAccount(account);
  return { storage, account, make };
}
