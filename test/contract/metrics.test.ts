import { describe, expect, test } from "bun:test";
import { startOfTests as now } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { claimJob, createFactories } from "../support/factories.ts";
import { storedAccount } from "../support/network-actions.ts";

describe.each(enginesAndPostgres)("metrics on $name", ({ open }) => {
  test("the oldest due job is the one that has been due for the longest, of any type and workspace", async () => {
    await using opened = await open();
    const { jobs, metrics } = opened.storage;
    const make = createFactories();
    const [one, other] = [await make.storedUser(opened.storage), await make.storedUser(opened.storage)];
    expect(await metrics.oldestDueAt(now)).toBeNull();
    await jobs.insert(make.job(one.user.id, { type: "lead_import", runAt: now + 1 }));
    expect(await metrics.oldestDueAt(now)).toBeNull();
    await jobs.insert(make.job(one.user.id, { type: "lead_import", runAt: now }));
    expect(await metrics.oldestDueAt(now)).toBe(now);
    await jobs.insert(make.job(other.user.id, { type: "data_enrichment", runAt: now - 7_000 }));
    await jobs.insert(make.job(one.user.id, { type: "lead_import", runAt: now - 5_000 }));
    expect(await metrics.oldestDueAt(now)).toBe(now - 7_000);
  });

  test("accounts are counted by state", async () => {
    await using opened = await open();
    const make = createFactories();
    expect(await opened.storage.metrics.accounts()).toEqual([]);
    await storedAccount(opened.storage, make);
    await storedAccount(opened.storage, make, { state: "needsReconnect" });
    const counts = await opened.storage.metrics.accounts();
    expect(Object.fromEntries(counts.map(({ state, count }) => [state, count]))).toMatchObject({ needsReconnect: 1 });
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThanOrEqual(2);
  });

  test("workspaces are counted by their credit balance", async () => {
    await using opened = await open();
    const { credits, metrics } = opened.storage;
    const make = createFactories();
    expect(await metrics.balances(100)).toEqual({ empty: 0, low: 0, enough: 0, total: 0 });
    for (const amounts of [[], [50, -50], [99], [100], [5_000]]) {
      const { workspace } = await make.storedUser(opened.storage);
      for (const amount of amounts) await credits.add(make.grant(workspace.id, { amount }));
    }
    expect(await metrics.balances(100)).toEqual({ empty: 1, low: 1, enough: 2, total: 5_199 });
    expect(await metrics.balances(101)).toEqual({ empty: 1, low: 2, enough: 1, total: 5_199 });
  });

  test("a claimed job is not due anymore", async () => {
    await using opened = await open();
    const make = createFactories();
    const { user } = await make.storedUser(opened.storage);
    await make.storedJob(opened.storage, user.id, { runAt: now - 1_000 });
    expect(await opened.storage.metrics.oldestDueAt(now)).toBe(now - 1_000);
    await claimJob(opened.storage);
    expect(await opened.storage.metrics.oldestDueAt(now)).toBeNull();
  });
});
