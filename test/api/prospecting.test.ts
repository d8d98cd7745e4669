import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { LeadView } from "../../src/features/leads/model.ts";
import type { ProspectView, SavedSearchView } from "../../src/features/prospecting/model.ts";
import type { Answer, Client } from "../support/client.ts";
import type { Found } from "../support/prospects.ts";
import { startService, succeeded } from "../support/service.ts";

const service = await startService({ settings: { DEFAULT_CREDITS: 100_000 } });
afterAll(() => service[Symbol.asyncDispose]());

const api = "/api/v2/prospecting";

type FacetValue = { value: string; count: number; min?: number; max?: number | null };
type Facets = { facets: { facet: string; values: FacetValue[] }[] };

const people = `First Name,Last Name,Email,LinkedIn URL,Title,Company,Website,Industry,# Employees,Annual Revenue,Company Location,Technologies
Ada,Lovelace,ada@engines.example,https://network.example/in/ada,CTO,Analytical Engines,engines.example,Software,120,$12M,"London, UK","Salesforce; Node.js"
Grace,Hopper,grace@navy.example,https://network.example/in/grace,"Vice President, Engineering",Navy Systems,navy.example,Software,"11-50",2500000,"Austin, TX, USA",HubSpot
Linus,Torvalds,,https://network.example/in/linus,VP of Engineering,Kernel Works,kernel.example,Computer Hardware,5000+,,"Portland, Oregon, United States","C++;NodeJS"
Joan,Clarke,joan@park.example,,Sales Manager,Bletchley Park,park.example,Government,201-500,500M,"Milton Keynes, United Kingdom",C
`;

/** Written by other programs than ours, in Base64. */
const eastAsianLists = {
  shift_jis:
    "joGWvCyJ747QlrwslvCQRSyPio3dkm4NCo5Sk2ORvphZLIqUjq6J747Qg1SDk4N2g4sslZSStyyTjIuek3MNCo2yk6GCs4Ktgucsg2eDiINejqmTro7ULInbkrcsiKSSbYynDQo=",
  gb18030:
    "0NXD+yy5q8u+w/uzxizWsM67LLPHytANCs310KHD9yywosDvsM2wzSy+rcDtLLq81t0NCsW30fTEyMTILLuqzqosuaSzzMqmLMnu29oNCg==",
  "euc-kr": "wMy4pyzIuLvnuO0swffDpSzB9r+qDQqx6LnOvPYsu++8usD8wNosus7A5Sy8rb/vDQqzsrHDuc4sxKvEq7/ALLD6wOUswabB1g0K",
};

async function imported(
  client: Client,
  body: string,
  query: Record<string, string> = {},
  type = "text/csv",
): Promise<JobView> {
  const started = await client.post<JobView>(`${api}/import`, body, { query, headers: { "content-type": type } });
  return service.ended(client, succeeded(started).data.id);
}

async function searched(client: Client, filters: object, more: object = {}): Promise<Found> {
  return succeeded(await client.post<Found>(`${api}/search`, { filters, ...more })).data;
}

/** First names of who is found, in alphabetical order. */
async function names(client: Client, filters: object): Promise<string[]> {
  const { prospects, total } = await searched(client, filters);
  expect(prospects).toHaveLength(total);
  return prospects.map(({ firstName }) => firstName ?? "").toSorted();
}

async function directory(): Promise<Client> {
  const client = await service.user();
  expect(await imported(client, people)).toMatchObject({ status: "completed", metadata: { created: 4, failed: 0 } });
  return client;
}

test("people on the do-not-contact list are neither shown by a search nor charged", async () => {
  const client = await directory();
  // Linus is listed by an address that only a lead ties to his profile.
  const linus = { email: "linus@home.example", networkUrl: "https://network.example/in/linus" };
  succeeded(await client.post("/api/v2/leads", linus));
  const values = ["ada@engines.example", "@navy.example", linus.email];
  succeeded(await client.post("/api/v2/suppressions", { values }));
  expect(await searched(client, {}, { dryRun: true })).toMatchObject({ total: 4, creditsRequired: 1 });
  const found = await searched(client, {});
  expect(found.prospects.map(({ firstName }) => firstName)).toEqual(["Joan"]);
  expect(found).toMatchObject({ total: 4, creditsUsed: 1, creditsRequired: 1 });
});

test("a file of prospects can be searched by every filter of the specification", async () => {
  const client = await directory();
  const found: [object, string[]][] = [
    [{}, ["Ada", "Grace", "Joan", "Linus"]],
    [{ company: { industry: ["software"] } }, ["Ada", "Grace"]],
    [{ company: { industry: ["Software", "GOVERNMENT"] } }, ["Ada", "Grace", "Joan"]],
    [{ company: { size: ["51-200"] } }, ["Ada"]],
    [{ company: { size: ["1000+"] } }, ["Linus"]],
    [{ company: { size: ["20"] } }, ["Grace"]],
    [{ company: { location: ["United States"] } }, ["Grace", "Linus"]],
    [{ company: { location: ["Texas, US"] } }, ["Grace"]],
    [{ company: { location: ["UK", "Oregon"] } }, ["Ada", "Joan", "Linus"]],
    [{ company: { revenue: { min: 10_000_000, max: null } } }, ["Ada", "Joan"]],
    [{ company: { revenue: { min: 1_000_000, max: 20_000_000 } } }, ["Ada", "Grace"]],
    [{ company: { revenue: { max: 5_000_000 } } }, ["Grace"]],
    [{ person: { title: ["VP Engineering"] } }, ["Grace", "Linus"]],
    [{ person: { title: ["Chief Technology Officer"] } }, ["Ada"]],
    [{ person: { title: ["manager", "cto"] } }, ["Ada", "Joan"]],
    [{ person: { seniority: ["C-Level"] } }, ["Ada"]],
    [{ person: { seniority: ["Vice President"] } }, ["Grace", "Linus"]],
    [{ person: { department: ["engineering"] } }, ["Ada", "Grace", "Linus"]],
    [{ technology: { using: ["node.js"] } }, ["Ada", "Linus"]],
    [{ technology: { using: ["C"] } }, ["Joan"]],
    [{ technology: { usingAll: ["nodejs", "salesforce"] } }, ["Ada"]],
    [{ technology: { notUsing: ["NodeJS", "Nobody's"] } }, ["Grace", "Joan"]],
    [{ company: { industry: ["Software"] }, person: { title: ["VP"] }, technology: { notUsing: ["c++"] } }, ["Grace"]],
  ];
  for (const [filters, expected] of found) expect([filters, await names(client, filters)]).toEqual([filters, expected]);
});

