import { describe, expect, test } from "bun:test";
import type { WindowLimit } from "../../src/lib/rate-limit/rate-limiter.ts";
import { enginesAndPostgres } from "../support/engines.ts";

const minute: WindowLimit = { name: "minute", ms: 60_000, quota: 30 };
const hour: WindowLimit = { name: "hour", ms: 3_600_000, quota: 50 };
const day: WindowLimit = { name: "day", ms: 86_400_000, quota: 1000 };
const start = 1_800_000_000_000;

describe.each(enginesAndPostgres)("rates on $name", ({ open, isSingleWriter }) => {
  test("a request is charged to all windows, or to none if it exceeds the quota of one", async () => {
    await using opened = await open();
    const { rates } = opened.storage;
    const limits = [minute, hour];
    const at = start + 5;
    expect(await rates.take("ada", 10, limits, start)).toEqual({
      isAllowed: true,
      counters: [
        { startedAt: start, used: 10 },
        { startedAt: start, used: 10 },
      ],
    });
    const after = (used: number, isAllowed: boolean) => ({
      isAllowed,
      counters: [
        { startedAt: start, used },
        { startedAt: start, used },
      ],
    });
    expect(await rates.take("ada", 20, limits, at)).toEqual(after(30, true));
    expect(await rates.take("ada", 1, limits, at)).toEqual(after(30, false));
    expect(await rates.take("ada", 1, limits, at)).toEqual(after(30, false));
    expect(await rates.take("ada", 0, limits, at)).toEqual(after(30, true));
  });

  test("a window starts with the first request after the end of the previous one", async () => {
    await using opened = await open();
    const { rates } = opened.storage;
    const limits = [minute, hour];
    await rates.take("ada", 30, limits, start);
    expect(await rates.take("ada", 10, limits, start + minute.ms - 1)).toMatchObject({ isAllowed: false });
    const next = start + minute.ms + 7;
    expect(await rates.take("ada", 10, limits, next)).toEqual({
      isAllowed: true,
      counters: [
        { startedAt: next, used: 10 },
        { startedAt: start, used: 40 },
      ],
    });
    // The hour is used up, and the minute is not charged for what it refuses.
    expect(await rates.take("ada", 20, limits, next)).toEqual({
      isAllowed: false,
      counters: [
        { startedAt: next, used: 10 },
        { startedAt: start, used: 40 },
      ],
    });
  });

  test("a refused request whose window is over sees an empty one", async () => {
    await using opened = await open();
    const { rates } = opened.storage;
    const limits = [minute, { ...hour, quota: 30 }];
    await rates.take("ada", 30, limits, start);
    const later = start + minute.ms;
    expect(await rates.take("ada", 10, limits, later)).toEqual({
      isAllowed: false,
      counters: [
        { startedAt: later, used: 0 },
        { startedAt: start, used: 30 },
      ],
    });
  });

  test("subjects share nothing", async () => {
    await using opened = await open();
    const { rates } = opened.storage;
    await rates.take("ada", 30, [minute], start);
    expect(await rates.take("bob", 30, [minute], start + 1)).toEqual({
      isAllowed: true,
      counters: [{ startedAt: start + 1, used: 30 }],
    });
    expect(await rates.take("enrich:ada", 10, [day], start)).toEqual({
      isAllowed: true,
      counters: [{ startedAt: start, used: 10 }],
    });
  });

  test("a clock that is set back neither grants a fresh quota nor extends a window", async () => {
    await using opened = await open();
    const { rates } = opened.storage;
    await rates.take("ada", 20, [minute], start);
    const back = start - hour.ms;
    expect(await rates.take("ada", 10, [minute], back)).toEqual({
      isAllowed: true,
      counters: [{ startedAt: back, used: 30 }],
    });
    expect(await rates.take("ada", 10, [minute], back + minute.ms)).toMatchObject({ isAllowed: true });
  });

  test("of requests at the same time, exactly as many pass as the quota allows", async () => {
    await using opened = await open();
    const { rates } = opened.storage;
    const taken = await Promise.all(Array.from({ length: 50 }, () => rates.take("ada", 10, [minute, day], start)));
    expect(taken.filter(({ isAllowed }) => isAllowed)).toHaveLength(3);
    expect(await rates.take("ada", 0, [minute], start)).toMatchObject({ counters: [{ used: 30 }] });
  });

  test("what was counted before a flush survives the death of the process", async () => {
    await using opened = await open();
    await opened.storage.rates.take("ada", 20, [minute, day], start);
    await opened.storage.rates.flush(start);
    // Only counts in memory are lost.
    await opened.storage.rates.take("ada", 10, [minute, day], start);
    const { rates } = await opened.reopen();
    const used = isSingleWriter ? 20 : 30;
    expect(await rates.take("ada", 0, [minute, day], start + 1)).toEqual({
      isAllowed: true,
      counters: [
        { startedAt: start, used },
        { startedAt: start, used },
      ],
    });
  });

  test("a flush forgets windows that are over, and no others", async () => {
    await using opened = await open();
    const { rates } = opened.storage;
    await rates.take("ada", 10, [minute, hour], start);
    await rates.take("bob", 10, [minute], start);
    const later = start + minute.ms + 1;
    await rates.take("eve", 10, [minute], later);
    await rates.flush(later);
    const next = await opened.reopen();
    // Asked at an earlier time, at which a forgotten window would have gone on.
    const used = async (subject: string, limits: WindowLimit[]) => {
      const { counters } = await next.rates.take(subject, 0, limits, later);
      return counters.map((counter) => counter.used);
    };
    expect(await used("ada", [hour])).toEqual([10]);
    expect(await used("bob", [minute])).toEqual([0]);
    expect(await used("eve", [minute])).toEqual([10]);
  });
});
