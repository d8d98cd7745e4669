import { expect, test } from "bun:test";
import {
  MemoryCounters,
  RateLimiter,
  unlimitedHeaders,
  type RateLimits,
  type StoredWindow,
  type WindowStore,
} from "../../src/lib/rate-limit/rate-limiter.ts";
import { requestCost } from "../../src/platform/http/rate-limit.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { createDice } from "../support/ids.ts";

const { full, health } = requestCost;
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const off: RateLimits = { minute: 0, hour: 0, day: 0 };

test("as many requests as the quota says pass within a minute, and one more is refused until its end", async () => {
  const { clock, limiter } = createLimiter({ minute: 3 });
  for (let n = 0; n < 3; n++) expect((await limiter.take("ada", full)).isAllowed).toBe(true);
  clock.advance(20_000);
  expect(await limiter.take("ada", full)).toMatchObject({ isAllowed: false, retryAfterSeconds: 40 });
  clock.advance(40_000 - 1);
  expect(await limiter.take("ada", full)).toMatchObject({ isAllowed: false, retryAfterSeconds: 1 });
  clock.advance(1);
  expect(await limiter.take("ada", full)).toMatchObject({ isAllowed: true, retryAfterSeconds: 0 });
});

test("a window begins with a subject's first request, so that subjects do not share their ends", async () => {
  const { clock, limiter } = createLimiter({ minute: 1 });
  await limiter.take("ada", full);
  clock.advance(30_000);
  expect((await limiter.take("bob", full)).isAllowed).toBe(true);
  clock.advance(30_000);
  expect((await limiter.take("ada", full)).isAllowed).toBe(true);
  expect(await limiter.take("bob", full)).toMatchObject({ isAllowed: false, retryAfterSeconds: 30 });
});

test("a refused request is counted nowhere", async () => {
  const { clock, limiter } = createLimiter({ minute: 2, hour: 3 });
  await limiter.take("ada", full);
  await limiter.take("ada", full);
  for (let n = 0; n < 10; n++) await limiter.take("ada", full);
  clock.advance(minute);
  expect((await limiter.take("ada", full)).isAllowed).toBe(true);
  expect(await limiter.take("ada", full)).toMatchObject({ isAllowed: false, retryAfterSeconds: 59 * 60 });
});

test("when several windows are full the longest wait is told", async () => {
  const { limiter } = createLimiter({ minute: 1, hour: 1, day: 1 });
  await limiter.take("ada", full);
  expect(await limiter.take("ada", full)).toMatchObject({ isAllowed: false, retryAfterSeconds: day / 1000 });
});

test("a health check costs a tenth of a request", async () => {
  const { limiter } = createLimiter({ minute: 2 });
  for (let n = 0; n < 10; n++) expect((await limiter.take("ada", health)).isAllowed).toBe(true);
  expect((await limiter.take("ada", full)).isAllowed).toBe(true);
  expect((await limiter.take("ada", health)).isAllowed).toBe(false);
});

test("limits that are off refuse nothing and say so", async () => {
  const refusesNothing = { isAllowed: true, limit: 0, retryAfterSeconds: 0, headers: unlimitedHeaders };
  const { limiter } = createLimiter({});
  for (let n = 0; n < 1000; n++) expect(await limiter.take("ada", full)).toEqual(refusesNothing);
  expect(limiter.takeFromStranger("1.2.3.4", requestCost.full)).toEqual(refusesNothing);
});

test("headers tell of every window, and in the older form of the one that is nearest to its end", async () => {
  const { clock, limiter } = createLimiter({ minute: 5, hour: 4, day: 100 });
  await limiter.take("ada", full);
  clock.advance(10_500);
  expect((await limiter.take("ada", full)).headers).toEqual({
    "ratelimit-policy": '"minute";q=5;w=60, "hour";q=4;w=3600, "day";q=100;w=86400',
    ratelimit: '"minute";r=3;t=50, "hour";r=2;t=3590, "day";r=98;t=86390',
    "x-ratelimit-limit": "4",
    "x-ratelimit-remaining": "2",
    "x-ratelimit-reset": String((startOfTests + hour) / 1000),
  });
});