test("a prospect has the fields of the specification, sizes and revenue as ranges", async () => {
  const client = await directory();
  const { prospects } = await searched(client, { person: { title: ["CTO"] } });
  expect(prospects).toEqual([
    {
      id: expect.stringMatching(/^prs_[0-9a-f]{16}$/),
      firstName: "Ada",
      lastName: "Lovelace",
      email: "ada@engines.example",
      networkUrl: "https://network.example/in/ada",
      title: "CTO",
      company: "Analytical Engines",
      industry: "Software",
      location: "London, UK",
      companySize: "51-200",
      technologies: ["Salesforce", "Node.js"],
      confidence: 0.93,
      phone: null,
      seniority: "c_suite",
      department: "engineering",
      domain: "engines.example",
      companyLocation: "London, UK",
      revenue: { min: 10_000_000, max: 20_000_000 },
      source: null,
      leadId: null,
      updatedAt: expect.any(String),
    },
  ]);
});

test("values that nothing has find nothing, and empty lists do not narrow", async () => {
  const client = await directory();
  const nothing = [
    { company: { industry: ["Alchemy"] } },
    { company: { size: ["huge"] } },
    { company: { location: ["Atlantis", ","] } },
    { person: { title: ["..."] } },
    { person: { title: ["of the"] } },
    { technology: { using: ["", "  "] } },
    { technology: { usingAll: ["NodeJS", "Cobol"] } },
    { company: { revenue: { min: 1e300, max: 1e300 } }, person: { seniority: ["\u0000"] } },
  ];
  for (const filters of nothing) expect([filters, await names(client, filters)]).toEqual([filters, []]);
  const all = {
    company: { industry: [], size: [], location: [] },
    person: { title: [] },
    technology: { using: [], notUsing: [] },
  };
  expect(await names(client, all)).toHaveLength(4);
  expect(await names(client, { company: { revenue: {} } })).toHaveLength(4);
  expect(await names(client, { company: { revenue: { min: null, max: null } } })).toHaveLength(4);
});

test.each([
  [{ limit: 0 }, "limit"],
  [{ limit: 101 }, "limit"],
  [{ limit: 2.5 }, "limit"],
  [{ offset: -1 }, "offset"],
  [{ offset: 1e300 }, "offset"],
  [{ filters: [] }, "filters"],
  [{ filters: "all" }, "filters"],
  [{ filters: { company: { industry: "Software" } } }, "filters.company.industry"],
  [{ filters: { company: { industry: [5] } } }, "filters.company.industry.0"],
  [{ filters: { company: { industry: ["x".repeat(301)] } } }, "filters.company.industry.0"],
  [{ filters: { person: { title: Array.from({ length: 1001 }, () => "x") } } }, "filters.person.title"],
  [{ filters: { company: { revenue: { min: 5, max: 4 } } } }, "filters.company.revenue.min"],
  [{ filters: { company: { revenue: { min: -1 } } } }, "filters.company.revenue.min"],
  [{ filters: { company: { revenue: { max: "much" } } } }, "filters.company.revenue.max"],
  [{ source: "telepathy" }, "source"],
  [{ source: "apollo" }, "source"],
  [{ dryRun: "maybe" }, "dryRun"],
])("a search with %j is refused and the field is named", async (wrong, path) => {
  const answer = await service.admin.post(`${api}/search`, { filters: {}, ...wrong });
  expect(answer).toMatchObject({ status: 400, code: "VALIDATION_ERROR", details: { errors: [{ path }] } });
});

const misspelled: [object, string, string][] = [
  [{ persons: { title: ["CTO"] } }, "filters.persons", "company, person, technology. Did you mean person?"],
  [{ person: { titel: ["CTO"] } }, "filters.person.titel", "title, seniority, department."],
  [
    { company: { Industry: ["Software"] } },
    "filters.company.Industry",
    "industry, size, location, revenue. Did you mean industry?",
  ],
  [{ company: { revenue: { minimum: 1e6 } } }, "filters.company.revenue.minimum", "min, max."],
  [{ technology: { uses: ["Kafka"] } }, "filters.technology.uses", "using, usingAll, notUsing."],
];
test.each(misspelled)(
  "filters %j are refused wherever they are taken, with the names that there are",
  async (...of) => {
    const [filters, path, known] = of;
    const client = await directory();
    const saved = succeeded(await client.post<SavedSearchView>(`${api}/searches`, { name: "All", filters: {} })).data;
    for (const answer of [
      await client.post(`${api}/search`, { filters }),
      await client.post(`${api}/search`, { filters, dryRun: true }),
      await client.post(`${api}/search`, { filters, source: "apollo" }),
      await client.post(`${api}/facets`, { filters }),
      await client.post(`${api}/searches`, { name: "Wrong", filters }),
      await client.put(`${api}/searches/${saved.id}`, { filters }),
    ])
      expect(answer).toMatchObject({
        status: 400,
        code: "VALIDATION_ERROR",
        details: { errors: [{ path, message: `Unknown field. Expected one of ${known}` }] },
      });
    expect((await searched(client, {}, { dryRun: true })).remainingCredits).toBe(100_000);
  },
);

const fieldsOfSearch = "filters, source, limit, offset, dryRun, userId.";
const fieldsOfSaved = "name, source, filters, userId.";
test.each([
  ["search", { filter: { person: { title: ["CTO"] } } }, "filter", `${fieldsOfSearch} Did you mean filters?`],
  ["search", { Filters: {} }, "Filters", `${fieldsOfSearch} Did you mean filters?`],
  ["search", { fitlers: {} }, "fitlers", `${fieldsOfSearch} Did you mean filters?`],
  ["search", { person: { title: ["CTO"] } }, "person", fieldsOfSearch],
  ["search", { filters: {}, lmit: 1 }, "lmit", `${fieldsOfSearch} Did you mean limit?`],
  ["searches", { name: "All", filters: {}, Source: "pdl" }, "Source", `${fieldsOfSaved} Did you mean source?`],
  ["change", { filter: {} }, "filter", `${fieldsOfSaved} Did you mean filters?`],
  ["run", { lmit: 1 }, "lmit", "limit, offset, dryRun, userId. Did you mean limit?"],
])("%s with %j buys nothing: the misspelled field is named", async (where, body, path, known) => {
  const client = await directory();
  const saved = succeeded(await client.post<SavedSearchView>(`${api}/searches`, { name: "All", filters: {} })).data;
  const own = `${api}/searches/${saved.id}`;
  const answer =
    where === "change"
      ? await client.put(own, body)
      : await client.post(where === "run" ? `${own}/run` : `${api}/${where}`, body);
  expect(answer).toMatchObject({
    status: 400,
    code: "VALIDATION_ERROR",
    details: { errors: [{ path, message: `Unknown field. Expected one of ${known}` }] },
  });
  expect((await searched(client, {}, { dryRun: true })).remainingCredits).toBe(100_000);
});

