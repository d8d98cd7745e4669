import { describe, expect, test } from "bun:test";
import { auditEntry } from "../../src/platform/auth/audit/entry.ts";
import { createNetworkWorld } from "../support/network-world.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
const entry = auditEntry(null, startOfTests, { action: "clock.accepted", workspaceId: null, via: "commandLine" });

describe.each(enginesAndPostgres)("what $name remembers of its operation", ({ open }) => {
  test("the time is that of the latest process, and of the latest action that was carried out", async () => {
    await using opened = await open();
    const { operations } = opened.storage;
    expect(await operations.latestTime()).toBeNull();
    await operations.keepTime(startOfTests);
    await operations.keepTime(startOfTests - day);
    expect(await operations.latestTime()).toBe(startOfTests);
    const world = await createNetworkWorld(opened);
    world.clock.set(startOfTests + minute);
    await world.schedule({ job: { createdAt: world.clock.now() } });
    await world.run();
    await opened.reopen();
    expect(await opened.storage.operations.latestTime()).toBe(startOfTests + minute);
  });

  test("maintenance mode is remembered until it is turned off", async () => {
    await using opened = await open();
    const state = { since: startOfTests, message: "Back at noon." };
    await opened.storage.operations.setMaintenance(state, { ...entry, action: "maintenance.enabled" });
    await opened.reopen();
    expect(await opened.storage.operations.maintenance()).toEqual(state);
    await opened.storage.operations.setMaintenance(null, { ...entry, action: "maintenance.disabled" });
    expect(await opened.storage.operations.maintenance()).toBeNull();
  });

  test("after a clock that was ahead by a year is accepted, what was sent then keeps its time and counts from now on", async () => {
    await using opened = await open();
    const cap = 3;
    const world = await createNetworkWorld(opened, { account: { caps: { invites: { day: cap } } } });
    const ahead = startOfTests + 365 * day;
    world.clock.set(ahead);
    const jobs = [];
    for (let n = 0; n < 2 * cap; n++) jobs.push(await world.schedule({ job: { createdAt: world.clock.now() } }));
    await world.runUntil(ahead + 60 * minute);
    expect(world.calls).toHaveLength(cap);
    const [first] = world.calls;

    world.clock.set(startOfTests);
    const { operations } = opened.storage;
    expect(await operations.acceptTime(startOfTests, entry)).toEqual({ actions: cap });
    expect(await operations.latestTime()).toBe(startOfTests);
    await opened.reopen();
    expect(await world.action(jobs.find(({ id }) => id === first?.jobId)!)).toMatchObject({
      slotAt: startOfTests,
      carriedOutAt: first?.at,
    });
    // The cap is used up for a day, not for a year.
    await world.runUntil(startOfTests + day - minute);
    expect(world.calls).toHaveLength(cap);
    await world.runUntil(startOfTests + day + 60 * minute);
    expect(world.calls).toHaveLength(2 * cap);
  });

  test("a deadline that was set while the clock was ahead moves back with it, one from before stays", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { make } = await createNetworkWorld(opened);
    const { user } = await make.storedUser(storage);
    const ahead = startOfTests + 365 * day;
    await storage.operations.keepTime(ahead);
    const pending = { type: "lead_import", status: "pending" } as const;
    await make.storedJob(storage, user.id, { ...pending, runAt: startOfTests + 2 * day, updatedAt: startOfTests });
    await make.storedJob(storage, user.id, { ...pending, runAt: ahead + minute, updatedAt: ahead });
    await storage.operations.acceptTime(startOfTests, entry);
    const claim = (now: number) => storage.jobs.claim({ type: "lead_import", limit: 5, now, leaseUntil: now + minute });
    expect(await claim(startOfTests)).toHaveLength(0);
    expect(await claim(startOfTests + minute)).toHaveLength(1);
    expect(await claim(startOfTests + 2 * day)).toHaveLength(2);
  });
});
