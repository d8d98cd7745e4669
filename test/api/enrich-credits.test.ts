import { afterAll, describe, expect, test } from "bun:test";
import type { LedgerEntryView } from "../../src/features/credits/model.ts";
import { FakeClock } from "../support/clock.ts";
import { startService, testInProcess } from "../support/service.ts";
import { store, enrich, balanceOf, ada } from "../support/enrich-api.ts";

const service = await startService({ settings: { ENRICHMENTS_PER_HOUR: 0, DEFAULT_CREDITS: 200 } });

afterAll(() => service[Symbol.asyncDispose]());

describe("credits", () => {
  test("that do not reach are refused with what it takes, before anybody is asked", async () => {
    const user = await service.user();
    await service.admin.post(`/api/v2/users/${user.userId}/credits/adjust`, { amount: -198 });
    const leads = [1, 2, 3].map((n) => ({ email: `a${n}@b.co` }));
    const refused = await enrich(user, leads);
    expect(refused).toMatchObject({ status: 402, code: "ENRICHMENT_CREDITS_EXHAUSTED" });
    expect(refused.details).toMatchObject({ remaining: 2, required: 3, upgradeUrl: `${service.url}/docs` });
    expect(await balanceOf(user)).toBe(2);
    expect(await enrich(user, leads, {}, { headers: { prefer: "respond-async" } })).toMatchObject({ status: 402 });
    expect((await enrich(user, leads.slice(1))).status).toBe(200);
  });

  test("beyond a key's budget are refused though the balance has them", async () => {
    const user = await service.user();
    const { data: key } = await user.post<{ id: string; key: string }>("/api/v2/keys", {
      name: "k",
      permissions: ["leads:enrich"],
    });
    await user.put(`/api/v2/credits/budgets/${key.id}`, { monthly: 1 });
    const leads = [1, 2].map((n) => ({ email: `a${n}@b.co` }));
    expect(await enrich(service.client(key.key), leads)).toMatchObject({
      status: 402,
      details: { remaining: 1, required: 2, exhausted: "budget" },
    });
    expect((await enrich(service.client(key.key), leads.slice(1))).status).toBe(200);
    expect((await enrich(user, leads)).status).toBe(200);
  });

  test("are foretold by a dry run, which changes nothing", async () => {
    const user = await service.user();
    await store(user, ada);
    await enrich(user, [{ email: ada.email }]);
    const leads = [{ email: ada.email }, { email: "b@b.co" }, { email: "B@b.co" }, { leadId: "nothing" }];
    const { data } = await enrich(user, leads, {}, { query: { dryRun: true } });
    expect(data).toEqual({
      enriched: [],
      failed: [],
      creditsUsed: 0,
      remainingCredits: 199,
      estimate: { leads: 4, free: 3, maxCredits: 1, isAffordable: true, mode: "direct", providers: ["local"] },
    });
  });

  test("of clients that race for the last ones are spent exactly", async () => {
    const user = await service.user();
    await Promise.all(Array.from({ length: 40 }, (_, n) => store(user, { ...ada, email: `p${n}@analytical.example` })));
    await service.admin.post(`/api/v2/users/${user.userId}/credits/adjust`, { amount: -190 });
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => enrich(user, [{ email: `p${n}@analytical.example` }])),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(30);
    expect(await balanceOf(user)).toBe(0);
  });

  test("show in the ledger what each request reserved, used and gave back", async () => {
    const user = await service.user();
    await store(user, ada);
    await enrich(user, [{ email: ada.email }, { email: "nobody@nowhere.example" }]);
    const { data } = await user.get<{ entries: LedgerEntryView[] }>("/api/v2/credits/ledger");
    const movements = data.entries.filter(({ request }) => request !== null);
    expect(movements.map(({ kind, amount, item }) => `${kind} ${amount} ${item}`).toSorted()).toEqual([
      "release 2 null",
      "reserve -2 null",
      "settle -1 0",
    ]);
    expect(new Set(movements.map(({ request }) => request)).size).toBe(1);
    const [{ request }] = movements as [LedgerEntryView];
    const refund = await service.admin.post(`/api/v2/users/${user.userId}/credits/refund`, { request, item: "0" });
    expect(refund.data).toMatchObject({ balance: 200 });
  });
});

testInProcess("a repeat is free for 90 days, and costs again afterwards", async () => {
  const clock = new FakeClock();
  await using clocked = await startService({ clock, settings: { ENRICHMENTS_PER_HOUR: 0 } });
  const user = await clocked.user();
  await store(user, ada);
  const used = async () => (await enrich(user, [{ email: ada.email }])).data.creditsUsed;
  expect(await used()).toBe(1);
  clock.advance(90 * 86_400_000);
  expect(await used()).toBe(0);
  clock.advance(1);
  expect(await used()).toBe(1);
});