test("the document says that filters take no other names", async () => {
  type Schema = { additionalProperties?: boolean; properties: Record<string, Schema> };
  const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
    components: { schemas: Record<string, Schema> };
  };
  const { ProspectFilters: all } = document.components.schemas;
  const { company, person, technology } = all!.properties;
  for (const schema of [all, company, person, technology, company!.properties["revenue"]])
    expect(schema!.additionalProperties).toBe(false);
});

test("a search that was saved with a misspelled filter can be read, put right and deleted, but not run", async () => {
  const client = await directory();
  const [right, wrong] = [{ person: { title: ["CTO"] } }, { person: { titel: ["CTO"] } }];
  const save = async () => {
    const made = await client.post<SavedSearchView>(`${api}/searches`, { name: "Old", filters: right });
    return `${api}/searches/${succeeded(made).data.id}`;
  };
  const [path, other] = [await save(), await save()];
  using database = new Database(join(service.dataDir, "outreachd.db"));
  database.run("UPDATE saved_searches SET filters = ? WHERE name = 'Old'", [JSON.stringify(wrong)]);
  expect((await client.get(path)).data).toMatchObject({ name: "Old", filters: wrong });
  expect((await client.get(`${api}/searches`)).data).toMatchObject({ total: 2, searches: [{ filters: wrong }, {}] });
  for (const dryRun of [true, false])
    expect(await client.post(`${path}/run`, { dryRun })).toMatchObject({
      status: 400,
      code: "VALIDATION_ERROR",
      details: { errors: [{ path: "filters.person.titel" }] },
    });
  expect((await client.put(path, { name: "Still old" })).data).toMatchObject({ name: "Still old", filters: wrong });
  expect((await client.put(path, { filters: right })).data).toMatchObject({ filters: right });
  expect((await client.post(`${path}/run`)).data).toMatchObject({ total: 1, creditsUsed: 1 });
  expect((await client.delete(other)).status).toBe(200);
});

test("the largest lists that are taken are answered soon", async () => {
  const client = await directory();
  const many = Array.from({ length: 1000 }, (_, n) => `Value ${n}`);
  const filters = {
    company: { industry: [...many.slice(1), "Software"], size: many, location: [...many.slice(1), "UK"] },
    person: { title: many, seniority: many, department: many },
    technology: { using: many, notUsing: many },
  };
  expect(await names(client, filters)).toEqual([]);
  expect(
    await names(client, { company: { industry: filters.company.industry, location: filters.company.location } }),
  ).toEqual(["Ada"]);
});

test("pages cover every prospect once, in the same order, and end at the total", async () => {
  const client = await service.user();
  const rows = Array.from({ length: 230 }, (_, n) => `p${n}@example.com,${n % 3 === 0 ? "CEO" : ""}`);
  await imported(client, `Email,Title\n${rows.join("\n")}\n`);
  const whole: string[] = [];
  for (let offset = 0; ; offset += 100) {
    const { prospects, total } = await searched(client, {}, { limit: 100, offset });
    expect(total).toBe(230);
    if (prospects.length === 0) break;
    whole.push(...prospects.map(({ id }) => id));
  }
  expect(new Set(whole).size).toBe(230);
  const { prospects: some } = await searched(client, {}, { limit: 7, offset: 150 });
  expect(some.map(({ id }) => id)).toEqual(whole.slice(150, 157));
  expect(await searched(client, {}, { offset: 2 ** 32 })).toMatchObject({ prospects: [], total: 230, creditsUsed: 0 });
});

test("a search costs a credit for each prospect returned; a dry run tells so before, for nothing", async () => {
  const client = await directory();
  const before = (await searched(client, { company: { industry: ["none"] } })).remainingCredits;
  expect(before).toBe(100_000);
  const foretold = await searched(client, { company: { industry: ["Software"] } }, { dryRun: true });
  expect(foretold).toMatchObject({
    prospects: [],
    total: 2,
    creditsUsed: 0,
    creditsRequired: 2,
    remainingCredits: before,
  });
  const real = await searched(client, { company: { industry: ["Software"] } });
  expect(real).toMatchObject({ total: 2, creditsUsed: 2, creditsRequired: 2, remainingCredits: before - 2 });
});

test("who was paid for is shown again for nothing", async () => {
  const client = await directory();
  await searched(client, { company: { industry: ["Software"] } });
  expect(await searched(client, {}, { dryRun: true })).toMatchObject({ total: 4, creditsRequired: 2 });
  expect(await searched(client, {})).toMatchObject({ creditsUsed: 2, remainingCredits: 100_000 - 4 });
  expect(await searched(client, {})).toMatchObject({ creditsUsed: 0, remainingCredits: 100_000 - 4 });
});

test("without enough credits nothing is shown, and the refusal tells what is missing", async () => {
  await using poor = await startService({ settings: { DEFAULT_CREDITS: 1 } });
  const client = await poor.user();
  const started = await client.post<JobView>(`${api}/import`, people, { headers: { "content-type": "text/csv" } });
  await poor.ended(client, started.data.id);
  expect(await client.post(`${api}/search`, {})).toMatchObject({
    status: 402,
    code: "ENRICHMENT_CREDITS_EXHAUSTED",
    details: { remaining: 1, required: 4, upgradeUrl: expect.any(String) },
  });
  expect(await client.post(`${api}/search`, { limit: 1 })).toMatchObject({
    status: 200,
    data: { creditsUsed: 1, remainingCredits: 0 },
  });
  const next = { limit: 1, offset: 1 };
  expect(await client.post(`${api}/search`, next)).toMatchObject({ status: 402 });
  expect(await client.post(`${api}/search`, { ...next, dryRun: true })).toMatchObject({
    status: 200,
    data: { total: 4, creditsRequired: 1 },
  });
});

