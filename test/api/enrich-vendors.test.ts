import { describe, expect, test } from "bun:test";
import type { CreditsView } from "../../src/features/credits/model.ts";
import type { EnrichAnswer, SettingsView } from "../../src/features/enrichment/model.ts";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { LeadView } from "../../src/features/leads/model.ts";
import type { Client } from "../support/client.ts";
import { FakeClock } from "../support/clock.ts";
import { ada, startWith, vendorOf, withheld } from "../support/enrich-service.ts";
import { eventually, succeeded, testInProcess, type Service } from "../support/service.ts";

test("vendors are asked in the user's order until each field is sure enough", async () => {
  await using started = await startWith(["apollo", "hunter", "reacher"]);
  const { service, servers } = started;
  const [apollo, hunter, reacher] = servers;
  const user = await service.user();
  const enrich = async (more: object) =>
    succeeded(await user.post<EnrichAnswer>("/api/v2/enrich", { leads: [ada], refresh: true, ...more })).data;
  const all = await enrich({});
  expect(all).toMatchObject({ creditsUsed: 1, failed: [] });
  expect(all.enriched[0]).toMatchObject({
    enrichedData: { email: "ada@analytical.example", title: "CTO", companyInfo: { size: "12" } },
    provenance: { email: { provider: "apollo" } },
  });
  expect(apollo?.requests).toBe(1);
  // The address was sure enough, and of somebody who has one nobody else here knows more, though a phone is missing.
  expect([hunter?.requests, reacher?.requests]).toEqual([0, 0]);
  const contact = { includePersonalInfo: false, includeCompanyInfo: false, includeSocialProfiles: false };
  await user.put("/api/v2/enrich/settings", { providers: ["hunter"] });
  const own = await enrich({ enrichmentOptions: contact });
  expect(own.enriched[0]).toMatchObject({ sources: ["hunter"], fieldConfidence: { email: 0.97 } });
  expect(own.enriched[0]?.enrichedData).toEqual({ email: "ada@analytical.example" });
  expect([apollo?.requests, hunter?.requests]).toEqual([1, 1]);
}, 20_000);

test("a guess is verified by the next one, and dropped when it is wrong", async () => {
  await using started = await startWith(["reacher"]);
  const { service } = started;
  const user = await service.user();
  const enrich = async (lead: object) =>
    succeeded(await user.post<EnrichAnswer>("/api/v2/enrich", { leads: [lead] })).data;
  // local guesses ada.lovelace@…, and the played Reacher knows addresses that begin with ada@ only.
  const wrong = await enrich(ada);
  expect(wrong.enriched[0]?.enrichedData.email).toBeUndefined();
  expect(wrong.creditsUsed).toBe(0);
});

test("a vendor that hangs costs its time limit, not the answer; one that fails is paused and shown so", async () => {
  await using started = await startWith(["apollo", "hunter"], { ENRICHMENT_TIMEOUTS: "apollo=1" });
  const { service, servers } = started;
  const [apollo, hunter] = servers;
  const user = await service.user();
  apollo?.answerWith(() => new Promise<Response>(() => {}));
  const { data } = await user.post<EnrichAnswer>("/api/v2/enrich", { leads: [ada] });
  expect(data.enriched[0]?.sources).toEqual(["hunter"]);
  hunter?.answerWith(() => Response.json({}, { status: 403 }));
  apollo?.answerWith(() => Response.json({}, { status: 500 }));
  const stranger = { ...ada, lastName: "Other" };
  const failed = await user.post<EnrichAnswer>("/api/v2/enrich", {
    leads: [stranger],
    providers: ["apollo", "hunter"],
  });
  expect(failed.data).toMatchObject({ creditsUsed: 0, failed: [{ code: "PROVIDERS_UNAVAILABLE", retryable: true }] });
  const { available } = (await user.get<SettingsView>("/api/v2/enrich/settings")).data;
  expect(available.find(({ name }) => name === "hunter")).toMatchObject({ state: "paused", creditsUsed: 1 });
}, 20_000);

