import { describe, expect, test } from "bun:test";
import type { ActionPage } from "../../src/features/network/store.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { actionEnd, alwaysOpen, claimAction, claimOf } from "../support/factories.ts";
import { hour, day, withScheduled, withClaimed } from "../support/network-actions.ts";

describe.each(enginesAndPostgres)("lists of network actions on $name", ({ open }) => {
  test("usage counts what was used and what is planned, window by window", async () => {
    await using opened = await open();
    const { storage, account, make, job } = await withClaimed(opened.storage, {}, { message: "Hello" });
    await storage.network.endAction(claimOf(job), actionEnd());
    await make.scheduledJob(storage, account, { action: { notBefore: startOfTests + 2 * day } });
    const usage = await storage.network.usage(account.workspaceId, account.id, startOfTests + hour);
    const of = (meter: string) =>
      usage.filter((count) => count.meter === meter).map(({ used, planned }) => [used, planned]);
    expect(of("notes")).toEqual([
      [1, 0],
      [1, 0],
      [1, 0],
    ]);
    for (const meter of ["invites", "all"])
      expect(of(meter)).toEqual([
        [1, 0],
        [1, 1],
        [1, 1],
      ]);
    expect(of("visits")).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
    expect(usage.find(({ meter, window }) => meter === "all" && window === "day")?.resetsAt).toBe(startOfTests + day);
    expect(await storage.network.usage("somebody", account.id, startOfTests)).toEqual([]);
  });

  test("lists are newest first, in pages, filtered, and hold nothing of others", async () => {
    await using opened = await open();
    const { storage, account, make, job } = await withScheduled(opened.storage);
    const stranger = await make.storedUser(storage);
    await make.scheduledJob(storage, stranger.account);
    const visit = await make.scheduledJob(storage, account, { action: { actionType: "visitProfile" } });
    const page = async (filter: object, limit = 10, after: ActionPage["after"] = null) =>
      storage.network.page({ workspaceId: account.workspaceId, filter, limit, order: "newest", after });
    const idsOf = (list: Awaited<ReturnType<typeof page>>) => list.map(({ action }) => action.jobId);
    expect(idsOf(await page({}))).toEqual([visit.id, job.id]);
    const [first] = await page({}, 1);
    expect(idsOf(await page({}, 1, { at: 0, seq: first!.seq }))).toEqual([job.id]);
    expect(idsOf(await page({ actionType: "visitProfile" }))).toEqual([visit.id]);
    expect(idsOf(await page({ states: ["completed"] }))).toEqual([]);
    expect(idsOf(await page({ accountId: stranger.account.id }))).toEqual([]);
  });

  test("what waits is listed soonest first, what was carried out latest first, in pages over all accounts", async () => {
    await using opened = await open();
    const { storage, account, make, job: first } = await withScheduled(opened.storage);
    const other = make.account(account.workspaceId, { workingHours: alwaysOpen });
    await storage.network.insertAccount(other);
    const second = await make.scheduledJob(storage, other, { action: { notBefore: startOfTests + hour } });
    const third = await make.scheduledJob(storage, account, { action: { notBefore: startOfTests + 2 * hour } });
    const pages = async (order: "soonest" | "latest") => {
      const found: string[] = [];
      for (let after: ActionPage["after"] = null; ;) {
        const [item] = await storage.network.page({
          workspaceId: account.workspaceId,
          filter: {},
          limit: 1,
          order,
          after,
        });
        if (item === undefined) return found;
        found.push(item.action.jobId);
        after = { at: item.action.slotAt ?? 0, seq: item.seq };
      }
    };
    expect(await pages("soonest")).toEqual([first.id, second.id, third.id]);
    expect(await pages("latest")).toEqual([]);
    for (const now of [startOfTests, startOfTests + hour]) {
      const { job } = await claimAction(storage, now);
      await storage.network.endAction(claimOf(job), actionEnd({ at: now }));
    }
    expect(await pages("soonest")).toEqual([third.id]);
    expect(await pages("latest")).toEqual([second.id, first.id]);
  });
});