test("facets list values with exact counts, of all or of those who fit", async () => {
  const client = await directory();
  const of = async (facet: string, query: Record<string, string | number> = {}) =>
    succeeded(await client.get<Facets>(`${api}/facets`, { query: { facet, ...query } })).data.facets[0]!.values;
  expect(await of("industry")).toEqual([
    { value: "Software", count: 2 },
    { value: "Computer Hardware", count: 1 },
    { value: "Government", count: 1 },
  ]);
  expect(await of("location", { q: "uni" })).toEqual([
    { value: "United Kingdom", count: 2 },
    { value: "United States", count: 2 },
  ]);
  expect(await of("size", { limit: 1 })).toEqual([{ value: "11-50", count: 1 }]);
  expect(await of("industry", { q: "hard" })).toEqual([{ value: "Computer Hardware", count: 1 }]);
  const filters = { company: { location: ["United States"] } };
  const narrowed = await client.post<Facets>(`${api}/facets`, { facet: "technology", filters });
  expect(narrowed.data.facets[0]!.values).toEqual([
    { value: "C++", count: 1 },
    { value: "HubSpot", count: 1 },
    { value: "Node.js", count: 1 },
  ]);
  expect(await client.get(`${api}/facets`, { query: { facet: "mood" } })).toMatchObject({
    status: 400,
    code: "VALIDATION_ERROR",
  });
});

test("columns for city, state and country say which of two places of a name is meant", async () => {
  const client = await service.user();
  const file = `Email,City,State,Country
ann@places.example,Toronto,ON,CA
bob@places.example,Oakland,CA,US
cem@places.example,Alwar,,IN
dee@places.example,Muncie,IN,
eva@places.example,,DE,
fay@places.example,Tuttlingen,,DE
gia@places.example,Gldani,,Georgia
hal@places.example,Macon,Georgia,United States
ivy@places.example,New York,,US
jo@places.example,,NY,US
`;
  expect(await imported(client, file)).toMatchObject({ metadata: { created: 10, failed: 0 } });
  const found: [string, string][] = [
    ["Canada", "ann"],
    ["California", "bob"],
    ["CA", "bob"],
    ["India", "cem"],
    ["Indiana", "dee"],
    ["Delaware", "eva"],
    ["Germany", "fay"],
    ["Georgia (country)", "gia"],
    ["Georgia", "hal"],
    ["New York", "ivy jo"],
    ["New York City", "ivy"],
    ["San Francisco Bay Area", "bob"],
    ["United States", "bob dee eva hal ivy jo"],
  ];
  for (const [place, people] of found) {
    const { prospects } = await searched(client, { company: { location: [place] } });
    expect([place, prospects.map(({ email }) => String(email).split("@", 1).join("")).toSorted()]).toEqual([
      place,
      people.split(" "),
    ]);
  }
  const listed = succeeded(await client.get<Facets>(`${api}/facets`, { query: { facet: "location", limit: 100 } }));
  for (const { value, count } of listed.data.facets[0]!.values)
    expect([value, (await searched(client, { company: { location: [value] } })).total]).toEqual([value, count]);
});

test("every value that a facet lists finds as many prospects as it counts", async () => {
  const client = await directory();
  // Of 100 billion and more, which has no upper end; and of less than a million.
  const ends = "Email,Company,Annual Revenue\nrich@example.com,Rich,200B\nnew@example.com,New,900k\n";
  expect(await imported(client, ends)).toMatchObject({ metadata: { created: 2 } });
  const places: Record<string, (value: string, one: FacetValue) => object> = {
    revenue: (_, { min, max }) => ({ company: { revenue: { min, max } } }),
    industry: (value) => ({ company: { industry: [value] } }),
    size: (value) => ({ company: { size: [value] } }),
    location: (value) => ({ company: { location: [value] } }),
    title: (value) => ({ person: { title: [value] } }),
    seniority: (value) => ({ person: { seniority: [value] } }),
    department: (value) => ({ person: { department: [value] } }),
    technology: (value) => ({ technology: { using: [value] } }),
  };
  const { data } = await client.get<Facets>(`${api}/facets`);
  expect(data.facets).toHaveLength(8);
  for (const { facet, values } of data.facets) {
    expect(values.length).toBeGreaterThan(1);
    for (const one of values) {
      const { value, count } = one;
      expect([facet, value, (await searched(client, places[facet]!(value, one))).total]).toEqual([facet, value, count]);
      expect(["min" in one, "max" in one]).toEqual([facet === "revenue", facet === "revenue"]);
    }
  }
  const revenue = data.facets.find(({ facet }) => facet === "revenue")!.values;
  expect(revenue).toContainEqual({ value: "100B+", count: 1, min: 1e11, max: null });
  expect(revenue).toContainEqual({ value: "0-1M", count: 1, min: 0, max: 1e6 });
  expect(revenue).toContainEqual({ value: "2M-5M", count: 1, min: 2e6, max: 5e6 });
});

test("the same person in a second file is one prospect that knows more", async () => {
  const client = await directory();
  const more = `Email,LinkedIn URL,First Name,Last Name,Company,Phone,Technologies,Title
ADA@engines.example,,,,,+44 20 1234,Kafka,CTO
,http://uk.network.example/in/grace?trk=1,,,,,,SVP Engineering
,,joan,CLARKE,bletchley park,,,Director
new@example.com,,,,,,,
ada@engines.example,,,,,+44 20 1234,Kafka,CTO
`;
  const job = await imported(client, more);
  expect(job.metadata).toMatchObject({ rows: 5, created: 1, updated: 3, skipped: 1, failed: 0 });
  expect(await names(client, { technology: { using: ["kafka"] } })).toEqual(["Ada"]);
  expect(await names(client, { technology: { using: ["Salesforce"] } })).toEqual(["Ada"]);
  expect(await names(client, { person: { title: ["Director"] } })).toEqual(["Joan"]);
  expect(await names(client, { person: { title: ["Manager"] } })).toEqual([]);
  expect((await searched(client, {})).total).toBe(5);
  const { data } = await client.get<{ rows: object[] }>(`${api}/import/${job.id}/report`);
  expect(data.rows).toEqual([
    { row: 2, outcome: "updated", prospectId: expect.stringMatching(/^prs_/), errors: [] },
    { row: 3, outcome: "updated", prospectId: expect.stringMatching(/^prs_/), errors: [] },
    { row: 4, outcome: "updated", prospectId: expect.stringMatching(/^prs_/), errors: [] },
    { row: 6, outcome: "skipped", prospectId: expect.stringMatching(/^prs_/), errors: [] },
  ]);
  expect((await imported(client, more, { onDuplicate: "skip" })).metadata).toMatchObject({
    created: 0,
    updated: 0,
    skipped: 5,
  });
});