test("who could not be asked is asked by a repeat, for what is missing and at no charge", async () => {
  await using started = await startWith(["hunter", "apollo"]);
  const { service, servers } = started;
  const [hunter, apollo] = servers;
  const user = await service.user();
  const enrich = async (more = {}) =>
    succeeded(
      await user.post<EnrichAnswer>("/api/v2/enrich", { leads: [ada], providers: ["hunter", "apollo"], ...more }),
    ).data;
  apollo?.answerWith(() => Response.json({}, { status: 500 }));
  const partial = await enrich();
  expect(partial).toMatchObject({ creditsUsed: 1, enriched: [{ unavailable: ["apollo"], sources: ["hunter"] }] });
  // It is still down: the same again, and what only it may know can't be told.
  expect(await enrich()).toMatchObject({ creditsUsed: 0, enriched: [{ unavailable: ["apollo"], fromCache: true }] });
  const off = { includePersonalInfo: false, includeSocialProfiles: false, includeContactInfo: false };
  expect(await enrich({ enrichmentOptions: off })).toMatchObject({
    creditsUsed: 0,
    failed: [{ code: "PROVIDERS_UNAVAILABLE", retryable: true }],
  });
  apollo?.answerWith(null);
  const complete = await enrich();
  expect(complete).toMatchObject({
    creditsUsed: 0,
    remainingCredits: 999,
    enriched: [{ creditsUsed: 0, fromCache: false, sources: ["hunter", "apollo"] }],
  });
  expect(complete.enriched[0]?.enrichedData).toMatchObject({ title: "CTO", companyInfo: { size: "12" } });
  expect(complete.enriched[0]).not.toHaveProperty("unavailable");
  const asked = apollo?.requests;
  const again = await enrich();
  expect(again).toMatchObject({ creditsUsed: 0, enriched: [{ fromCache: true }] });
  expect(again.enriched[0]?.enrichedData).toEqual(complete.enriched[0]!.enrichedData);
  expect([hunter?.requests, apollo?.requests]).toEqual([1, asked]);
});

test("another part of somebody who is paid for is free: from what was said, from who was not asked, or a miss", async () => {
  await using started = await startWith(["hunter", "apollo"]);
  const { service, servers } = started;
  const [hunter, apollo] = servers;
  const user = await service.user();
  const parts = ["includePersonalInfo", "includeCompanyInfo", "includeSocialProfiles", "includeContactInfo"];
  const only = async (part: string, more = {}) =>
    succeeded(
      await user.post<EnrichAnswer>("/api/v2/enrich", {
        leads: [ada],
        providers: ["apollo", "hunter"],
        enrichmentOptions: Object.fromEntries(parts.map((each) => [each, each === part])),
        ...more,
      }),
    ).data;
  expect(await only("includeSocialProfiles", { providers: ["hunter"] })).toMatchObject({ creditsUsed: 1 });
  const personal = await only("includePersonalInfo", { providers: ["hunter"] });
  expect(personal).toMatchObject({ creditsUsed: 0, enriched: [{ fromCache: true, sources: ["hunter"] }] });
  expect(personal.enriched[0]?.enrichedData).toMatchObject({ title: "CTO" });
  const company = await only("includeCompanyInfo");
  expect(company).toMatchObject({ creditsUsed: 0, remainingCredits: 999, enriched: [{ fromCache: false }] });
  expect(company.enriched[0]?.enrichedData).toMatchObject({ companyInfo: { size: "12" } });
  expect([hunter?.requests, apollo?.requests]).toEqual([1, 1]);
  expect((await only("includeContactInfo")).enriched[0]?.enrichedData).toEqual({ email: "ada@analytical.example" });
  // Nobody has a word on it: that is a miss, though other parts are known.
  hunter?.answerWith(() => Response.json({ data: { email: "x@analytical.example", score: 90 } }));
  const other = { leads: [{ ...ada, firstName: "Al" }], providers: ["hunter"] };
  expect(await only("includeContactInfo", other)).toMatchObject({ creditsUsed: 1 });
  expect(await only("includeSocialProfiles", other)).toMatchObject({
    creditsUsed: 0,
    enriched: [],
    failed: [{ code: "NO_MATCH" }],
  });
});

test("to ask a part anew costs, and leaves the others as they are", async () => {
  await using started = await startWith(["hunter", "apollo"]);
  const { service, servers } = started;
  const [hunter, apollo] = servers;
  const user = await service.user();
  const enrich = async (more: object) =>
    succeeded(await user.post<EnrichAnswer>("/api/v2/enrich", { leads: [ada], ...more })).data;
  await enrich({ providers: ["apollo"] });
  const off = { includePersonalInfo: false, includeCompanyInfo: false, includeSocialProfiles: false };
  const contact = { providers: ["hunter"], enrichmentOptions: off, refresh: true };
  expect(await enrich(contact)).toMatchObject({ creditsUsed: 1, enriched: [{ sources: ["hunter"] }] });
  const all = await enrich({ providers: ["hunter"] });
  expect(all).toMatchObject({
    creditsUsed: 0,
    enriched: [{ fromCache: true, provenance: { bio: { provider: "apollo" } } }],
  });
  expect([hunter?.requests, apollo?.requests]).toEqual([1, 1]);
});

