import { afterAll, expect, test } from "bun:test";
import type { EnrichAnswer } from "../../src/features/enrichment/model.ts";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { Client } from "../support/client.ts";
import { startService, succeeded } from "../support/service.ts";

const service = await startService({ settings: { ENRICHMENTS_PER_HOUR: 0, DEFAULT_CREDITS: 200 } });

afterAll(() => service[Symbol.asyncDispose]());

const csv = { headers: { "content-type": "text/csv" } };
const rows = [
  "First Name,Last Name,Email,Company,Website,Industry,Company Description",
  "Ada,Lovelace,ada@navy.example,Navy Systems,navy.example,Ships,Builds ships",
  "Alan,Turing,alan@navy.example,Navy Systems,navy.example,Ships,Builds ships",
].join("\n");

async function withDirectory(): Promise<Client> {
  const user = await service.user();
  const started = await user.post<JobView>("/api/v2/prospecting/import", rows, csv);
  await service.ended(user, started.data.id);
  return user;
}

async function enrich(user: Client, companies: object[], more = {}): Promise<EnrichAnswer> {
  const body = { companies, providers: ["local"], ...more };
  return succeeded(await user.post<EnrichAnswer>("/api/v2/enrich/companies", body)).data;
}

test("a company is found by its domain, its website, or its name alone, and costs one credit in 90 days", async () => {
  const user = await withDirectory();
  const first = await enrich(user, [{ domain: "navy.example" }]);
  expect(first).toMatchObject({
    ...{ creditsUsed: 1, remainingCredits: 199, failed: [] },
    enriched: [{ index: 0, input: { domain: "navy.example" }, sources: ["local"], creditsUsed: 1, fromCache: false }],
  });
  expect(first.enriched[0]!.enrichedData).toMatchObject({
    ...{ company: "Navy Systems", companyInfo: { name: "Navy Systems", industry: "Ships" } },
  });
  const again = await enrich(user, [{ domain: "https://www.navy.example/about" }]);
  expect(again).toMatchObject({ creditsUsed: 0, enriched: [{ fromCache: true }] });
  expect(again.enriched[0]!.enrichedData).toEqual(first.enriched[0]!.enrichedData);
  const named = await enrich(user, [{ name: "NAVY Systems Ltd" }]);
  expect(named.enriched[0]!.enrichedData.companyInfo).toMatchObject({ website: "https://navy.example" });
});

test("no data about people is returned, or charged for", async () => {
  const user = await withDirectory();
  const { enriched } = await enrich(user, [{ domain: "navy.example" }]);
  expect(Object.keys(enriched[0]!.enrichedData).toSorted()).toEqual(["company", "companyInfo"]);
  const person = { firstName: "Ada", lastName: "Lovelace", company: "Navy Systems" };
  const answer = await user.post<EnrichAnswer>("/api/v2/enrich", { leads: [person], providers: ["local"] });
  // The company's result is not the person's.
  expect(succeeded(answer).data).toMatchObject({ creditsUsed: 1, enriched: [{ fromCache: false }] });
});

test("a company that is sent twice is charged once, an unknown one never", async () => {
  const user = await withDirectory();
  const companies = [{ domain: "navy.example" }, { domain: "unknown.example" }, { domain: "NAVY.example" }];
  expect(await enrich(user, companies)).toMatchObject({
    creditsUsed: 1,
    enriched: [
      { index: 0, creditsUsed: 1 },
      { index: 2, creditsUsed: 0 },
    ],
    failed: [{ index: 1, code: "NO_MATCH", message: "No provider has more data about this company." }],
  });
});

test("a dry run says what it would cost at most, and a job does the same in the background", async () => {
  const user = await withDirectory();
  const dry = await enrich(user, [{ domain: "navy.example" }, { name: "Other" }], { dryRun: true });
  expect(dry).toMatchObject({ creditsUsed: 0, estimate: { leads: 2, maxCredits: 2, providers: ["local"] } });
  const body = { companies: [{ domain: "navy.example" }], providers: ["local"] };
  const headers = { prefer: "respond-async" };
  const job = succeeded(await user.post<JobView>("/api/v2/enrich/companies", body, { headers })).data;
  expect(await service.ended(user, job.id)).toMatchObject({ status: "completed", metadata: { enriched: 1 } });
  const results = await user.get<EnrichAnswer>(`/api/v2/enrich/jobs/${job.id}/results`);
  expect(results.data).toMatchObject({ creditsUsed: 1, enriched: [{ enrichedData: { company: "Navy Systems" } }] });
});

test("a company without a name and a domain is refused, like a domain of a mail provider, with its index", async () => {
  const user = await service.user();
  const sent = [{ domain: "navy.example" }, {}, { domain: "not a domain" }, { domain: "gmail.com" }, { name: " " }];
  const { status, body } = await user.post("/api/v2/enrich/companies", { companies: sent });
  expect(status).toBe(400);
  expect(body).toMatchObject({
    code: "VALIDATION_ERROR",
    details: {
      errors: [
        { index: 1, path: "companies.1", message: "A company needs a name or a domain." },
        { index: 2, path: "companies.2.domain" },
        { index: 3, path: "companies.3.domain", message: expect.stringContaining("mail provider") },
        { index: 4, path: "companies.4" },
      ],
    },
  });
  const odd = await user.post("/api/v2/enrich/companies", { companies: [{ website: "navy.example" }] });
  expect(odd.status).toBe(400);
});

test("POST /enrich still needs a person", async () => {
  const user = await service.user();
  expect((await user.post("/api/v2/enrich", { leads: [{ company: "Navy Systems" }] })).status).toBe(400);
});
