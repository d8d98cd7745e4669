import { afterAll, beforeEach, expect, test } from "bun:test";
import { FakeClock } from "../support/clock.ts";
import type { Client } from "../support/client.ts";
import type { Found } from "../support/prospects.ts";
import { eventually, startService, succeeded, testInProcess } from "../support/service.ts";

/** What was asked of the vendors, and what they answer; the shapes are those of their own documentation. */
type Asked = { path: string; headers: Headers; body: Record<string, unknown> };
let asked: Asked[] = [];
let answer: (one: Asked) => Response | Promise<Response> = () => Response.json({}, { status: 500 });
const vendor = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const one = {
      path: new URL(request.url).pathname,
      headers: request.headers,
      body: (await request.json()) as Record<string, unknown>,
    };
    asked.push(one);
    return answer(one);
  },
});
const vendors = {
  APOLLO_KEY: "apollo-key",
  PDL_KEY: "pdl-key",
  FULLENRICH_KEY: "full-key",
  PROSPECT_URLS: ["apollo", "pdl", "fullenrich"]
    .map((name) => `${name}=http://127.0.0.1:${vendor.port}/${name}`)
    .join(),
  ALLOW_PRIVATE_HOSTS: "127.0.0.1",
};
const service = await startService({ settings: { ...vendors, DEFAULT_CREDITS: 100 } });
beforeEach(() => {
  asked = [];
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await vendor.stop(true);
});

const search = (client: Client, body: object) => client.post<Found>("/api/v2/prospecting/search", body);

const apolloPerson = {
  id: "a1",
  first_name: "Ada",
  last_name: "Lovelace",
  title: "CTO",
  email: "ada@engines.example",
  email_status: "verified",
  linkedin_url: "http://www.linkedin.example/in/ada",
  city: "London",
  country: "United Kingdom",
  organization: {
    name: "Analytical Engines",
    primary_domain: "engines.example",
    industry: "machinery",
    estimated_num_employees: 120,
    annual_revenue: 12_000_000,
    technology_names: ["Salesforce"],
  },
};

const filters = {
  company: {
    industry: ["machinery"],
    size: ["51-200"],
    location: ["London, UK"],
    revenue: { min: 1_000_000, max: null },
  },
  person: { title: ["CTO"], seniority: ["C-Level"] },
  technology: { using: ["Google Analytics"], notUsing: ["HubSpot"] },
};

test("who is on the do-not-contact list is neither shown nor charged, however often a source finds them", async () => {
  const other = { ...apolloPerson, id: "a2", first_name: "Grace", email: "grace@engines.example" };
  const people = [apolloPerson, { ...other, linkedin_url: "http://www.linkedin.example/in/grace" }];
  answer = ({ path }) =>
    path.endsWith("api_search")
      ? Response.json({ total_entries: 2, people: people.map(({ id }) => ({ id })) })
      : Response.json({ matches: people });
  const client = await service.user();
  // By the profile, which only what the source says ties to the address.
  succeeded(await client.post("/api/v2/suppressions", { values: ["https://www.linkedin.example/in/ada/"] }));
  for (const creditsUsed of [1, 0]) {
    const { data } = succeeded(await search(client, { filters, source: "apollo", limit: 5 }));
    expect(data.prospects.map(({ firstName }) => firstName)).toEqual(["Grace"]);
    expect(data).toMatchObject({ creditsUsed, remainingCredits: 99 });
  }
  const { data } = succeeded(await search(client, { filters: {}, limit: 5 }));
  expect(data.prospects.map(({ firstName }) => firstName)).toEqual(["Grace"]);
  const listed = await client.post("/api/v2/leads", { email: "ada@engines.example" });
  expect(listed).toMatchObject({ status: 409, code: "DO_NOT_CONTACT" });
});

