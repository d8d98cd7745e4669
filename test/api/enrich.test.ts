import { afterAll, describe, expect, test } from "bun:test";
import type { CreditsView, LedgerEntryView } from "../../src/features/credits/model.ts";
import type {
  EnrichAnswer,
  EnrichmentFailure,
  EnrichmentResult,
  ProviderTest,
  SettingsView,
} from "../../src/features/enrichment/model.ts";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { LeadInput, LeadView } from "../../src/features/leads/model.ts";
import { FakeClock } from "../support/clock.ts";
import type { Client } from "../support/client.ts";
import { eventually, startService, succeeded, testInProcess } from "../support/service.ts";

const service = await startService({ settings: { ENRICHMENTS_PER_HOUR: 0, DEFAULT_CREDITS: 200 } });
afterAll(() => service[Symbol.asyncDispose]());

const path = "/api/v2/enrich";
type Results = {
  enriched: EnrichmentResult[];
  failed: EnrichmentFailure[];
  creditsUsed: number;
  nextCursor: string | null;
};

async function store(client: Client, lead: LeadInput): Promise<LeadView> {
  return succeeded(await client.post<LeadView>("/api/v2/leads", lead)).data;
}
const enrich = (client: Client, leads: object[], more: object = {}, options = {}) =>
  client.post<EnrichAnswer>(path, { leads, ...more }, options);
const balanceOf = async (client: Client) => (await client.get<CreditsView>("/api/v2/credits")).data.balance;

const ada = {
  firstName: "Ada",
  lastName: "Lovelace",
  email: "ada@analytical.example",
  company: "Analytical Engines",
  title: "CTO",
  phone: "+44 1",
  location: "London",
  industry: "Computing",
};

