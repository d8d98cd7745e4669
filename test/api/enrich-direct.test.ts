import { describe, expect, test } from "bun:test";
import type { CreditsView } from "../../src/features/credits/model.ts";
import type { EnrichAnswer } from "../../src/features/enrichment/model.ts";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { Client } from "../support/client.ts";
import { FakeClock } from "../support/clock.ts";
import { ada, startWith, vendorOf, withheld } from "../support/enrich-service.ts";
import { startService, succeeded, testInProcess } from "../support/service.ts";

const path = "/api/v2/enrich";
type Jobs = { jobs: JobView[]; statistics: { total: number; completed: number; running: number } };
type Results = EnrichAnswer & { nextCursor: string | null };

const enrich = (client: Client, leads: object[], more: object = {}) =>
  client.post<EnrichAnswer>(path, { leads, ...more });
const jobsOf = async (client: Client) => succeeded(await client.get<Jobs>("/api/v2/users/jobs")).data;
const creditsOf = async (client: Client) => succeeded(await client.get<CreditsView>("/api/v2/credits")).data;
// Each at a company of its own: what is learned of one meanwhile tells nothing of the others.
const people = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ email: `p${n}@${n === 0 ? "analytical" : `company${n}`}.example` }));

async function allResults(client: Client, jobId: string) {
  const { data: all } = await client.get<Results>(`${path}/jobs/${jobId}/results`, { query: { limit: 200 } });
  for (let next = all.nextCursor; next !== null;) {
    const query = { limit: 200, cursor: next };
    const { data } = await client.get<Results>(`${path}/jobs/${jobId}/results`, { query });
    all.enriched.push(...data.enriched);
    all.failed.push(...data.failed);
    next = data.nextCursor;
  }
  return { enriched: all.enriched, failed: all.failed };
}

describe("every direct enrichment is a job", () => {
  for (const count of [1, 50, 51, 1000])
    test(`${count} leads are answered with 200, and the job has the same results`, async () => {
      await using service = await startService({ settings: { DEFAULT_CREDITS: "1000" } });
      const user = await service.user();
      await user.post("/api/v2/leads", { ...ada, domain: undefined, email: "p0@analytical.example", title: "CTO" });
      const answer = await enrich(user, people(count));
      expect(answer.status).toBe(200);
      const { enriched, failed, creditsUsed, remainingCredits, jobId } = answer.data;
      expect([enriched.length, failed.length, creditsUsed, remainingCredits]).toEqual([1, count - 1, 1, 999]);
      expect([...enriched, ...failed].map(({ index }) => index).toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: count }, (_, n) => n),
      );
      const { jobs, statistics } = await jobsOf(user);
      expect(jobs).toMatchObject([
        {
          ...{ id: jobId, type: "data_enrichment", status: "completed", progress: 100 },
          metadata: { batchSize: count, processed: count, enriched: 1, failed: count - 1, creditsUsed: 1 },
        },
      ]);
      expect(jobs[0]?.completedAt).toEqual(expect.any(String));
      expect(statistics).toMatchObject({ total: 1, completed: 1, running: 0 });
      expect(await allResults(user, jobId!)).toEqual({ enriched, failed });
      expect(await creditsOf(user)).toMatchObject({ balance: 999, reserved: 0 });
    }, 60_000);

  test("also one that nothing was charged for, and none that was refused or only tried", async () => {
    await using service = await startService({ settings: { DEFAULT_CREDITS: "1" } });
    const user = await service.user();
    expect((await enrich(user, people(2))).status).toBe(402);
    expect((await enrich(user, people(51))).status).toBe(402);
    expect((await enrich(user, [{}])).status).toBe(400);
    expect((await user.post(path, { leads: people(1) }, { query: { dryRun: true } })).status).toBe(200);
    expect((await jobsOf(user)).jobs).toEqual([]);
    expect((await enrich(user, [{ leadId: "none" }])).data).toMatchObject({ failed: [{ code: "NOT_FOUND" }] });
    expect((await jobsOf(user)).jobs).toMatchObject([{ metadata: { batchSize: 1, processed: 1, creditsUsed: 0 } }]);
  });

  test("more than 1,000 leads are a job that is done in the background", async () => {
    await using service = await startService({ settings: { DEFAULT_CREDITS: "2000" } });
    const user = await service.user();
    const submitted = await user.post<JobView>(path, { leads: people(1001) });
    expect(submitted.status).toBe(202);
    expect(await service.ended(user, submitted.data.id)).toMatchObject({
      status: "completed",
      metadata: { batchSize: 1001, processed: 1001 },
    });
  }, 60_000);

  test("whoever is in several batches is asked about once and charged once, also anew", async () => {
    await using started = await startWith(["apollo"], { DEFAULT_CREDITS: "500" });
    const user = await started.service.user();
    const leads = Array.from({ length: 120 }, (_, n) => ({ ...ada, firstName: `Ada${n % 45}` }));
    const again = { providers: ["apollo"], refresh: true };
    for (const balance of [455, 410]) {
      const { data } = await enrich(user, leads, again);
      expect(data).toMatchObject({ creditsUsed: 45, remainingCredits: balance, failed: [] });
      expect(data.enriched).toHaveLength(120);
    }
    expect(started.servers[0]?.requests).toBe(90);
  });
});

