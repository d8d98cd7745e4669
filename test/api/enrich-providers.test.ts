import { afterAll, expect, test } from "bun:test";
import type { ProviderTest, SettingsView } from "../../src/features/enrichment/model.ts";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { Client } from "../support/client.ts";
import { startService } from "../support/service.ts";
import { path, store, enrich, balanceOf, ada } from "../support/enrich-api.ts";

const service = await startService({ settings: { ENRICHMENTS_PER_HOUR: 0, DEFAULT_CREDITS: 200 } });

afterAll(() => service[Symbol.asyncDispose]());

test("the order of providers is the user's own", async () => {
  const user = await service.user();
  const settings = `${path}/settings`;
  const { data } = await user.get<SettingsView>(settings);
  expect(data).toMatchObject({ providers: ["local"], isDefault: true });
  expect(data.available).toMatchObject([
    { name: "local", state: "ready", pausedUntil: null, creditsUsed: 0, spendCap: null },
  ]);
  expect((await user.put<SettingsView>(settings, { providers: ["local"] })).data.isDefault).toBe(false);
  expect(await user.put(settings, { providers: ["nobody"] })).toMatchObject({
    status: 400,
    details: { errors: [{ index: 0 }] },
  });
  expect(await user.put(settings, { providers: [] })).toMatchObject({ status: 400 });
  expect((await user.put<SettingsView>(settings, { providers: null })).data.isDefault).toBe(true);
});

test("more direct requests in an hour than are allowed are refused, with the limit and when it ends; jobs are not", async () => {
  await using limited = await startService({ settings: { ENRICHMENTS_PER_HOUR: 2 } });
  const user = await limited.user();
  const leads = [{ email: "a@b.co" }];
  expect((await user.post(path, { leads: [{}] })).status).toBe(400); // counts for nothing
  expect((await enrich(user, leads)).status).toBe(200);
  expect((await enrich(user, leads)).status).toBe(200);
  const refused = await enrich(user, leads);
  expect(refused).toMatchObject({ status: 429, code: "RATE_LIMIT_EXCEEDED", details: { limit: 2 } });
  expect(refused.details?.["resetTime"]).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  expect((await enrich(user, leads, {}, { query: { dryRun: true } })).status).toBe(200);
  const submitted = await user.post<JobView>(path, { leads }, { headers: { prefer: "respond-async" } });
  expect(submitted.status).toBe(202);
  expect(await limited.ended(user, submitted.data.id)).toMatchObject({ status: "completed" });
  expect((await enrich(await limited.user(), leads)).status).toBe(200);
  await limited.restart();
  expect((await enrich(user, leads)).status).toBe(429);
});

test("a key with all rights of another kind may not enrich", async () => {
  const reader = await service.keyOf(await service.user(), ["leads:read", "leads:write"]);
  expect(await enrich(reader, [{ email: "a@b.co" }])).toMatchObject({ status: 403 });
});

test("an admin sees whether a provider works, without paying and without the values", async () => {
  const ask = (client: Client, provider: string, person: object) =>
    client.post<ProviderTest>(`${path}/providers/${provider}/test`, person);
  const { admin } = service;
  await store(admin, ada);
  const before = await balanceOf(admin);
  const { data } = await ask(admin, "local", { email: ada.email });
  expect(data).toMatchObject({ provider: "local", outcome: "found", reason: null });
  expect(data.fields).toContain("title");
  expect(JSON.stringify(data)).not.toContain("Lovelace");
  expect((await ask(admin, "local", { email: "nobody@analytical.example" })).data.outcome).toBe("none");
  expect(await balanceOf(admin)).toBe(before);
  expect((await ask(admin, "local", {})).status).toBe(400);
  expect((await ask(admin, "nobody", { email: ada.email })).status).toBe(404);
  expect((await ask(await service.user(), "local", { email: ada.email })).status).toBe(403);
  await admin.post("/api/v2/suppressions", { values: [ada.email] });
  expect((await ask(admin, "local", { email: ada.email })).status).toBe(409);
});
