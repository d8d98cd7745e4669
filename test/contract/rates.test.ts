import { describe, expect, test } from "bun:test";
import type { RateWindow } from "../../src/platform/http/rate-store.ts";
import { engines } from "../support/engines.ts";

const inOrder = (windows: RateWindow[]): RateWindow[] =>
  windows.toSorted((a, b) => (`${a.subject} ${a.window}` < `${b.subject} ${b.window}` ? -1 : 1));

describe.each(engines)("rates on $name", ({ open }) => {
  test("windows are loaded as they were saved, those of one subject beside each other", async () => {
    await using opened = await open();
    const { storage } = opened;
    const windows = [
      { subject: "ada", window: "hour", startedAt: 10, used: 15 },
      { subject: "ada", window: "minute", startedAt: 20, used: 5 },
      { subject: "bob", window: "minute", startedAt: 30, used: 1 },
    ];
    expect(await storage.rates.load()).toEqual([]);
    await storage.rates.save(windows, {});
    expect(inOrder(await storage.rates.load())).toEqual(windows);
  });

  test("a window that is saved again replaces the one of before, and no other", async () => {
    await using opened = await open();
    const { storage } = opened;
    const other = { subject: "bob", window: "minute", startedAt: 20, used: 50 };
    await storage.rates.save([{ subject: "ada", window: "minute", startedAt: 20, used: 50 }, other], {});
    const again = { subject: "ada", window: "minute", startedAt: 80, used: 3 };
    await storage.rates.save([again], {});
    expect(inOrder(await storage.rates.load())).toEqual([again, other]);
  });

  test("windows that began before their name's moment are forgotten, whosever they are; those at it stay", async () => {
    await using opened = await open();
    const { storage } = opened;
    const at = (subject: string, window: string, startedAt: number) => ({ subject, window, startedAt, used: 1 });
    await storage.rates.save(
      [at("ada", "minute", 99), at("bob", "minute", 100), at("ada", "hour", 99), at("bob", "hour", 9)],
      {},
    );
    await storage.rates.save([], { minute: 100, hour: 10 });
    expect(inOrder(await storage.rates.load())).toEqual([at("ada", "hour", 99), at("bob", "minute", 100)]);
  });

  test("saved windows are there after the process was killed", async () => {
    await using opened = await open();
    const window = { subject: "ada", window: "day", startedAt: 1, used: 2 };
    await opened.storage.rates.save([window], {});
    const storage = await opened.reopen();
    expect(await storage.rates.load()).toEqual([window]);
  });
});