describe("an answer", () => {
  test("has the shape of the specification, with who said what and how sure it is", async () => {
    const user = await service.user();
    await store(user, ada);
    const sent = { email: "Ada@Analytical.example", note: "mine" };
    const { data } = await enrich(user, [sent]);
    expect(data).toEqual({
      enriched: [
        {
          index: 0,
          input: sent,
          enrichedData: {
            firstName: "Ada",
            lastName: "Lovelace",
            title: "CTO",
            location: "London",
            phone: "+44 1",
            email: "ada@analytical.example",
            company: "Analytical Engines",
            companyInfo: { name: "Analytical Engines", industry: "Computing" },
          },
          confidence: expect.any(Number),
          sources: ["local"],
          fieldConfidence: expect.objectContaining({ title: 0.75, email: 0.75 }),
          provenance: expect.objectContaining({ title: { provider: "local", at: expect.any(String) } }),
          creditsUsed: 1,
          fromCache: false,
        },
      ],
      failed: [],
      creditsUsed: 1,
      remainingCredits: 199,
      jobId: expect.any(String),
    });
    expect(data.enriched[0]?.confidence).toBeCloseTo(0.75, 1);
  });

  test("names those about whom nobody knows anything, at no charge", async () => {
    const user = await service.user();
    await store(user, ada);
    const { data } = await enrich(user, [
      { email: "nobody@nowhere.example" },
      { email: ada.email },
      { leadId: "nothing" },
    ]);
    expect(data.enriched.map(({ index }) => index)).toEqual([1]);
    expect(data.failed).toMatchObject([
      { index: 0, input: { email: "nobody@nowhere.example" }, code: "NO_MATCH", retryable: false },
      { index: 2, input: { leadId: "nothing" }, code: "NOT_FOUND", retryable: false },
    ]);
    expect([data.creditsUsed, data.remainingCredits]).toEqual([1, 199]);
  });

  test("has what the options ask for", async () => {
    const user = await service.user();
    await store(user, ada);
    const only = (options: object) =>
      enrich(user, [{ email: ada.email }], { enrichmentOptions: options, refresh: true });
    const off = { includePersonalInfo: false, includeCompanyInfo: false, includeSocialProfiles: false };
    expect((await only(off)).data.enriched[0]?.enrichedData).toEqual({ email: ada.email, phone: "+44 1" });
    const company = (await only({ ...off, includeContactInfo: false, includeCompanyInfo: true })).data.enriched[0];
    expect(company?.enrichedData).toEqual({
      company: "Analytical Engines",
      companyInfo: { name: "Analytical Engines", industry: "Computing" },
    });
    const nothing = await only({ ...off, includeContactInfo: false });
    expect(nothing).toMatchObject({ status: 400, details: { errors: [{ path: "enrichmentOptions" }] } });
  });

  test.each([
    ["socail", "includeSocialProfiles"],
    ["contact", "includeContactInfo"],
    ["includePersonalInf", "includePersonalInfo"],
    ["includeEverything", null],
  ])("is refused for the option %s, with the one that is near", async (name, meant) => {
    const user = await service.user();
    await store(user, ada);
    const known = "includePersonalInfo, includeCompanyInfo, includeSocialProfiles, includeContactInfo";
    const hint = meant === null ? "" : ` Did you mean ${meant}?`;
    expect(await enrich(user, [{ email: ada.email }], { enrichmentOptions: { [name]: false } })).toMatchObject({
      status: 400,
      code: "VALIDATION_ERROR",
      details: {
        errors: [
          {
            path: `enrichmentOptions.${name}`,
            message: `Unknown field. Expected one of ${known}.${hint}`,
          },
        ],
      },
    });
    expect(await balanceOf(user)).toBe(200);
  });

  test.each([
    ["enrichmentoptions", { includeContactInfo: false }, "enrichmentOptions"],
    ["options", { includeContactInfo: false }, "enrichmentOptions"],
    ["provider", ["local"], "providers"],
    ["refesh", true, "refresh"],
    ["writeback", true, "writeBack"],
    ["anything", true, null],
  ])("is refused for the field %s, and nothing is bought", async (name, value, meant) => {
    const user = await service.user();
    await store(user, ada);
    const known = "leads, enrichmentOptions, providers, writeBack, refresh, dryRun, userId";
    const hint = meant === null ? "" : ` Did you mean ${meant}?`;
    expect(await enrich(user, [{ email: ada.email }], { [name]: value })).toMatchObject({
      status: 400,
      code: "VALIDATION_ERROR",
      details: { errors: [{ path: name, message: `Unknown field. Expected one of ${known}.${hint}` }] },
    });
    expect(await balanceOf(user)).toBe(200);
  });

  test("costs nothing when it is repeated, and something again when it is refreshed", async () => {
    const user = await service.user();
    await store(user, ada);
    const first = (await enrich(user, [{ email: ada.email }])).data;
    const second = (await enrich(user, [{ email: ada.email.toUpperCase() }])).data;
    expect(second).toMatchObject({
      creditsUsed: 0,
      remainingCredits: 199,
      enriched: [{ fromCache: true, creditsUsed: 0 }],
    });
    expect(second.enriched[0]?.enrichedData).toEqual(first.enriched[0]!.enrichedData);
    expect(second.enriched[0]?.provenance).toEqual(first.enriched[0]!.provenance);
    expect((await enrich(user, [{ email: ada.email }], { refresh: true })).data.creditsUsed).toBe(1);
    const again = { email: ada.email };
    expect((await enrich(user, [again, again, again], { refresh: true })).data).toMatchObject({
      creditsUsed: 1,
      enriched: [{ creditsUsed: 1 }, { creditsUsed: 0 }, { creditsUsed: 0 }],
    });
  });

  test("costs once, by whichever identifier the person is asked about", async () => {
    const user = await service.user();
    const networkUrl = "https://network.example/in/ada";
    await store(user, { ...ada, networkUrl });
    const named = { firstName: ada.firstName, lastName: ada.lastName, company: ada.company };
    const both = (await enrich(user, [{ email: ada.email }, { networkUrl }])).data;
    expect(both).toMatchObject({ creditsUsed: 1, enriched: [{ creditsUsed: 1 }, { creditsUsed: 0 }] });
    for (const lead of [{ networkUrl }, named])
      expect((await enrich(user, [lead])).data).toMatchObject({ creditsUsed: 0, enriched: [{ fromCache: true }] });
  });

  test("comes from the user's own leads, never from somebody else's", async () => {
    const user = await service.user();
    const other = await service.user();
    await store(other, ada);
    await enrich(other, [{ email: ada.email }]);
    expect((await enrich(user, [{ email: ada.email }])).data.failed).toMatchObject([{ code: "NO_MATCH" }]);
    const lead = await store(other, { ...ada, email: "x@analytical.example" });
    expect((await enrich(user, [{ leadId: lead.id }])).data.failed).toMatchObject([{ code: "NOT_FOUND" }]);
  });
});