test("Apollo is asked in its own words; who is found is matched, stored and charged", async () => {
  answer = ({ path, body }) =>
    path.endsWith("api_search")
      ? Response.json({
          total_entries: 321,
          people: [{ id: "a1", first_name: "Ada", last_name_obfuscated: "Lo***e" }, { id: "gone" }],
        })
      : Response.json({
          matches: (body["details"] as { id: string }[]).map(({ id }) => (id === "a1" ? apolloPerson : null)),
        });
  const client = await service.user();
  const { data } = succeeded(await search(client, { filters, source: "apollo", limit: 5 }));
  expect(data).toMatchObject({ total: 321, creditsUsed: 1, remainingCredits: 99 });
  expect(data.prospects).toMatchObject([
    {
      firstName: "Ada",
      lastName: "Lovelace",
      email: "ada@engines.example",
      companySize: "51-200",
      revenue: { min: 10_000_000, max: 20_000_000 },
      seniority: "c_suite",
      source: "apollo",
      confidence: 0.95,
    },
  ]);
  expect(asked.map(({ path }) => path)).toEqual(["/apollo/mixed_people/api_search", "/apollo/people/bulk_match"]);
  expect(asked[0]!.headers.get("x-api-key")).toBe("apollo-key");
  expect(asked[0]!.body).toEqual({
    person_titles: ["CTO"],
    person_seniorities: ["c_suite"],
    organization_locations: ["London, UK"],
    organization_num_employees_ranges: ["51,200"],
    q_organization_keyword_tags: ["machinery"],
    currently_using_any_of_technology_uids: ["google_analytics"],
    currently_not_using_any_of_technology_uids: ["hubspot"],
    revenue_range: { min: 1_000_000 },
    page: 1,
    per_page: 5,
  });
  // Stored: the directory has it from now on, and a second find is the same prospect.
  const own = succeeded(await search(client, { filters: { company: { industry: ["Machinery"] } } })).data;
  expect(own.prospects.map(({ id }) => id)).toEqual(data.prospects.map(({ id }) => id));
  const again = succeeded(await search(client, { filters, source: "apollo", limit: 5, offset: 5 })).data;
  expect(again.prospects.map(({ id }) => id)).toEqual(data.prospects.map(({ id }) => id));
  expect(asked[2]!.body).toMatchObject({ page: 2, per_page: 5 });
});

test("an offset that is no whole page of Apollo's takes what it needs of two", async () => {
  answer = ({ path, body }) =>
    path.endsWith("api_search")
      ? Response.json({
          total_entries: 9,
          people: [0, 1, 2].map((n) => ({ id: String((Number(body["page"]) - 1) * 3 + n) })),
        })
      : Response.json({
          matches: (body["details"] as { id: string }[]).map(({ id }) => ({ id, email: `p${id}@example.com` })),
        });
  const client = await service.user();
  const { data } = succeeded(await search(client, { source: "apollo", limit: 3, offset: 4 }));
  expect(data.prospects.map(({ email }) => email)).toEqual(["p4@example.com", "p5@example.com", "p6@example.com"]);
});

test("People Data Labs is asked by its query language, and pages by the token of the page before", async () => {
  const person = (n: number) => ({
    first_name: "Grace",
    last_name: `Hopper ${n}`,
    work_email: `grace${n}@navy.example`,
    job_title: "vp engineering",
    job_title_levels: ["vp"],
    job_company_name: "Navy",
    job_company_size: "51-200",
    mobile_phone: true,
  });
  answer = ({ body }) =>
    body["scroll_token"] === undefined
      ? Response.json({ status: 200, data: [person(1), person(2)], total: 3, scroll_token: "next" })
      : Response.json({ status: 200, data: [person(3)], total: 3 });
  const client = await service.user();
  const wanted = {
    company: { industry: ["Machinery"], location: ["Texas, US"] },
    person: { title: ["VP Engineering"], seniority: ["VP"] },
  };
  const first = succeeded(await search(client, { filters: wanted, source: "pdl", limit: 2 })).data;
  expect(first).toMatchObject({ total: 3, creditsUsed: 2, prospects: [{ lastName: "Hopper 1", phone: null }, {}] });
  expect(asked[0]!.path).toBe("/pdl/person/search");
  expect(asked[0]!.body).toMatchObject({ size: 2, titlecase: true });
  expect(JSON.stringify(asked[0]!.body["query"])).toContain('{"terms":{"job_company_industry":["machinery"]}}');
  expect(JSON.stringify(asked[0]!.body["query"])).toContain(
    '{"term":{"job_company_location_country":"united states"}}',
  );
  const second = succeeded(await search(client, { filters: wanted, source: "pdl", limit: 2, offset: 2 })).data;
  expect(second).toMatchObject({ total: 3, creditsUsed: 1, prospects: [{ lastName: "Hopper 3" }] });
  expect(asked[1]!.body).toMatchObject({ scroll_token: "next" });
  const jump = await search(client, { filters: wanted, source: "pdl", limit: 2, offset: 50 });
  expect(jump).toMatchObject({ status: 409, code: "CONFLICT", message: expect.stringContaining("offset 0") });
  answer = () => Response.json({ status: 404, error: { message: "No records were found" } }, { status: 404 });
  expect(await search(client, { source: "pdl" })).toMatchObject({
    status: 200,
    data: { total: 0, prospects: [], creditsUsed: 0 },
  });
});

