import { expect } from "bun:test";
import { FakeClock } from "../support/clock.ts";
import { startService } from "../support/service.ts";
import { ask, section } from "./support.ts";

section("8.1 Requests", (says) => {
  for (const [window, limit, seconds] of [
    ["minute", 60, 60],
    ["hour", 1000, 3600],
    ["day", 10_000, 86_400],
  ] as const)
    says(`${limit} per ${window}`, async () => {
      const settings = { RATE_LIMIT_MINUTE: 60, RATE_LIMIT_HOUR: 1000, RATE_LIMIT_DAY: 10_000 };
      await using service = await startService({ settings });
      const { headers } = await ask(service, "GET", "/health");
      expect(headers.get("ratelimit-policy")).toContain(`q=${limit};w=${seconds}`);
    });
  says.inProcess("the request after the sixtieth of a minute is refused, and served again in the next", async () => {
    const clock = new FakeClock();
    await using service = await startService({ clock, settings: { RATE_LIMIT_MINUTE: 60 } });
    const statuses = [];
    for (let n = 0; n < 61; n++) statuses.push((await ask(service, "GET", "/leads")).status);
    expect(statuses).toEqual([...Array.from({ length: 60 }, () => 200), 429]);
    clock.advance(60_000);
    expect((await ask(service, "GET", "/leads")).status).toBe(200);
  });
  says("health counts little", async () => {
    await using service = await startService({ settings: { RATE_LIMIT_MINUTE: 5 } });
    for (let n = 0; n < 20; n++) expect((await ask(service, "GET", "/health")).status).toBe(200);
  });
  for (const [name, settings] of [
    ["with limits", { RATE_LIMIT_MINUTE: 60 }],
    ["without limits", {}],
  ] as const)
    says(`rate limit headers are included in all responses ${name}`, async () => {
      await using service = await startService({ settings });
      const answers = [
        await ask(service, "GET", "/health"),
        await ask(service, "GET", "/leads"),
        await ask(service, "GET", "/leads/nothing"),
        await ask(service, "GET", "/nowhere"),
        await ask(service, "POST", "/leads", { json: {} }),
        await ask(service, "DELETE", "/leads"),
        await ask(service, "GET", "/leads", { key: null }),
      ];
      for (const { headers, status } of answers) expect(headers.get("ratelimit-policy"), `${status}`).toBeString();
    });
});

section("8.2 Other limits", (says) => {
  says("100 enrichments per hour", async () => {
    await using service = await startService();
    const enrich = () => ask(service, "POST", "/enrich", { json: { leads: [{ email: "a@b.example" }] } });
    for (let n = 0; n < 100; n++) expect((await enrich()).status).toBe(200);
    expect((await enrich()).status).toBe(429);
  });
  says("search limit is 1 to 100", async () => {
    await using service = await startService();
    const search = async (limit: number) =>
      (await ask(service, "POST", "/prospecting/search", { json: { filters: {}, limit } })).status;
    expect([await search(0), await search(1), await search(100), await search(101)]).toEqual([400, 200, 200, 400]);
  });
});