test("what a file says of companies goes to their people, those of before and those who come later", async () => {
  const client = await service.user();
  await imported(client, "Email,Company,Website\neve@acme.example,Acme Inc.,https://www.acme.example/about\n");
  const companies = `Company Name,Website,Industry,Employees,Revenue,Headquarters,Technologies
"ACME, Inc.",acme.example,Robotics,1200,$1M-$5M,"Oslo, Norway","Kafka;Go"
Globex,,Energy,20,,,
`;
  const job = await imported(client, companies);
  expect(job.metadata).toMatchObject({ rows: 2, created: 2, companies: 2, failed: 0 });
  await imported(client, "Email,Company,Industry\nmax@globex.example,globex,\numa@globex.example,Globex,Water\n");
  const emails = async (filters: object) => (await searched(client, filters)).prospects.map(({ email }) => email);
  expect(
    await emails({
      company: { industry: ["Robotics"], size: ["1001-5000"], location: ["Norway"] },
      technology: { using: ["go"] },
    }),
  ).toEqual(["eve@acme.example"]);
  expect(await emails({ company: { size: ["11-50"] } })).toEqual(["max@globex.example", "uma@globex.example"]);
  expect(await emails({ company: { industry: ["Energy"] } })).toEqual(["max@globex.example"]);
  expect((await imported(client, companies)).metadata).toMatchObject({ created: 0, skipped: 2 });
});

test("a file of companies reaches their people on subdomains, whichever of the two comes first", async () => {
  const senators = `First Name,Last Name,Job Title,Company,Website
Maria,Cantwell,Senator,United States Senate,https://www.cantwell.senate.gov
Amy,Klobuchar,Senator,US Senate,https://www.klobuchar.senate.gov
Ada,Lovelace,Owner,Lovelace,https://ada.github.io
`;
  const chambers = `Company,Website,Industry
United States Senate,senate.gov,Government
GitHub,github.io,Software
`;
  const byName = ["Company,Industry\nUnited States Senate,Government\n", ["Maria"]] as const;
  const byDomain = ["Website,Industry\nhttps://senate.gov,Government\n", ["Amy", "Maria"]] as const;
  for (const [companies, found] of [[chambers, ["Amy", "Maria"]] as const, byName, byDomain])
    for (const files of [
      [senators, companies],
      [companies, senators],
    ]) {
      const client = await service.user();
      for (const file of files) expect((await imported(client, file)).metadata).toMatchObject({ failed: 0 });
      expect(await names(client, { company: { industry: ["Government"] } })).toEqual([...found]);
      expect(await names(client, { company: { industry: ["Software"] } })).toEqual([]);
    }
});

test("NDJSON is read as well, with lists, numbers and objects inside", async () => {
  const client = await service.user();
  const lines = [
    {
      email: "a@example.com",
      title: "Head of Sales",
      company: { name: "Nested", industry: "Retail", size: 300 },
      technologies: ["A, B", "C"],
    },
    { email: "b@example.com", revenue: { min: 3_000_000, max: 6_000_000 }, companySize: "11-50" },
    { company: "Only", domain: "only.example", revenue: 7_000_000 },
    { email: "c@example.com", phone: ["1", "2"] },
    5,
  ].map((line) => JSON.stringify(line));
  const job = await imported(client, [...lines, "{broken", ""].join("\n"), {}, "application/x-ndjson");
  expect(job).toMatchObject({ status: "completed", metadata: { rows: 6, created: 4, companies: 1, failed: 2 } });
  expect((await searched(client, { technology: { using: ["a, b"] } })).prospects).toMatchObject([
    { email: "a@example.com", industry: "Retail", companySize: "201-500" },
  ]);
  expect((await searched(client, { company: { revenue: { min: 5_000_000 } } })).prospects).toMatchObject([
    { email: "b@example.com", revenue: { min: 2_000_000, max: 10_000_000 } },
  ]);
  const { data } = await client.get<{ rows: { row: number; errors: object[] }[] }>(`${api}/import/${job.id}/report`, {
    query: { outcome: "failed" },
  });
  expect(data.rows.map(({ row }) => row)).toEqual([5, 6]);
  expect((await searched(client, {})).prospects).toContainEqual(
    expect.objectContaining({ email: "c@example.com", phone: "1" }),
  );
});

test("columns that are not understood are named by the job of an import and of its dry run", async () => {
  const client = await service.user();
  const csv = "Email,Shoe Size,Hat,Pet,,Title\nada@example.com,38,M,Cat,,CTO\n";
  for (const dryRun of ["true", "false"]) {
    const job = await imported(client, csv, { dryRun, columns: JSON.stringify({ Pet: "ignore" }) });
    expect(job).toMatchObject({ status: "completed", metadata: { created: 1, ignoredColumns: ["Shoe Size", "Hat"] } });
    expect(job.message).toEndWith("Unrecognized columns: Shoe Size, Hat");
  }
  const lines = [
    '{"email":"b@example.com","hat":1}',
    '{"email":"c@example.com","experience":[],"pet":{"name":"Tom"}}',
  ].join("\n");
  const job = await imported(client, lines, {}, "application/x-ndjson");
  expect(job.metadata["ignoredColumns"]).toEqual(["hat", "pet.name"]);
  const known = await imported(client, "Email,Title\nd@example.com,CTO\n");
  expect(known.metadata).not.toHaveProperty("ignoredColumns");
});

test("people with a full name and a company are people, and their revenue is what the file says", async () => {
  const client = await service.user();
  const csv =
    "Full Name,Company,LinkedIn URL,Revenue,Level,Technologies\n" +
    "Ada Lovelace,Engines Ltd,https://network.example/in/ada,$1.250M,VP-Level,\"['E', 'F']\"\n";
  const job = await imported(client, csv);
  expect(job).toMatchObject({ metadata: { created: 1, companies: 0, failed: 0 } });
  const filters = { person: { seniority: ["VP"] }, technology: { usingAll: ["E", "F"] } };
  expect((await searched(client, filters)).prospects).toMatchObject([
    { firstName: "Ada", lastName: "Lovelace", company: "Engines Ltd", revenue: { min: 1_000_000, max: 2_000_000 } },
  ]);
});

