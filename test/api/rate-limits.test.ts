import { expect, test } from "bun:test";
import type { Answer, Client } from "../support/client.ts";
import { FakeClock } from "../support/clock.ts";
import { startService, testInProcess } from "../support/service.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The statuses of so many requests, one after the other. */
async function statuses(client: Client, requests: number, path = "/api/v2/leads"): Promise<number[]> {
  const found = [];
  for (let request = 0; request < requests; request++) found.push((await client.get(path)).status);
  return found;
}

function count(found: number[], status: number): number {
  return found.filter((one) => one === status).length;
}

function limitHeaders({ headers }: Answer) {
  const names = [
    "ratelimit-policy",
    "ratelimit",
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "retry-after",
  ];
  return Object.fromEntries(names.map((name) => [name, headers.get(name)]));
}

test("without limits nothing is refused, and the policy of every response is unlimited", async () => {
  await using service = await startService();
  const user = await service.user();
  expect(count(await statuses(user, 80), 200)).toBe(80);
  expect(limitHeaders(await user.get("/api/v2/leads"))).toEqual({
    "ratelimit-policy": '"unlimited"',
    ratelimit: null,
    "x-ratelimit-limit": null,
    "x-ratelimit-remaining": null,
    "x-ratelimit-reset": null,
    "retry-after": null,
  });
});

test("the limits are 60 a minute, 1,000 an hour and 10,000 a day unless set otherwise", async () => {
  await using service = await startService({
    settings: { RATE_LIMIT_MINUTE: 60, RATE_LIMIT_HOUR: 1000, RATE_LIMIT_DAY: 10_000 },
  });
  const user = await service.user();
  const { headers } = await user.get("/api/v2/leads");
  expect(headers.get("ratelimit-policy")).toBe('"minute";q=60;w=60, "hour";q=1000;w=3600, "day";q=10000;w=86400');
  expect(headers.get("ratelimit")).toMatch(/^"minute";r=59;t=\d+, "hour";r=999;t=\d+, "day";r=9999;t=\d+$/);
  expect(count(await statuses(user, 60), 429)).toBe(1);
});

testInProcess("headers tell what is left in every window, and of the tightest one by themselves", async () => {
  const clock = new FakeClock();
  await using service = await startService({
    clock,
    settings: { RATE_LIMIT_MINUTE: 5, RATE_LIMIT_HOUR: 7, RATE_LIMIT_DAY: 100 },
  });
  const user = await service.user();
  const minuteEnd = String((clock.now() + minute) / 1000);
  expect(limitHeaders(await user.get("/api/v2/leads"))).toEqual({
    "ratelimit-policy": '"minute";q=5;w=60, "hour";q=7;w=3600, "day";q=100;w=86400',
    ratelimit: '"minute";r=4;t=60, "hour";r=6;t=3600, "day";r=99;t=86400',
    "x-ratelimit-limit": "5",
    "x-ratelimit-remaining": "4",
    "x-ratelimit-reset": minuteEnd,
    "retry-after": null,
  });
  clock.advance(10_500);
  expect((await user.get("/api/v2/leads")).headers.get("ratelimit")).toBe(
    '"minute";r=3;t=50, "hour";r=5;t=3590, "day";r=98;t=86390',
  );
  await statuses(user, 3);
  clock.advance(minute);
  expect(limitHeaders(await user.get("/api/v2/leads"))).toMatchObject({
    "x-ratelimit-limit": "7",
    "x-ratelimit-remaining": "1",
  });
});

const windows = [
  ["minute", "RATE_LIMIT_MINUTE", minute],
  ["hour", "RATE_LIMIT_HOUR", hour],
  ["day", "RATE_LIMIT_DAY", day],
] as const;
for (const [window, setting, length] of windows)
  testInProcess(`the limit of a ${window} refuses what is beyond it until the ${window} is over`, async () => {
    const clock = new FakeClock();
    await using service = await startService({ clock, settings: { [setting]: 3 } });
    const user = await service.user();
    expect(await statuses(user, 5)).toEqual([200, 200, 200, 429, 429]);
    clock.advance(length - 1000);
    const refused = await user.get("/api/v2/leads");
    expect(refused).toMatchObject({ status: 429, code: "RATE_LIMIT_EXCEEDED", body: { retryAfter: 1 } });
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.details).toEqual({ limit: 3, resetTime: new Date(clock.now() + 1000).toISOString() });
    const enrichment = await user.post("/api/v2/enrich", { leads: [{ email: "ada@example.com" }] });
    expect(enrichment.details).toEqual(refused.details);
    clock.advance(999);
    expect((await user.get("/api/v2/leads")).body).toMatchObject({ retryAfter: 1 });
    clock.advance(1);
    expect(await statuses(user, 4)).toEqual([200, 200, 200, 429]);
  });