test("FullEnrich is asked by offset, and tells profiles without addresses", async () => {
  answer = () =>
    Response.json({
      people: [
        {
          first_name: "Enzo",
          last_name: "Romera",
          location: { city: "Paris", country: "France" },
          social_profiles: { professional_network: { url: "https://www.linkedin.example/in/enzo" } },
          employment: {
            current: {
              title: "Head of Sales",
              company: {
                name: "Anthropos",
                domain: "anthropos.example",
                headcount_range: "1001-5000",
                locations: { headquarters: { city: "Lyon", country: "France" } },
              },
            },
          },
        },
      ],
      metadata: { total: 20_523, credits: 0.25, offset: 40 },
    });
  const client = await service.user();
  const wanted = {
    company: { industry: ["Software Development"], size: ["51-200", "10001+"] },
    person: { title: ["Head of Sales"], seniority: ["head"] },
  };
  const { data } = succeeded(await search(client, { filters: wanted, source: "fullenrich", limit: 1, offset: 40 }));
  expect(data).toMatchObject({
    total: 20_523,
    creditsUsed: 1,
    prospects: [
      {
        firstName: "Enzo",
        email: null,
        company: "Anthropos",
        companyLocation: "Lyon, France",
        location: "Paris, France",
      },
    ],
  });
  expect(asked[0]!.headers.get("authorization")).toBe("Bearer full-key");
  expect(asked[0]!.body).toEqual({
    current_company_industries: [{ value: "Software Development" }],
    current_company_headcounts: [{ min: 51, max: 200 }, { min: 10_001 }],
    current_position_titles: [{ value: "Head of Sales" }],
    current_position_seniority_level: [{ value: "Head" }],
    limit: 1,
    offset: 40,
  });
});

test.each([
  ["fullenrich", { technology: { using: ["Kafka"] } }, "technology.using"],
  ["pdl", { company: { revenue: { min: 1 } } }, "company.revenue"],
  ["apollo", { person: { department: ["sales"] } }, "person.department"],
])("%s is not asked with %j, which it has nothing for", async (source, wanted, named) => {
  const client = await service.user();
  const refused = await search(client, { filters: wanted, source });
  expect(refused).toMatchObject({ status: 409, code: "CONFLICT", message: expect.stringContaining(named) });
  expect(asked).toEqual([]);
  expect((await search(client, { source: "directory" })).data.remainingCredits).toBe(100);
});

test.each([
  [() => Response.json({ error: "bad key" }, { status: 401 }), 409, "CONFLICT"],
  [() => Response.json({ error: "no credits" }, { status: 402 }), 409, "CONFLICT"],
  [() => Response.json({}, { status: 429, headers: { "retry-after": "30" } }), 503, "SERVICE_UNAVAILABLE"],
  [() => Response.json({}, { status: 500 }), 503, "SERVICE_UNAVAILABLE"],
  [() => new Response("<html>", { headers: { "content-type": "text/html" } }), 503, "SERVICE_UNAVAILABLE"],
  [() => Response.json({ people: "none", total_entries: "many" }), 200, undefined],
])("what goes wrong at a vendor is told, and costs nothing (%#)", async (reply, status, code) => {
  answer = reply;
  const client = await service.user();
  const refused = await search(client, { source: "apollo" });
  expect(refused).toMatchObject({ status, code });
  if (status === 503 && reply().status === 429) expect(refused.headers.get("retry-after")).toBe("30");
  expect((await search(client, {})).data.remainingCredits).toBe(100);
});

