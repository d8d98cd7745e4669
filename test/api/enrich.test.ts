import { afterAll, describe, expect, test } from "bun:test";
import type { LeadView } from "../../src/features/leads/model.ts";
import { startService } from "../support/service.ts";
import { path, store, enrich, balanceOf, ada } from "../support/enrich-api.ts";

const service = await startService({ settings: { ENRICHMENTS_PER_HOUR: 0, DEFAULT_CREDITS: 200 } });

afterAll(() => service[Symbol.asyncDispose]());

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