testInProcess("who waits for retryAfter seconds gets through", async () => {
  const clock = new FakeClock();
  await using service = await startService({ clock, settings: { RATE_LIMIT_MINUTE: 2, RATE_LIMIT_HOUR: 5 } });
  const user = await service.user();
  for (let round = 0; round < 6; round++) {
    await statuses(user, 2);
    const refused = await user.get("/api/v2/leads");
    expect(refused.status).toBe(429);
    clock.advance((refused.body as { retryAfter: number }).retryAfter * 1000);
    expect((await user.get("/api/v2/leads")).status).toBe(200);
  }
});

test("a refused request is not counted", async () => {
  await using service = await startService({ settings: { RATE_LIMIT_MINUTE: 2, RATE_LIMIT_HOUR: 10 } });
  const user = await service.user();
  await statuses(user, 9);
  expect((await user.get("/api/v2/leads")).headers.get("ratelimit")).toMatch(/"hour";r=8;/);
});

test("a health check costs a tenth of a request", async () => {
  await using service = await startService({ settings: { RATE_LIMIT_MINUTE: 3 } });
  const user = await service.user();
  expect(count(await statuses(user, 31, "/api/v2/health"), 200)).toBe(30);
  const mixed = await service.user();
  await statuses(mixed, 2);
  expect(await statuses(mixed, 9, "/api/v2/health")).toEqual(Array.from({ length: 9 }, () => 200));
  expect((await mixed.get("/api/v2/leads")).status).toBe(429);
  expect((await mixed.get("/api/v2/health")).status).toBe(200);
  expect((await mixed.get("/api/v2/health")).status).toBe(429);
});

test("the probes are never refused", async () => {
  await using service = await startService({ settings: { RATE_LIMIT_MINUTE: 1 } });
  expect(count(await statuses(service.client(null), 20, "/healthz"), 200)).toBe(20);
});

test("a user's keys share one quota, and users do not", async () => {
  await using service = await startService({ settings: { RATE_LIMIT_MINUTE: 4 } });
  const ada = await service.user();
  const second = await service.keyOf(ada, ["leads:read"]);
  expect(await statuses(ada, 2)).toEqual([200, 200]);
  expect(await statuses(second, 3)).toEqual([200, 200, 429]);
  expect(await statuses(ada, 1)).toEqual([429]);
  expect(await statuses(await service.user(), 4)).toEqual([200, 200, 200, 200]);
});

test("each global key has a quota of its own, whomever it acts for", async () => {
  await using service = await startService({ settings: { RATE_LIMIT_MINUTE: 3 } });
  const user = await service.user();
  const path = `/api/v2/leads?userId=${user.userId}`;
  const one = await service.globalKey();
  expect(await statuses(one, 4, path)).toEqual([200, 200, 200, 429]);
  expect(await statuses(await service.globalKey(), 3, path)).toEqual([200, 200, 200]);
  expect(await statuses(user, 3)).toEqual([200, 200, 200]);
});

test("refused and failed requests count and carry the headers like all others", async () => {
  await using service = await startService({ settings: { RATE_LIMIT_MINUTE: 6 } });
  const user = await service.user();
  const reader = await service.keyOf(user, ["leads:read"]);
  const found = [
    await user.get("/api/v2/leads/nothing"),
    await user.get("/api/v2/leads", { query: { limit: 0 } }),
    await user.post("/api/v2/leads", "x", { headers: { "content-type": "image/png" } }),
    await reader.post("/api/v2/leads", {}),
    await user.get("/api/v2/no/such/route"),
    await user.patch("/api/v2/leads"),
    await user.get("/api/v2/leads"),
  ];
  expect(found.map(({ status }) => status)).toEqual([404, 400, 415, 403, 404, 405, 429]);
  expect(found.map(({ headers }) => headers.get("x-ratelimit-remaining"))).toEqual(["5", "4", "3", "2", "1", "0", "0"]);
});

