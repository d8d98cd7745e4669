import { afterAll, expect, test } from "bun:test";
import type { JobView } from "../../src/platform/jobs/model.ts";
import { eventually, startService, testEmbedded } from "../support/service.ts";
import { store, enrich, ada } from "../support/enrich-api.ts";

const service = await startService({ settings: { ENRICHMENTS_PER_HOUR: 0, DEFAULT_CREDITS: 200 } });

afterAll(() => service[Symbol.asyncDispose]());

// On PostgreSQL, leads are learned from a minute after they were stored.
testEmbedded(
  "a company's addresses are learned from the leads that have one there",
  async () => {
    const user = await service.user();
    await store(user, { ...ada, email: "alovelace@pattern.example", company: "Pattern Ltd" });
    await store(user, {
      firstName: "Alan",
      lastName: "Turing",
      email: "aturing@pattern.example",
      company: "Pattern Ltd",
    });
    const grace = { firstName: "Grace", lastName: "Hopper", company: "pattern" };
    const guessed = await eventually("the pattern to be learned from both", async () => {
      const { data } = await enrich(user, [grace], { refresh: true });
      const [found] = data.enriched;
      return found?.fieldConfidence.email === 0.7 ? found : null;
    });
    expect(guessed.enrichedData).toMatchObject({
      email: "ghopper@pattern.example",
      companyInfo: { name: "Pattern Ltd", website: "https://pattern.example" },
    });
  },
  (title, run) => test(title, run, 20_000),
); // Leads are learned from some seconds after they were stored.

test("imported people tell of their company, too, with or without a website", async () => {
  const user = await service.user();
  const rows = [
    "First Name,Last Name,Email,Company,Website,Industry",
    "Ada,Lovelace,alovelace@pattern.example,Pattern Ltd,,Computing",
    "Alan,Turing,aturing@pattern.example,Pattern Ltd,,Computing",
    "Joan,Clarke,joan.clarke@park.example,Bletchley Park,,Codes",
    ",,,Navy Systems,navy.example,Ships",
  ].join("\n");
  const headers = { "content-type": "text/csv" };
  const started = await user.post<JobView>("/api/v2/prospecting/import", rows, { headers });
  expect(await service.ended(user, started.data.id)).toMatchObject({ metadata: { created: 4, failed: 0 } });
  const named = (company: string) => ({ firstName: "Grace", lastName: "Hopper", company });
  const { data } = await enrich(user, ["pattern", "Bletchley Park", "NAVY SYSTEMS"].map(named));
  expect(data.enriched).toMatchObject([
    {
      enrichedData: { email: "ghopper@pattern.example", companyInfo: { website: "https://pattern.example" } },
      fieldConfidence: { email: 0.7, "companyInfo.industry": 0.7 },
      creditsUsed: 1,
    },
    {
      enrichedData: { email: "grace.hopper@park.example", companyInfo: { industry: "Codes" } },
      fieldConfidence: { email: 0.55, "companyInfo.industry": 0.55 },
      creditsUsed: 0,
    },
    {
      enrichedData: { email: "grace.hopper@navy.example", companyInfo: { industry: "Ships" } },
      fieldConfidence: { email: 0.3, "companyInfo.industry": 0.65 },
      creditsUsed: 1,
    },
  ]);
  // One row is one row: nobody is a second witness of it.
  const joan = (await enrich(user, [{ email: "joan.clarke@park.example" }])).data.enriched[0];
  expect(Math.max(...Object.values(joan?.fieldConfidence ?? { none: 1 }))).toBe(0.75);
});