test("whoever is asked about by two identifiers is charged for the first, whichever is answered first", async () => {
  await using started = await startWith(["apollo"]);
  const user = await started.service.user();
  // The second has been evaluated long before the first is answered.
  started.servers[0]!.answerWith(async (request) => {
    const url = new URL(request.url);
    if (url.searchParams.has("email")) await Bun.sleep(200);
    return vendorOf("apollo").answer(request, url);
  });
  const response = enrich(user, [{ ...ada, email: "ada@analytical.example" }, ada], { providers: ["apollo"] });
  expect(succeeded(await response).data).toMatchObject({
    creditsUsed: 1,
    enriched: [{ creditsUsed: 1 }, { creditsUsed: 0 }],
  });
});

describe("what is not done after 60 seconds", () => {
  for (const count of [12, 70])
    testInProcess(`is failed as retryable and free, of ${count} leads`, async () => {
      const clock = new FakeClock();
      const settings = { ENRICHMENT_TIMEOUTS: "apollo=300", DEFAULT_CREDITS: "100", MONTHLY_CREDITS: "0" };
      await using started = await startWith(["apollo"], settings, { clock });
      const { service, servers } = started;
      const user = await service.user();
      const { answers, asked } = withheld(servers[0]!, "apollo");
      const leads = Array.from({ length: count }, (_, n) => ({ ...ada, firstName: `Ada${n}` }));
      const response = enrich(user, leads, { providers: ["apollo"] });
      await asked(10);
      answers.splice(0, 2).forEach((answer) => answer());
      await asked(10);
      clock.advance(59_999);
      expect((await creditsOf(user)).reserved).toBe(count);
      clock.advance(1);
      const { status, data } = await response;
      expect(status).toBe(200);
      expect(data).toMatchObject({ creditsUsed: 2, remainingCredits: 98 });
      expect(data.enriched).toHaveLength(2);
      const indexes = [...data.enriched, ...data.failed].map(({ index }) => index);
      expect(indexes.toSorted((a, b) => a - b)).toEqual(leads.map((_, index) => index));
      for (const failure of data.failed) expect(failure).toMatchObject({ code: "NOT_PROCESSED", retryable: true });
      expect(await creditsOf(user)).toMatchObject({ balance: 98, reserved: 0 });
      expect((await jobsOf(user)).jobs).toMatchObject([
        { status: "completed", metadata: { batchSize: count, processed: count, enriched: 2, creditsUsed: 2 } },
      ]);
      servers[0]!.answerWith(null);
      const retried = await enrich(user, leads, { providers: ["apollo"] });
      expect(retried.data).toMatchObject({ creditsUsed: count - 2, failed: [] });
    });

  testInProcess("of a job that is canceled meanwhile is failed, too", async () => {
    const clock = new FakeClock();
    await using started = await startWith(
      ["apollo"],
      { ENRICHMENT_TIMEOUTS: "apollo=300", DEFAULT_CREDITS: "100", MONTHLY_CREDITS: "0" },
      { clock },
    );
    const user = await started.service.user();
    const { answers, asked } = withheld(started.servers[0]!, "apollo");
    const leads = Array.from({ length: 70 }, (_, n) => ({ ...ada, firstName: `Ada${n}` }));
    const response = enrich(user, leads, { providers: ["apollo"] });
    await asked(10);
    const { jobs } = await jobsOf(user);
    expect(jobs).toMatchObject([{ status: "running", metadata: { batchSize: 70, processed: 0 } }]);
    succeeded(await user.post(`/api/v2/users/jobs/${jobs[0]!.id}/cancel`));
    started.servers[0]!.answerWith(null);
    answers.forEach((answer) => answer());
    const { data } = await response;
    expect(data).toMatchObject({ creditsUsed: 0, enriched: [] });
    expect(data.failed).toHaveLength(70);
  });
});

testInProcess("a stored direct enrichment whose server dies is finished by the next one", async () => {
  const clock = new FakeClock();
  // The vendor does not answer before the server stops, however long that takes.
  const settings = { ENRICHMENT_TIMEOUTS: "apollo=300", DEFAULT_CREDITS: "100", MONTHLY_CREDITS: "0" };
  await using started = await startWith(["apollo"], settings, { clock });
  const { service, servers } = started;
  const user = await service.user();
  const { asked } = withheld(servers[0]!, "apollo");
  const leads = Array.from({ length: 70 }, (_, n) => ({ ...ada, firstName: `Ada${n}` }));
  const response = enrich(user, leads, { providers: ["apollo"] }).catch(() => null);
  await asked(10);
  const { jobs } = await jobsOf(user);
  await service.restart();
  servers[0]!.answerWith(null);
  clock.advance(200_000);
  const job = await service.ended(user, jobs[0]!.id);
  expect(job).toMatchObject({ status: "completed", metadata: { batchSize: 70, processed: 70, creditsUsed: 70 } });
  expect(await creditsOf(user)).toMatchObject({ balance: 30, reserved: 0 });
  await response;
});