test("a full name of one word beside a company is a person, who becomes a lead; a company's name is none", async () => {
  const client = await service.user();
  const rows = ["Name,Company,Title", "山田太郎,ソニー,CEO", "高圆圆,百度,CTO", "Suharto,Jakarta,President", "Acme,Acme Inc.,", "N/A,Acme,"];
  expect(await imported(client, rows.join("\n"))).toMatchObject({ metadata: { created: 3, failed: 2 } });
  expect(await imported(client, rows.join("\n"))).toMatchObject({ metadata: { created: 0, failed: 2 } });
  const { prospects } = await searched(client, {});
  const named = new Map(prospects.map((one) => [one.firstName, one]));
  expect([...named].map(([first, { lastName }]) => [first, lastName])).toEqual([
    ["太郎", "山田"], ["高圆圆", null], ["Suharto", null],
  ]);
  for (const first of ["太郎", "高圆圆"]) {
    const { id, lastName } = named.get(first)!;
    const { lead } = succeeded(await client.post<{ lead: LeadView }>(`${api}/prospects/${id}/lead`, {})).data;
    expect(lead).toMatchObject({ firstName: first, lastName });
    const lookUp = { leads: [{ firstName: first, ...(lastName !== null && { lastName }), company: lead.company }] };
    expect(succeeded(await client.post<object>("/api/v2/enrich", lookUp)).status).toBe(200);
  }
}); // prettier-ignore

test("a Japanese, a Chinese and a Korean list are read in their usual encodings", async () => {
  const client = await service.user();
  for (const [name, file] of Object.entries(eastAsianLists)) {
    const job = await imported(client, Buffer.from(file, "base64") as unknown as string);
    expect([name, job.metadata]).toMatchObject([name, { encoding: name, created: 2, failed: 0 }]);
  }
  expect(await names(client, {})).toEqual(["さくら", "太郎", "娜娜", "小明", "민", "민수"].toSorted());
});

test("the report tells which rows became which new prospects", async () => {
  const client = await service.user();
  await imported(client, "Email,First Name\nknown@example.com,K\n");
  const rowOf = new Map<string, number>();
  const rows = ["Email,First Name,Company"];
  for (let n = 0; n < 300; n++) {
    if (n % 50 === 20) rows.push(""); // has a number too
    rowOf.set(`p${n}@example.com`, rows.length + 1);
    rows.push(n % 7 === 3 ? "known@example.com,K," : `p${n}@example.com,P${n},Acme`);
  }
  const job = await imported(client, [...rows, "nonsense,X,"].join("\n"));
  type Line = { row: number; outcome: string; prospectId: string };
  type Report = { rows: Line[]; total: number; nextRow: number | null };
  const report = async (of: Client, query: object) =>
    succeeded(await of.get<Report>(`${api}/import/${job.id}/report`, { query: { outcome: "created", ...query } })).data;
  const created: Line[] = [];
  for (let afterRow: number | null = 0; afterRow !== null;) {
    const page: Report = await report(client, { afterRow, limit: 40 });
    expect(page.total).toBe(257);
    created.push(...page.rows);
    afterRow = page.nextRow;
  }
  expect(created).toHaveLength(257);
  expect(created.map(({ row }) => row)).toEqual(created.map(({ row }) => row).toSorted((a, b) => a - b));
  for (const { row, outcome, prospectId } of [created[0]!, created[5]!, created[150]!, created.at(-1)!]) {
    const { data } = succeeded(await client.get<{ email: string }>(`/api/v2/prospecting/prospects/${prospectId}`));
    expect([outcome, rowOf.get(data.email)]).toEqual(["created", row]);
  }
  succeeded(await client.delete(`/api/v2/prospecting/prospects/${created.at(-1)!.prospectId}`));
  const left = await report(client, { afterRow: created.at(-3)!.row });
  expect(left).toMatchObject({ total: 256, rows: [{ prospectId: created.at(-2)!.prospectId }] });
  const stranger = await service.user();
  expect((await stranger.get(`${api}/import/${job.id}/report`, { query: { outcome: "created" } })).status).toBe(404);
});

test("broken rows are reported and the others stored", async () => {
  const client = await service.user();
  const rows = `Email,First Name,Title
good@example.com,A,CEO
not an address,B,CEO
,C,CEO
"unclosed,D,CEO
long@example.com,${"x".repeat(201)},CEO
a@example.com,E,CEO,more,cells
bell\u0007@example.com,F,CEO
`;
  const job = await imported(client, rows);
  expect(job).toMatchObject({ status: "completed", metadata: { rows: 7, created: 2, failed: 5 } });
  const { data } = await client.get<{ rows: { row: number; errors: { path: string }[] }[] }>(
    `${api}/import/${job.id}/report`,
  );
  expect(data.rows.map(({ row, errors }) => [row, errors[0]?.path])).toEqual([
    [3, "email"],
    [4, ""],
    [5, ""],
    [6, "firstName"],
    [7, ""],
  ]);
});

test.each([
  ["", 400, "empty"],
  ["Colour,Shape\nred,round\n", 202, "No header line"],
  ["\u0000\u0001\u0002\u0003".repeat(50), 202, "not text"],
  ["<!doctype html><table></table>", 202, "web page"],
  ['[{"email":"a@example.com"}]', 202, "JSON array"],
])("a file that is no list of prospects fails with the reason (%#)", async (content, status, reason) => {
  const client = await service.user();
  const answer = await client.post<JobView>(`${api}/import`, content, { headers: { "content-type": "text/plain" } });
  expect(answer.status).toBe(status);
  const message = status === 202 ? (await service.ended(client, answer.data.id)).message : answer.message;
  expect(message).toContain(reason);
});

test("files in other encodings are understood, and bytes that mean nothing are reported", async () => {
  const client = await service.user();
  const latin = Buffer.from("Email;Vorname;Nachname;Firma\nm@example.com;Jürgen;Größe;Müller\n", "latin1");
  const wide = Buffer.from("\ufeffEmail\tCompany\nw@example.com\tŁódź\n", "utf16le");
  const broken = Buffer.concat([
    Buffer.from(`Email,Company\n${"x@example.com,Firma ü\n".repeat(4000)}bad@example.com,`),
    Buffer.from([0xff, 0xfe, 0x0a]),
  ]);
  for (const [body, created, failed] of [
    [latin, 1, 0],
    [wide, 1, 0],
    [broken, 1, 1],
  ] as const) {
    const started = await client.post<JobView>(`${api}/import`, new Uint8Array(body), {
      headers: { "content-type": "text/csv" },
    });
    expect((await service.ended(client, started.data.id)).metadata).toMatchObject({ created, failed });
  }
  const { prospects } = await searched(client, {}, { limit: 10 });
  expect(prospects.map(({ company }) => company ?? "").toSorted()).toEqual(["Firma ü", "Müller", "Łódź"]);
});