test("a vendor spends no more than its cap, also over a restart", async () => {
  await using started = await startWith(["apollo"], { ENRICHMENT_SPEND_CAPS: "apollo=2" });
  const { service, servers } = started;
  const user = await service.user();
  const leads = [1, 2, 3, 4].map((n) => ({ ...ada, firstName: `Ada${n}` }));
  const { data } = await user.post<EnrichAnswer>("/api/v2/enrich", { leads, providers: ["apollo"] });
  expect(data.enriched).toHaveLength(2);
  expect(data.failed).toMatchObject([{ code: "PROVIDERS_UNAVAILABLE" }, { code: "PROVIDERS_UNAVAILABLE" }]);
  await service.restart();
  await user.post("/api/v2/enrich", { leads: leads.slice(2), providers: ["apollo"] });
  expect(servers[0]?.requests).toBe(2);
});

test("requests for the same person that are under way at once ask once and are charged once, each user for themselves", async () => {
  await using started = await startWith(["apollo"]);
  const { service, servers } = started;
  const [user, other] = [await service.user(), await service.user()];
  const { answers, asked } = withheld(servers[0]!, "apollo");
  const enrich = (by = user) => by.post<EnrichAnswer>("/api/v2/enrich", { leads: [ada], providers: ["apollo"] });
  const all = Array.from({ length: 8 }, () => enrich());
  const theirs = enrich(other);
  await asked(2);
  // All of them are waiting: credits of each are reserved.
  await eventually("all to wait", async () =>
    (await user.get<CreditsView>("/api/v2/credits")).data.reserved === 8 ? true : null,
  );
  for (const answer of answers) answer();
  const told = (await Promise.all(all)).map(({ data }) => data);
  expect(told.map(({ creditsUsed }) => creditsUsed).toSorted((a, b) => a - b)).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
  for (const { enriched, creditsUsed } of told)
    expect(enriched).toMatchObject([{ creditsUsed, enrichedData: { email: "ada@analytical.example" } }]);
  expect((await theirs).data).toMatchObject({ creditsUsed: 1, remainingCredits: 999 });
  expect((await user.get("/api/v2/credits")).data).toMatchObject({ balance: 999, reserved: 0 });
  expect(servers[0]?.requests).toBe(2);
  expect((await enrich()).data).toMatchObject({ creditsUsed: 0, enriched: [{ fromCache: true }] });
});

testInProcess("whose cap is reached is told by name, and when it is asked again", async () => {
  const clock = new FakeClock();
  await using started = await startWith(["apollo", "hunter"], { ENRICHMENT_SPEND_CAPS: "apollo=0" }, { clock });
  const { service, servers } = started;
  const user = await service.user();
  const message = async (providers: string[]) =>
    (await user.post<EnrichAnswer>("/api/v2/enrich", { leads: [ada], providers })).data.failed[0]?.message;
  const cap = `The monthly spend cap of apollo is reached. Try again on or after 2026-02-01 (UTC), or ask a server admin to raise enrichment-spend-caps.`;
  expect(await message(["apollo"])).toBe(cap);
  servers[1]?.answerWith(() => Response.json({}, { status: 500 }));
  expect(await message(["hunter"])).toContain("Try again in a few minutes");
  expect(await message(["apollo", "hunter"])).toBe(`${cap} hunter could not be reached. Try again in a few minutes.`);
});

test("verifications go on until a cap can't pay the next one", async () => {
  await using started = await startWith(["hunter"], { ENRICHMENT_SPEND_CAPS: "hunter=1" });
  const { service, servers } = started;
  const user = await service.user();
  for (const [n, list] of [["enriched"], ["enriched"], ["failed"]].entries()) {
    const leads = [{ email: `x${n}@analytical.example` }];
    const { data } = await user.post<EnrichAnswer>("/api/v2/enrich", { leads, providers: ["hunter"] });
    expect(data).toMatchObject({ [list[0]!]: [{ index: 0 }] });
  }
  const { available } = (await user.get<SettingsView>("/api/v2/enrich/settings")).data;
  expect(available.find(({ name }) => name === "hunter")).toMatchObject({
    state: "exhausted",
    creditsUsed: 1,
    spendCap: 1,
  });
  expect(servers[0]?.requests).toBe(2);
});