describe("a lead of one's own", () => {
  test("is enriched by its id, and filled where it is empty if that is wanted", async () => {
    const user = await service.user();
    await store(user, ada);
    const lead = await store(user, {
      networkUrl: "https://network.example/in/ada",
      email: ada.email,
      title: "Countess",
    });
    const dry = (await enrich(user, [{ leadId: lead.id }])).data.enriched[0];
    expect(dry?.writtenBack).toBeUndefined();
    const { data } = await enrich(user, [{ leadId: lead.id }], { writeBack: true });
    expect(data.enriched[0]).toMatchObject({ leadId: lead.id, fromCache: true });
    expect(data.enriched[0]?.writtenBack?.toSorted()).toEqual([
      "company",
      "firstName",
      "industry",
      "lastName",
      "location",
      "phone",
    ]);
    const filled = (await user.get<LeadView>(`/api/v2/leads/${lead.id}`)).data;
    expect(filled).toMatchObject({ firstName: "Ada", phone: "+44 1", title: "Countess", networkUrl: lead.networkUrl });
    // Once more: there is nothing left to fill.
    expect((await enrich(user, [{ leadId: lead.id }], { writeBack: true })).data.enriched[0]?.writtenBack).toEqual([]);
  });

  test("is no source about itself", async () => {
    const user = await service.user();
    const lead = await store(user, ada);
    expect((await enrich(user, [{ leadId: lead.id }])).data.failed).toMatchObject([{ code: "NO_MATCH" }]);
  });

  test("is changed only by a key that may, and only when it is named", async () => {
    const user = await service.user();
    const enricher = await service.keyOf(user, ["leads:enrich"]);
    const lead = await store(user, ada);
    expect(await enrich(enricher, [{ leadId: lead.id }], { writeBack: true })).toMatchObject({
      status: 403,
      code: "PERMISSION_DENIED",
      body: { permissionHelp: { required: "leads:write" } },
    });
    expect(await enrich(user, [{ email: ada.email }], { writeBack: true })).toMatchObject({
      status: 400,
      details: { errors: [{ index: 0, path: "leads.0.leadId" }] },
    });
  });
});

test("a blank id names no lead, as a blank identifier names nobody", async () => {
  const user = await service.user();
  await store(user, ada);
  const { data } = await enrich(user, [
    { leadId: "", email: ada.email },
    { leadId: null, email: ada.email },
  ]);
  expect(data).toMatchObject({ failed: [], creditsUsed: 1 });
  for (const result of data.enriched) expect(result).not.toHaveProperty("leadId");
  const refused = await enrich(user, [{ leadId: " " }]);
  expect(refused.details?.["errors"]).toEqual([{ path: "leads.0", index: 0, message: expect.any(String) }]);
  expect(await enrich(user, [{ leadId: "", email: ada.email }], { writeBack: true })).toMatchObject({
    details: { errors: [{ path: "leads.0.leadId", index: 0 }] },
  });
});