test("a dry run foresees what the import then does, row by row, and stores nothing", async () => {
  const header = "First Name,Last Name,Email,LinkedIn URL,Company,Website,Industry,# Employees";
  const file = `${header}
Ada,Lovelace,ada@engines.example,,Analytical Engines,,Mathematics,
Ann,New,ann@new.example,,New Works,,,
Ann,New,ANN@new.example,https://network.example/in/ann,New Works,,,
,,,https://network.example/in/ann,New Works,,,
No,Body,broken,,,,,
,,,,New Works,new.example,Shipping,20
,,,,New Works,new.example,Shipping,20
,,,,New Works,new.example,Shipping,30
Bob,Next,bob@new.example,,New Works,,,
Bob,Next,bob@new.example,,New Works,,Shipping,
Zoe,,zoe@z.example,,,,,
,,,https://network.example/in/zoe,,,Toys,
,,zoe@z.example,https://network.example/in/zoe,,,,
Zoe,,zoe@z.example,https://network.example/in/zoe,,,Toys,
Zoe,,zoe@z.example,https://network.example/in/zoe,,,Toys,
,,ada@engines.example,https://network.example/in/zoe,,,,
,,joan@park.example,https://network.example/in/bridge,,,,
`;
  type Line = { row: number; outcome: string; prospectId: string | null };
  // Where rows are skipped, the profile of the third row is news again in the fourth.
  for (const [onDuplicate, created] of [
    ["update", 5],
    ["skip", 6],
  ] as const) {
    const client = await directory();
    const counts = async (dryRun: boolean) => {
      const { message, metadata, id } = await imported(client, file, { onDuplicate, dryRun: String(dryRun) });
      const { rows, created, updated, skipped, failed, companies } = metadata;
      expect(message.includes("nothing was stored")).toBe(dryRun);
      const report = succeeded(await client.get<{ rows: Line[] }>(`${api}/import/${id}/report`)).data.rows;
      const lines = report.map(({ row, outcome }) => [row, outcome]);
      return { rows, created, updated, skipped, failed, companies, lines, known: report[0]?.prospectId };
    };
    const foretold = await counts(true);
    expect((await searched(client, {}, { dryRun: true })).total).toBe(4);
    expect(foretold).toMatchObject({ rows: 17, created, failed: 1, companies: 3 });
    expect(await counts(false)).toEqual(foretold);
  }
});

test("a column that is named by hand, but not in the file, is refused with those that are", async () => {
  const client = await service.user();
  const file = "Email,Company Name\na@example.com,Werk\n";
  const of = (targets: object) => imported(client, file, { columns: JSON.stringify(targets) });
  expect(await of({ Nope: "company", "Compny Name": "company" })).toMatchObject({
    status: "failed",
    message: expect.stringContaining(
      "The file has no column called Nope, Compny Name. It has: Email, Company Name. Did you mean Company Name?",
    ),
    metadata: { reason: "badColumns", unknown: ["Nope", "Compny Name"], headers: ["Email", "Company Name"] },
  });
  expect((await searched(client, {}, { dryRun: true })).total).toBe(0);
  expect(await of({ "company-name": "company" })).toMatchObject({ status: "completed", metadata: { created: 1 } });
});

test("columns can be named by hand; a wrong target is refused", async () => {
  const client = await service.user();
  const file = "Adresse,Betrieb,Kopfzahl\na@example.com,Werk,300\n";
  const columns = (targets: object) => ({ columns: JSON.stringify(targets) });
  const job = await imported(client, file, columns({ Adresse: "email", Betrieb: "company", Kopfzahl: "companySize" }));
  expect(job.metadata).toMatchObject({ created: 1 });
  expect((await searched(client, { company: { size: ["201-500"] } })).total).toBe(1);
  expect(await imported(client, file, columns({ Adresse: "spaceship" }))).toMatchObject({
    status: "failed",
    metadata: { reason: "badColumns" },
  });
  expect(
    await client.post(`${api}/import`, file, { query: { columns: "{" }, headers: { "content-type": "text/csv" } }),
  ).toMatchObject({ status: 400 });
  expect(await client.post(`${api}/import`, file, { headers: { "content-type": "image/png" } })).toMatchObject({
    status: 415,
  });
});

test("a found prospect becomes a lead in one call, and only once", async () => {
  const client = await directory();
  const [ada] = (await searched(client, { person: { title: ["CTO"] } })).prospects;
  const path = `${api}/prospects/${ada!.id}/lead`;
  type Made = { lead: LeadView; isNew: boolean };
  const made = succeeded(await client.post<Made>(path, { tags: ["spring"] })).data;
  expect(made).toMatchObject({
    isNew: true,
    lead: {
      email: "ada@engines.example",
      title: "CTO",
      status: "new",
      source: "prospecting",
      tags: ["spring"],
      location: "London, UK",
    },
  });
  const again = await Promise.all([client.post<Made>(path), client.post<Made>(path)]);
  for (const { data } of again) expect(data).toMatchObject({ isNew: false, lead: { id: made.lead.id } });
  expect((await client.get<ProspectView>(`${api}/prospects/${ada!.id}`)).data.leadId).toBe(made.lead.id);
  await client.delete(`/api/v2/leads/${made.lead.id}`);
  expect((await client.post<Made>(path)).data).toMatchObject({ isNew: true });
});