test("requests at the same time do not get more than there is", async () => {
  await using service = await startService({ settings: { RATE_LIMIT_MINUTE: 10 } });
  const user = await service.user();
  const answers = await Promise.all(Array.from({ length: 40 }, () => user.get("/api/v2/leads")));
  expect(
    count(
      answers.map(({ status }) => status),
      200,
    ),
  ).toBe(10);
});

test("a restart gives no fresh quota", async () => {
  await using service = await startService({ settings: { RATE_LIMIT_HOUR: 5 } });
  const user = await service.user();
  expect(count(await statuses(user, 3), 200)).toBe(3);
  await service.restart();
  expect(await statuses(user, 3)).toEqual([200, 200, 429]);
  await service.restart();
  expect(await statuses(user, 1)).toEqual([429]);
});

testInProcess("a window that ended while the service was down is over", async () => {
  const clock = new FakeClock();
  await using service = await startService({ clock, settings: { RATE_LIMIT_HOUR: 2 } });
  const user = await service.user();
  expect(await statuses(user, 3)).toEqual([200, 200, 429]);
  const restarted = service.restart();
  clock.advance(hour);
  await restarted;
  expect(await statuses(user, 3)).toEqual([200, 200, 429]);
});

test("who guesses keys is stopped, and users are not", async () => {
  await using service = await startService({ settings: { RATE_LIMIT_MINUTE: 5 } });
  const user = await service.user();
  const guesses = await statuses(service.client("oak_guess"), 8);
  expect(guesses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
  expect(await statuses(user, 5)).toEqual([200, 200, 200, 200, 200]);
});

test("behind a proxy each client's guesses are counted apart, by the entry that the proxy wrote", async () => {
  await using service = await startService({ settings: { RATE_LIMIT_MINUTE: 2, TRUSTED_PROXIES: 1 } });
  const guess = async (forwarded: string) =>
    (await service.client("oak_guess").get("/api/v2/leads", { headers: { "x-forwarded-for": forwarded } })).status;
  expect([await guess("1.1.1.1"), await guess("1.1.1.1"), await guess("1.1.1.1")]).toEqual([401, 401, 429]);
  expect(await guess("2.2.2.2")).toBe(401);
  expect(await guess("9.9.9.9, 1.1.1.1")).toBe(429);
  expect(await guess("1.1.1.1, 3.3.3.3")).toBe(401);
});

test("without a proxy nobody chooses the address by a header", async () => {
  await using service = await startService({ settings: { RATE_LIMIT_MINUTE: 2 } });
  const found = [];
  for (let index = 0; index < 4; index++)
    found.push(
      (await service.client("oak_guess").get("/api/v2/leads", { headers: { "x-forwarded-for": `1.1.1.${index}` } }))
        .status,
    );
  expect(found).toEqual([401, 401, 429, 429]);
});

test("behind two proxies the entry of the outer one is the client's", async () => {
  await using service = await startService({ settings: { RATE_LIMIT_MINUTE: 1, TRUSTED_PROXIES: 2 } });
  const guess = async (forwarded: string) =>
    (await service.client("oak_guess").get("/api/v2/leads", { headers: { "x-forwarded-for": forwarded } })).status;
  expect([await guess("8.8.8.8, 1.1.1.1, 10.0.0.1"), await guess("9.9.9.9, 1.1.1.1, 10.0.0.2")]).toEqual([401, 429]);
  expect(await guess("1.1.1.1, 2.2.2.2, 10.0.0.1")).toBe(401);
});

test("the command line's own key takes from nobody's quota", async () => {
  await using service = await startService({ settings: { RATE_LIMIT_MINUTE: 2 } });
  const { localKey } = (await Bun.file(`${service.dataDir}/server.json`).json()) as { localKey: string };
  expect(count(await statuses(service.client(localKey), 6, "/api/v2/users"), 200)).toBe(6);
});