testInProcess("a job waits for a vendor that pauses for a minute, and asks nobody twice meanwhile", async () => {
  const clock = new FakeClock();
  await using started = await startWith(["hunter", "apollo"], {}, { clock });
  const { service, servers } = started;
  const [hunter, apollo] = servers;
  const user = await service.user();
  let quota = 12;
  const limited = () => Response.json({}, { status: 429, headers: { "retry-after": "60" } });
  apollo?.answerWith((request) => (quota-- > 0 ? vendorOf("apollo").answer(request, new URL(request.url)) : limited()));
  const leads = Array.from({ length: 25 }, (_, n) => ({ ...ada, firstName: `Ada${n}` }));
  const { data: job } = await user.post<JobView>(
    "/api/v2/enrich",
    { leads, providers: ["hunter", "apollo"], refresh: true },
    { headers: { prefer: "respond-async" } },
  );
  const jobPath = `/api/v2/users/jobs/${job.id}`;
  await service.idle();
  const waiting = (await user.get<JobView>(jobPath)).data;
  expect(waiting).toMatchObject({ status: "pending", metadata: { processed: 12, enriched: 12, waitedMs: 60_000 } });
  expect(waiting.message).toContain("waiting for a provider until 2026-01-05T10:01:00");
  for (let minute = 0; minute < 2; minute++) {
    quota = 12;
    clock.advance(60_000);
    await service.idle();
  }
  expect((await user.get<JobView>(jobPath)).data).toMatchObject({
    status: "completed",
    metadata: { processed: 25, enriched: 25, failed: 0, creditsUsed: 25 },
  });
  const { data } = await user.get<EnrichAnswer>(`/api/v2/enrich/jobs/${job.id}/results`);
  for (const result of data.enriched)
    expect(result).toMatchObject({ creditsUsed: 1, enrichedData: { bio: "Poetical science" } });
  expect((await user.get<CreditsView>("/api/v2/credits")).data).toMatchObject({ balance: 975, reserved: 0 });
  expect(hunter?.requests).toBe(25);
});

describe("a job costs no more than was told when it was sent", () => {
  const dayMs = 86_400_000;
  const paused = () => Response.json({}, { status: 429, headers: { "retry-after": "60" } });
  const async = { headers: { prefer: "respond-async" } };
  const submit = async (user: Client, leads: object[]) =>
    (await user.post<JobView>("/api/v2/enrich", { leads, providers: ["apollo"] }, async)).data;
  const ended = async (service: Service, user: Client, { id }: JobView) => {
    await service.idle();
    const job = (await user.get<JobView>(`/api/v2/users/jobs/${id}`)).data;
    const results = (await user.get<EnrichAnswer>(`/api/v2/enrich/jobs/${id}/results`)).data;
    return { job, ...results };
  };
  const credits = async (user: Client) => (await user.get<CreditsView>("/api/v2/credits")).data;

  testInProcess("who was free then stays free, though the 90 days end before their turn", async () => {
    const clock = new FakeClock();
    await using started = await startWith(["apollo"], { DEFAULT_CREDITS: "11", MONTHLY_CREDITS: "0" }, { clock });
    const { service, servers } = started;
    const user = await service.user();
    await user.post("/api/v2/enrich", { leads: [ada], providers: ["apollo"] });
    clock.advance(90 * dayMs - 30_000);
    servers[0]?.answerWith(paused);
    const others = Array.from({ length: 10 }, (_, n) => ({ ...ada, firstName: `Ada${n}` }));
    const job = await submit(user, [...others, ada]);
    await service.idle();
    expect(await credits(user)).toMatchObject({ balance: 0, reserved: 10 });
    servers[0]?.answerWith(null);
    const before = servers[0]!.requests;
    clock.advance(60_000);
    const done = await ended(service, user, job);
    expect(done.job).toMatchObject({ status: "completed", metadata: { enriched: 11, creditsUsed: 10 } });
    expect(done.enriched.at(-1)).toMatchObject({ index: 10, creditsUsed: 0, fromCache: false });
    expect(servers[0]!.requests - before).toBe(11);
    expect(await credits(user)).toMatchObject({ balance: 0, reserved: 0 });
  });

  testInProcess("one of people who are all free needs no credits", async () => {
    await using started = await startWith(["apollo"], { DEFAULT_CREDITS: "1" }, { clock: new FakeClock() });
    const { service } = started;
    const user = await service.user();
    await user.post("/api/v2/enrich", { leads: [ada], providers: ["apollo"] });
    expect(await credits(user)).toMatchObject({ balance: 0 });
    const done = await ended(service, user, await submit(user, [ada]));
    expect(done).toMatchObject({
      job: { status: "completed", metadata: { enriched: 1, creditsUsed: 0 } },
      enriched: [{ fromCache: true }],
    });
  });

  testInProcess("who became somebody else meanwhile is not asked about, and told so", async () => {
    const clock = new FakeClock();
    await using started = await startWith(["apollo"], { DEFAULT_CREDITS: "5" }, { clock });
    const { service, servers } = started;
    const user = await service.user();
    const lead = succeeded(await user.post<LeadView>("/api/v2/leads", { ...ada, email: "a@analytical.example" })).data;
    servers[0]?.answerWith(paused);
    // By now one person.
    const job = await submit(user, [{ ...ada, email: "a@analytical.example" }, { leadId: lead.id }]);
    await service.idle();
    await user.put(`/api/v2/leads/${lead.id}`, { email: "b@analytical.example" });
    servers[0]?.answerWith(null);
    clock.advance(60_000);
    const done = await ended(service, user, job);
    expect(done).toMatchObject({
      job: { status: "completed", metadata: { enriched: 1, failed: 1, creditsUsed: 1 } },
      enriched: [{ creditsUsed: 1 }],
      failed: [{ code: "ENRICHMENT_CREDITS_EXHAUSTED", retryable: true }],
    });
    // Which of them comes first is up to the engine.
    expect(new Set([...done.enriched, ...done.failed].map(({ index }) => index))).toEqual(new Set([0, 1]));
    expect(await credits(user)).toMatchObject({ balance: 4, reserved: 0 });
  });
});