test("after a change of the job neither a search nor a lead has the address and the phone of the old one", async () => {
  const client = await directory();
  const header = "First Name,Last Name,Email,Phone,LinkedIn URL,Company,Title\n";
  const url = "https://network.example/in/ka";
  await imported(client, `${header}Ka,Li,ka@acme.example,+44 20 7946 0018,${url},Acme,Stoker\n`);
  const [before] = (await searched(client, { person: { title: ["Stoker"] } })).prospects;
  await imported(client, `${header}Ka,Li,,,${url},Globex,Glazier\n`);
  const [ka] = (await searched(client, { person: { title: ["Glazier"] } })).prospects;
  expect(ka).toMatchObject({ id: before!.id, company: "Globex", email: null, phone: null });
  const path = `${api}/prospects/${ka!.id}`;
  const made = succeeded(await client.post<{ lead: LeadView }>(`${path}/lead`)).data;
  expect(made.lead).toMatchObject({ firstName: "Ka", company: "Globex", email: null, phone: null });
  const shown = [ka, (await client.get<ProspectView>(path)).data, made];
  expect(JSON.stringify(shown)).not.toContain("acme.example");
  // The lead is the user's own, and stays as it is made.
  await imported(client, `${header}Ka,Li,ka@globex.example,,${url},Globex,Glazier\n`);
  expect(succeeded(await client.get<LeadView>(`/api/v2/leads/${made.lead.id}`)).data.email).toBeNull();
});

test("a prospect who is a lead already answers that lead", async () => {
  const client = await directory();
  const lead = await client.post<LeadView>("/api/v2/leads", { email: "Grace@navy.example" });
  const [grace] = (await searched(client, { company: { location: ["Texas"] } })).prospects;
  expect(await client.post(`${api}/prospects/${grace!.id}/lead`)).toMatchObject({
    data: { isNew: false, lead: { id: lead.data.id } },
  });
});

test("a deleted prospect is gone from searches, counts and facets", async () => {
  const client = await directory();
  const [ada] = (await searched(client, { person: { title: ["CTO"] } })).prospects;
  expect((await client.delete(`${api}/prospects/${ada!.id}`)).status).toBe(200);
  expect(await client.delete(`${api}/prospects/${ada!.id}`)).toMatchObject({ status: 404, code: "NOT_FOUND" });
  expect(await names(client, {})).toEqual(["Grace", "Joan", "Linus"]);
  expect(await names(client, { company: { industry: ["Software"] } })).toEqual(["Grace"]);
  const { data } = await client.get<Facets>(`${api}/facets`, { query: { facet: "industry", q: "soft" } });
  expect(data.facets[0]!.values).toEqual([{ value: "Software", count: 1 }]);
  expect((await imported(client, people)).metadata).toMatchObject({ created: 1, skipped: 3 });
});

test("nobody sees, changes or counts the prospects of another user", async () => {
  const [ada, bob] = [await directory(), await directory()];
  const [hers] = (await searched(ada, { person: { title: ["CTO"] } })).prospects;
  for (const path of [
    `${api}/prospects/${hers!.id}`,
    `${api}/prospects/prs_0000000000000000`,
    `${api}/prospects/nonsense`,
  ]) {
    expect(await bob.get(path)).toMatchObject({ status: 404, code: "NOT_FOUND" });
    expect(await bob.delete(path)).toMatchObject({ status: 404, code: "NOT_FOUND" });
    expect(await bob.post(`${path}/lead`)).toMatchObject({ status: 404, code: "NOT_FOUND" });
  }
  expect((await searched(ada, {})).total).toBe(4);
  expect((await searched(await service.user(), {})).total).toBe(0);
});

test("saved searches are kept, changed, run and deleted", async () => {
  const client = await directory();
  const filters = { company: { industry: ["Software"] } };
  const saved = succeeded(await client.post<SavedSearchView>(`${api}/searches`, { name: "Software", filters })).data;
  expect(saved).toMatchObject({ name: "Software", source: "directory", filters });
  const path = `${api}/searches/${saved.id}`;
  expect((await client.get(path)).data).toEqual(saved);
  expect((await client.post(`${path}/run`, { limit: 1 })).data).toMatchObject({ total: 2, creditsUsed: 1, limit: 1 });
  const changed = await client.put(path, {
    name: "Hardware",
    filters: { company: { industry: ["Computer Hardware"] } },
  });
  expect(changed.data).toMatchObject({ id: saved.id, name: "Hardware" });
  expect((await client.post(`${path}/run`)).data).toMatchObject({ total: 1, prospects: [{ firstName: "Linus" }] });
  expect((await client.get(`${api}/searches`)).data).toMatchObject({ total: 1, searches: [{ name: "Hardware" }] });
  const other = await service.user();
  for (const answer of [
    await other.get(path),
    await other.put(path, { name: "x" }),
    await other.delete(path),
    await other.post(`${path}/run`),
  ])
    expect(answer).toMatchObject({ status: 404, code: "NOT_FOUND" });
  expect((await client.put(path, { filters: { company: { revenue: { min: 2, max: 1 } } } })).status).toBe(400);
  expect((await client.delete(path)).status).toBe(200);
  expect((await client.get(path)).status).toBe(404);
});

test("searches find the same after a restart, which goes on where the index was", async () => {
  await using own = await startService();
  const client = await own.user();
  const load = async (body: string) => {
    const { data } = await client.post<JobView>(`${api}/import`, body, { headers: { "content-type": "text/csv" } });
    return own.ended(client, data.id);
  };
  const total = async (filters: object = {}) =>
    succeeded(await client.post<Found>(`${api}/search`, { filters, dryRun: true })).data.total;
  await load(people);
  await own.restart();
  expect(await total({ company: { industry: ["Software"] } })).toBe(2);
  await load("Email,Industry\nnew@example.com,Software\n");
  expect(await total({ company: { industry: ["Software"] } })).toBe(3);
  await own.restart();
  expect(await total({ company: { industry: ["Software"] } })).toBe(3);
  expect((await load(people)).metadata).toMatchObject({ created: 0, skipped: 4 });
});

test("searches and imports at once: every answer is a whole one", async () => {
  const client = await service.user();
  const files = Array.from({ length: 3 }, (_, file) =>
    ["Email,Industry", ...Array.from({ length: 1500 }, (_, n) => `p${n + file * 1000}@example.com,Software`)].join(
      "\n",
    ),
  );
  const jobs: Promise<JobView>[] = files.map((file) => imported(client, file));
  let last = 0;
  const search = async (): Promise<Answer<Found>> =>
    client.post<Found>(`${api}/search`, { filters: { company: { industry: ["Software"] } }, limit: 1 });
  for (let n = 0; n < 30; n++) {
    const { data } = succeeded(await search());
    expect(data.total).toBeGreaterThanOrEqual(last);
    last = data.total;
  }
  await Promise.all(jobs);
  expect((await search()).data.total).toBe(3500);
});
