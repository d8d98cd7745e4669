import { afterAll, expect, test } from "bun:test";
import { startService, succeeded } from "../support/service.ts";
import { api, imported, searched, names, directory } from "../support/prospecting-api.ts";

const service = await startService({ settings: { DEFAULT_CREDITS: 100_000 } });

afterAll(() => service[Symbol.asyncDispose]());

test("people on the do-not-contact list are not shown by a search", async () => {
  const client = await directory(service);
  // Linus is listed by an address that only a lead ties to his profile.
  const linus = { email: "linus@home.example", networkUrl: "https://network.example/in/linus" };
  succeeded(await client.post("/api/v2/leads", linus));
  const values = ["ada@engines.example", "@navy.example", linus.email];
  succeeded(await client.post("/api/v2/suppressions", { values }));
  expect(await searched(client, {}, { dryRun: true })).toMatchObject({ total: 4, creditsRequired: 0 });
  const found = await searched(client, {});
  expect(found.prospects.map(({ firstName }) => firstName)).toEqual(["Joan"]);
  expect(found).toMatchObject({ total: 4, creditsUsed: 0, creditsRequired: 0 });
});

test("a file of prospects can be searched by every filter of the specification", async () => {
  const client = await directory(service);
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
  const client = await directory(service);
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
  const client = await directory(service);
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

test("the largest lists that are taken are answered soon", async () => {
  const client = await directory(service);
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
  await imported(service, client, `Email,Title\n${rows.join("\n")}\n`);
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

test("people whom the workspace has imported are shown for nothing, by a search without credits too", async () => {
  const client = await directory(service);
  const foretold = await searched(client, { company: { industry: ["Software"] } }, { dryRun: true });
  const free = { total: 2, creditsUsed: 0, creditsRequired: 0, remainingCredits: 100_000 };
  expect(foretold).toMatchObject({ ...free, prospects: [] });
  expect(await searched(client, { company: { industry: ["Software"] } })).toMatchObject({
    ...free,
    prospects: [{}, {}],
  });
  await using poor = await startService({ settings: { DEFAULT_CREDITS: 0 } });
  expect(await searched(await directory(poor), {})).toMatchObject({ total: 4, creditsUsed: 0, remainingCredits: 0 });
});