test("a live search that the credits do not last for is never asked; a dry run asks nothing", async () => {
  const client = await service.user();
  const dry = await search(client, { source: "apollo", limit: 30, dryRun: true });
  expect(dry).toMatchObject({
    status: 200,
    data: { total: null, creditsUsed: 0, creditsRequired: 30, remainingCredits: 100, prospects: [] },
  });
  expect(asked).toEqual([]);
  answer = ({ path, body }) =>
    path.endsWith("api_search")
      ? Response.json({ total_entries: 60, people: Array.from({ length: 60 }, (_, n) => ({ id: `x${n}` })) })
      : Response.json({
          matches: (body["details"] as { id: string }[]).map(({ id }) => ({ id, email: `${id}@example.com` })),
        });
  expect((await search(client, { source: "apollo", limit: 60 })).data).toMatchObject({
    creditsUsed: 60,
    remainingCredits: 40,
  });
  asked = [];
  const refused = await search(client, { source: "apollo", limit: 60 });
  expect(refused).toMatchObject({
    status: 402,
    code: "ENRICHMENT_CREDITS_EXHAUSTED",
    details: { remaining: 40, required: 60 },
  });
  expect(asked).toEqual([]);
});

test("a live source charges for a person once in 90 days, however often it lists them", async () => {
  const client = await service.user();
  const person = (n: number) => ({ first_name: "Grace", last_name: `Hopper ${n}`, work_email: `g${n}@navy.example` });
  const lists = (...numbers: number[]) => {
    answer = () => Response.json({ status: 200, data: numbers.map(person), total: 40 });
  };
  const paid = async (body: object) => {
    const { data } = succeeded(await search(client, { source: "pdl", limit: 10, ...body }));
    return [data.prospects.length, data.creditsUsed, data.creditsRequired, data.remainingCredits];
  };
  lists(1, 1, 1, 2);
  expect(await paid({})).toEqual([2, 2, 2, 98]);
  expect(await paid({})).toEqual([2, 0, 0, 98]);
  lists(2, 3);
  expect(await paid({})).toEqual([2, 1, 1, 97]);
  // Neither does the directory charge for those whom a live source was paid for.
  expect(await paid({ source: "directory" })).toEqual([3, 0, 0, 97]);
  const { entries } = succeeded(
    await client.get<{ entries: { kind: string; amount: number }[] }>("/api/v2/credits/ledger"),
  ).data;
  expect(entries.filter(({ kind }) => kind === "settle").map(({ amount }) => amount)).toEqual([-1, -2]);
  expect(entries.reduce((sum, { amount }) => sum + amount, 0)).toBe(97);
});

testInProcess(
  "a person found by a vendor costs again after 90 days, until the workspace has imported them",
  async () => {
    const clock = new FakeClock();
    await using own = await startService({ settings: { ...vendors, DEFAULT_CREDITS: 3 }, clock });
    const client = await own.user();
    const people = [1, 2].map((n) => ({ first_name: "Grace", work_email: `g${n}@navy.example` }));
    answer = () => Response.json({ status: 200, data: people, total: 2 });
    expect((await search(client, { source: "pdl", limit: 2 })).data).toMatchObject({ creditsUsed: 2 });
    clock.advance(91 * 86_400_000);
    // Those whom it has not paid for lately are not shown without enough credits, and are counted for nothing.
    const page = (more: object) => search(client, { limit: 2, ...more });
    expect((await page({ dryRun: true })).data).toMatchObject({ prospects: [], total: 2, creditsRequired: 2 });
    expect(await page({})).toMatchObject({
      status: 402,
      code: "ENRICHMENT_CREDITS_EXHAUSTED",
      details: { remaining: 1, required: 2, upgradeUrl: expect.any(String) },
    });
    expect((await page({ limit: 1 })).data).toMatchObject({ prospects: [{}], creditsUsed: 1, remainingCredits: 0 });
    expect((await page({})).status).toBe(402);
    const file = "email\ng2@navy.example\nown@navy.example\n";
    const path = "/api/v2/prospecting/import?onDuplicate=skip";
    const started = await client.post<{ id: string }>(path, file, { headers: { "content-type": "text/csv" } });
    await own.ended(client, started.data.id);
    expect((await page({ limit: 3 })).data).toMatchObject({ prospects: [{}, {}, {}], creditsUsed: 0 });
  },
);