test("who turns out to be on the do-not-contact list is not told of, whatever they were asked about by", async () => {
  const user = await service.user();
  await store(user, ada);
  const named = { firstName: ada.firstName, lastName: ada.lastName, company: ada.company };
  const lead = await store(user, { ...named, networkUrl: "https://network.example/in/ada" });
  expect((await enrich(user, [named])).data).toMatchObject({ creditsUsed: 1, enriched: [{ index: 0 }] });
  await user.post("/api/v2/suppressions", { values: [ada.email] });
  // Also where it was paid for before.
  for (const more of [{}, { refresh: true }, { enrichmentOptions: { includeContactInfo: false } }]) {
    const { data } = await enrich(user, [named, { leadId: lead.id }], more);
    expect(data).toMatchObject({ creditsUsed: 0, remainingCredits: 199, enriched: [] });
    expect(data.failed.map(({ index, code }) => [index, code])).toEqual([
      [0, "DO_NOT_CONTACT"],
      [1, "DO_NOT_CONTACT"],
    ]);
    expect(JSON.stringify(data)).not.toContain(ada.phone);
  }
  expect((await enrich(user, [{ ...named, lastName: "L", phone: "+44 20 7946 0018" }])).data.failed).toMatchObject([
    { code: "NO_MATCH" },
  ]);
  await user.post("/api/v2/suppressions", { values: ["+44 20 7946 0018"] });
  expect((await enrich(user, [{ ...named, lastName: "L", phone: "+44 20 7946 0018" }])).data.failed).toMatchObject([
    { code: "DO_NOT_CONTACT" },
  ]);
});

test("a domain where everybody can have an address says nothing of a company", async () => {
  const user = await service.user();
  const grace = { firstName: "Grace", lastName: "Hopper", company: "Navy", domain: "gmail.com" };
  expect((await enrich(user, [grace])).data.failed).toMatchObject([{ code: "NO_MATCH" }]);
  expect((await enrich(user, [{ ...grace, email: "grace@navy.example" }])).data.failed).toHaveLength(1);
  expect((await enrich(user, [{ ...grace, domain: "navy.example" }])).data.enriched).toHaveLength(1);
});

test.each([
  ["https://www.Acme.example/about?x=1", "acme.example"],
  ["acme.example:8443/", "acme.example"],
  ["Söhne.example", "xn--shne-5qa.example"],
])("a domain may come as %s", async (domain, expected) => {
  const user = await service.user();
  const { data } = await enrich(user, [{ firstName: "Grace", lastName: "Hopper", company: "Acme", domain }]);
  expect(data.enriched[0]?.enrichedData.email).toBe(`grace.hopper@${expected}`);
});

describe("what can't be enriched is refused with its index", () => {
  test.each<[string, object, string]>([
    ["without an identifier", { firstName: "Ada" }, "leads.1"],
    ["with nothing at all", {}, "leads.1"],
    ["with blank identifiers", { email: " ", networkUrl: "" }, "leads.1"],
    ["with a malformed email", { email: "ada@" }, "leads.1.email"],
    ["with a URL that is none", { networkUrl: "not a url" }, "leads.1.networkUrl"],
    ["with a domain that is none", { email: "a@b.co", domain: "not a domain" }, "leads.1.domain"],
    ["with an address of a machine for a domain", { email: "a@b.co", domain: "127.0.0.1" }, "leads.1.domain"],
    ["with a name of this network for a domain", { email: "a@b.co", domain: "localhost" }, "leads.1.domain"],
    ["with a number for a text", { email: 5 }, "leads.1.email"],
    ["with a very long name", { email: "a@b.co", firstName: "x".repeat(201) }, "leads.1.firstName"],
    ["that is a text", "ada" as unknown as object, "leads.1"],
  ])("a lead %s", async (_name, lead, where) => {
    const user = await service.user();
    const refused = await enrich(user, [{ email: "fine@fine.example" }, lead]);
    expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
    expect(refused.details?.["errors"]).toEqual([{ path: where, index: 1, message: expect.any(String) }]);
    expect(await balanceOf(user)).toBe(200);
  });

  test("no leads, too many, or a provider that nobody has", async () => {
    const user = await service.user();
    expect(await enrich(user, [])).toMatchObject({ status: 400, details: { errors: [{ path: "leads" }] } });
    const many = Array.from({ length: 10_001 }, (_, n) => ({ email: `a${n}@b.co` }));
    expect(await enrich(user, many)).toMatchObject({
      status: 400,
      details: { errors: [{ path: "leads", message: "Expected at most 10000 items, got 10001." }] },
    });
    expect(await enrich(user, [{ email: "a@b.co" }], { providers: ["local", "nobody"] })).toMatchObject({
      status: 400,
      details: { errors: [{ path: "providers.1", index: 1 }] },
    });
    expect(await user.post(path, { enrichmentOptions: {} })).toMatchObject({ status: 400 });
  });
});

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