testInProcess("a job does not wait for a vendor that pauses for long, nor for one that is down for ever", async () => {
  const clock = new FakeClock();
  await using started = await startWith(["hunter", "apollo"], {}, { clock });
  const { service, servers } = started;
  const [hunter, apollo] = servers;
  const user = await service.user();
  const job = async (provider: string, firstName: string) => {
    const leads = Array.from({ length: 11 }, (_, n) => ({ ...ada, firstName: `${firstName}${n}` }));
    const { data } = await user.post<JobView>(
      "/api/v2/enrich",
      { leads, providers: [provider] },
      { headers: { prefer: "respond-async" } },
    );
    await service.idle();
    return async () => (await user.get<JobView>(`/api/v2/users/jobs/${data.id}`)).data;
  };
  hunter?.answerWith(() => Response.json({}, { status: 403, headers: { "retry-after": "3600" } }));
  expect(await (await job("hunter", "A"))()).toMatchObject({ status: "completed", metadata: { failed: 11 } });
  apollo?.answerWith(() => Response.json({}, { status: 500 }));
  const down = await job("apollo", "B");
  expect((await down()).status).toBe("pending");
  for (let minute = 0; minute < 90; minute++) {
    clock.advance(60_000);
    await service.idle();
  }
  expect(await down()).toMatchObject({ status: "completed", metadata: { failed: 11, creditsUsed: 0 } });
  expect((await user.get<CreditsView>("/api/v2/credits")).data).toMatchObject({ balance: 1000, reserved: 0 });
});

test("a job that is canceled while a vendor works charges nothing more and gives its credits back", async () => {
  await using started = await startWith(["apollo"]);
  const { service, servers } = started;
  const user = await service.user();
  const arrived = servers[0]!.nextRequest();
  let answer = (_response: Response): void => {};
  servers[0]!.answerWith(() => new Promise<Response>((resolve) => (answer = resolve)));
  const { data: job } = await user.post<JobView>(
    "/api/v2/enrich",
    { leads: [ada], providers: ["apollo"] },
    { headers: { prefer: "respond-async" } },
  );
  await arrived;
  expect((await user.post(`/api/v2/users/jobs/${job.id}/cancel`)).status).toBe(200);
  answer(Response.json({ person: { first_name: "Ada", title: "CTO" } }));
  await service.restart();
  const credits = await eventually("the credits to come back", async () => {
    const { data } = await user.get<CreditsView>("/api/v2/credits");
    return data.reserved === 0 ? data : null;
  });
  expect(credits.balance).toBe(1000);
  expect((await user.get(`/api/v2/enrich/jobs/${job.id}/results`)).data).toMatchObject({
    enriched: [],
    creditsUsed: 0,
  });
}, 20_000);