test("what is left is never told as more than there is, nor as less than nothing", async () => {
  const { limiter } = createLimiter({ minute: 2 });
  expect((await limiter.take("ada", health)).headers["x-ratelimit-remaining"]).toBe("1");
  await limiter.take("ada", full);
  expect((await limiter.take("ada", full)).headers["x-ratelimit-remaining"]).toBe("0");
  expect((await limiter.take("ada", full)).headers["x-ratelimit-remaining"]).toBe("0");
});

test("a refusal carries headers too", async () => {
  const { limiter } = createLimiter({ minute: 1 });
  await limiter.take("ada", full);
  expect((await limiter.take("ada", full)).headers).toMatchObject({
    ratelimit: '"minute";r=0;t=60',
    "x-ratelimit-remaining": "0",
  });
});

test("a clock that is set back neither grants a fresh quota nor keeps a window open longer than its length", async () => {
  let now = startOfTests;
  const limiter = new RateLimiter({ ...off, minute: 1 }, new MemoryCounters(createStore()), {
    now: () => now,
  });
  await limiter.take("ada", full);
  now -= hour;
  expect(await limiter.take("ada", full)).toMatchObject({ isAllowed: false, retryAfterSeconds: 60 });
  now += minute;
  expect((await limiter.take("ada", full)).isAllowed).toBe(true);
});

test("strangers are limited by their address, apart from members of the same name, and are never written", async () => {
  const { limiter, store } = createLimiter({ minute: 1 });
  expect(limiter.takeFromStranger("ada", requestCost.full).isAllowed).toBe(true);
  expect(limiter.takeFromStranger("ada", requestCost.full).isAllowed).toBe(false);
  expect(limiter.takeFromStranger("bob", requestCost.full).isAllowed).toBe(true);
  await limiter.flush();
  expect(store.windows).toEqual([]);
  expect((await limiter.take("ada", full)).isAllowed).toBe(true);
});

test("a flood of strangers does not make members' counts go away", async () => {
  const { limiter } = createLimiter({ minute: 1 });
  await limiter.take("ada", full);
  for (let n = 0; n < 25_000; n++) limiter.takeFromStranger(`10.0.${n >> 8}.${n & 255}`, requestCost.full);
  expect((await limiter.take("ada", full)).isAllowed).toBe(false);
});

test("a restart gives no fresh quota", async () => {
  const { clock, limiter, store } = createLimiter({ minute: 2, day: 5 });
  await limiter.take("ada", full);
  await limiter.take("ada", full);
  await limiter.take("bob", full);
  await limiter.flush();
  const next = new RateLimiter({ ...off, minute: 2, day: 5 }, new MemoryCounters(store), clock);
  clock.advance(1000);
  expect(await next.take("ada", full)).toMatchObject({ isAllowed: false, retryAfterSeconds: 59 });
  expect((await next.take("bob", full)).headers["ratelimit"]).toBe('"minute";r=0;t=59, "day";r=3;t=86399');
});

test("limits that were changed with the restart are heeded, and windows that they no longer have are passed over", async () => {
  const { clock, limiter, store } = createLimiter({ minute: 10, hour: 10, day: 10 });
  for (let n = 0; n < 5; n++) await limiter.take("ada", full);
  await limiter.flush();
  const next = new RateLimiter({ minute: 0, hour: 4, day: 10 }, new MemoryCounters(store), clock);
  const verdict = await next.take("ada", full);
  expect(verdict).toMatchObject({ isAllowed: false, retryAfterSeconds: 3600 });
  expect(verdict.headers["ratelimit"]).toBe('"hour";r=0;t=3600, "day";r=5;t=86400');
});