describe("a job", () => {
  test("reports its progress, and keeps what it found", async () => {
    const user = await service.user();
    for (let n = 0; n < 5; n++) await store(user, { ...ada, email: `p${n}@analytical.example` });
    const leads = Array.from({ length: 51 }, (_, n) => ({ email: `p${n}@analytical.example` }));
    const submitted = await user.post<JobView>(path, { leads }, { headers: { prefer: "respond-async" } });
    expect(submitted.status).toBe(202);
    expect(submitted.headers.get("location")).toBe(`/api/v2/users/jobs/${submitted.data.id}`);
    expect(submitted.data).toMatchObject({ type: "data_enrichment", metadata: { batchSize: 51 } });
    const job = await service.ended(user, submitted.data.id);
    expect(job).toMatchObject({
      status: "completed",
      progress: 100,
      metadata: { batchSize: 51, processed: 51, enriched: 5, failed: 46, creditsUsed: 5 },
    });
    const results = (query: object) => user.get<Results>(job.metadata["results"] as string, { query: { ...query } });
    const { data } = await results({});
    expect(data.enriched.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
    expect(data).toMatchObject({ creditsUsed: 5, remainingCredits: 195, nextCursor: null });
    const first = (await results({ limit: 50 })).data;
    const second = (await results({ limit: 50, cursor: first.nextCursor ?? "" })).data;
    expect([...first.failed, ...second.failed]).toEqual(data.failed);
    expect(second.failed.map(({ index }) => index)).toEqual([50]);
  });

  test("asks anew about somebody once, however often it has them, and charges once", async () => {
    const user = await service.user();
    const leads = Array.from({ length: 51 }, (_, n) => ({ email: `p${n % 50}@analytical.example` }));
    for (const { email } of leads.slice(0, 50)) await store(user, { ...ada, email });
    await enrich(user, leads.slice(0, 1));
    const prefer = { headers: { prefer: "respond-async" } };
    const { data: job } = await user.post<JobView>(path, { leads, refresh: true }, prefer);
    expect(await service.ended(user, job.id)).toMatchObject({
      status: "completed",
      metadata: { enriched: 51, failed: 0, creditsUsed: 50 },
    });
    const { data } = await user.get<Results>(`${path}/jobs/${job.id}/results`);
    expect(data.enriched.map(({ creditsUsed }) => creditsUsed)).toEqual([...leads.slice(1).map(() => 1), 0]);
    expect(await balanceOf(user)).toBe(149);
  });

  test("is what a client gets that prefers one", async () => {
    const user = await service.user();
    await store(user, ada);
    const submitted = await user.post<JobView>(
      path,
      { leads: [{ email: ada.email }] },
      { headers: { prefer: "wait=5, respond-async" } },
    );
    expect(submitted.status).toBe(202);
    expect(submitted.headers.get("preference-applied")).toBe("respond-async");
    await service.ended(user, submitted.data.id);
    expect(await balanceOf(user)).toBe(199);
  });

  test("of somebody else, or of another kind, has no results", async () => {
    const user = await service.user();
    const other = await service.user();
    const { data } = await user.post<JobView>(
      path,
      { leads: [{ email: "a@b.co" }] },
      { headers: { prefer: "respond-async" } },
    );
    expect(await other.get(`${path}/jobs/${data.id}/results`)).toMatchObject({ status: 404 });
    expect(await user.get(`${path}/jobs/nothing/results`)).toMatchObject({ status: 404 });
    expect(await user.get(`${path}/jobs/${data.id}/results`, { query: { cursor: "nonsense" } })).toMatchObject({
      status: 400,
    });
  });
});

test("a company's addresses are learned from the leads that have one there", async () => {
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
}, 20_000); // Leads are learned from some seconds after they were stored.

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