test("a vendor that finds people whom the workspace has imported is not paid for them in credits", async () => {
  const client = await service.user();
  const started = await client.post<{ id: string }>("/api/v2/prospecting/import", "email\ng1@navy.example\n", {
    headers: { "content-type": "text/csv" },
  });
  await service.ended(client, started.data.id);
  const people = [1, 2].map((n) => ({ first_name: "Grace", work_email: `g${n}@navy.example` }));
  answer = () => Response.json({ status: 200, data: people, total: 2 });
  expect((await search(client, { source: "pdl", limit: 2 })).data).toMatchObject({
    prospects: [{}, {}],
    creditsUsed: 1,
  });
});

test("two live searches at once for the same people charge for each of them once", async () => {
  const client = await service.user();
  answer = () =>
    Response.json({
      status: 200,
      data: [1, 2, 3].map((n) => ({ first_name: "Grace", work_email: `g${n}@navy.example` })),
      total: 3,
    });
  const found = await Promise.all([1, 2, 3, 4].map(() => search(client, { source: "pdl", limit: 5 })));
  expect(found.reduce((sum, { data }) => sum + data.creditsUsed, 0)).toBe(3);
  expect((await search(client, {})).data.remainingCredits).toBe(97);
});

test("a search that a busy source refused may be sent again with its Idempotency-Key", async () => {
  const client = await service.user();
  const options = { headers: { "idempotency-key": "busy" } };
  answer = () => Response.json({}, { status: 429, headers: { "retry-after": "7" } });
  const refused = await client.post<Found>("/api/v2/prospecting/search", { source: "pdl", limit: 1 }, options);
  expect(refused).toMatchObject({ status: 503 });
  answer = () =>
    Response.json({ status: 200, data: [{ first_name: "Grace", work_email: "g@navy.example" }], total: 1 });
  const found = await client.post<Found>("/api/v2/prospecting/search", { source: "pdl", limit: 1 }, options);
  expect(found).toMatchObject({ status: 200, data: { creditsUsed: 1, remainingCredits: 99 } });
  expect(found.headers.get("idempotent-replayed")).toBeNull();
});

test("a client that goes away and comes back with its Idempotency-Key finds the answer, and pays once", async () => {
  const client = await service.user();
  const reply = Promise.withResolvers<Response>();
  answer = () => reply.promise;
  const path = "/api/v2/prospecting/search";
  const input = { source: "pdl", limit: 1 };
  const headers = { "idempotency-key": "impatient" };
  const impatient = new AbortController();
  const first = fetch(service.url + path, {
    method: "POST",
    headers: { ...headers, "x-api-key": client.key ?? "", "content-type": "application/json" },
    body: JSON.stringify(input),
    signal: impatient.signal,
  }).catch((error: Error) => error.name);
  await eventually("the source to be asked", async () => (asked.length > 0 ? true : null));
  impatient.abort();
  expect(await first).toBe("AbortError");
  expect((await client.post(path, input, { headers })).code).toBe("REQUEST_IN_PROGRESS");
  reply.resolve(
    Response.json({ status: 200, data: [{ first_name: "Grace", work_email: "g@navy.example" }], total: 1 }),
  );
  const again = await eventually("the answer", async () => {
    const retried = await client.post<Found>(path, input, { headers });
    return retried.code === "REQUEST_IN_PROGRESS" ? null : retried;
  });
  expect(again).toMatchObject({ status: 200, data: { creditsUsed: 1, remainingCredits: 99 } });
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(asked).toHaveLength(1);
});

test("only sources that are configured are offered", async () => {
  const sources = async (one: typeof service) =>
    succeeded(await one.admin.get<{ sources: { name: string }[] }>("/api/v2/prospecting/sources")).data.sources.map(
      ({ name }) => name,
    );
  expect(await sources(service)).toEqual(["directory", "apollo", "pdl", "fullenrich"]);
  await using bare = await startService();
  expect(await sources(bare)).toEqual(["directory"]);
});