test("a flush writes only what changed since the last one", async () => {
  const { limiter, store } = createLimiter({ minute: 9 });
  await limiter.flush();
  expect(store.saves).toBe(0);
  await limiter.take("ada", full);
  await limiter.flush();
  await limiter.take("bob", full);
  await limiter.flush();
  expect(store.lastSaved.map(({ subject }) => subject)).toEqual(["bob"]);
  await limiter.flush();
  expect(store.saves).toBe(2);
});

test("a flush lets the store forget windows that are over", async () => {
  const { clock, limiter, store } = createLimiter({ minute: 9 });
  await limiter.take("ada", full);
  await limiter.flush();
  expect(store.lastExpired).toEqual({
    minute: startOfTests - minute,
    hour: startOfTests - hour,
    day: startOfTests - day,
  });
  clock.advance(2 * minute);
  await limiter.take("bob", full);
  await limiter.flush();
  expect(store.windows.map(({ subject }) => subject)).toEqual(["bob"]);
});

test("a flush that fails is made up for by the next one", async () => {
  const { limiter, store } = createLimiter({ minute: 9 });
  await limiter.take("ada", full);
  store.failure = new Error("The disk is full");
  await expect(limiter.flush()).rejects.toThrow("The disk is full");
  store.failure = null;
  await limiter.take("bob", full);
  await limiter.flush();
  expect(store.windows).toEqual([
    { subject: "ada", window: "minute", startedAt: startOfTests, used: full },
    { subject: "bob", window: "minute", startedAt: startOfTests, used: full },
  ]);
});

test("a request that comes while a flush is written is not lost to the next one", async () => {
  const { limiter, store } = createLimiter({ minute: 9 });
  await limiter.take("ada", full);
  const flushing = limiter.flush();
  await limiter.take("ada", full);
  await flushing;
  await limiter.flush();
  expect(store.windows).toEqual([{ subject: "ada", window: "minute", startedAt: startOfTests, used: 2 * full }]);
});

test("in no stretch as long as a window more than twice its quota passes, and in the long run not more than it", async () => {
  const dice = createDice(41);
  const quotas = { minute: 4, hour: 30, day: 90 };
  const { clock, limiter } = createLimiter(quotas);
  const passed: number[] = [];
  for (let n = 0; n < 4000; n++) {
    clock.advance(dice.pick([0, 500, 5000, 20_000, 200_000]));
    if ((await limiter.take("ada", full)).isAllowed) passed.push(clock.now());
  }
  for (const [length, quota] of [
    [minute, quotas.minute],
    [hour, quotas.hour],
    [day, quotas.day],
  ] as const) {
    const behind = passed.map((at, index) => passed.slice(index).filter((later) => later < at + length).length);
    expect(Math.max(...behind)).toBeLessThanOrEqual(2 * quota);
    expect(passed.length).toBeLessThanOrEqual(quota * (Math.ceil((clock.now() - startOfTests) / length) + 1));
  }
  expect(passed.length).toBeGreaterThan(quotas.day);
});

function createLimiter(limits: Partial<RateLimits>) {
  const clock = new FakeClock();
  const store = createStore();
  return { clock, store, limiter: new RateLimiter({ ...off, ...limits }, new MemoryCounters(store), clock) };
}

/** Keeps windows in memory, by the port's words. */
function createStore() {
  const kept = new Map<string, StoredWindow>();
  const store = {
    failure: null as Error | null,
    saves: 0,
    lastSaved: [] as StoredWindow[],
    lastExpired: {} as Record<string, number>,
    get windows(): StoredWindow[] {
      return [...kept.values()];
    },
    load: () => [...kept.values()],
    async save(windows: StoredWindow[], expiredBefore: Record<string, number>) {
      if (store.failure !== null) throw store.failure;
      store.saves++;
      store.lastSaved = windows;
      store.lastExpired = expiredBefore;
      for (const window of windows) kept.set(`${window.subject} ${window.window}`, window);
      for (const [key, { window, startedAt }] of kept) if (startedAt < (expiredBefore[window] ?? 0)) kept.delete(key);
    },
  };
  return store satisfies WindowStore;
}
