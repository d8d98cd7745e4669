import { afterAll, expect, test } from "bun:test";
import { startService, succeeded } from "../support/service.ts";
import { api, type FacetValue, type Facets, imported, searched, directory } from "../support/prospecting-api.ts";

const service = await startService({ settings: { DEFAULT_CREDITS: 100_000 } });

afterAll(() => service[Symbol.asyncDispose]());

test("facets list values with exact counts, of all or of those who fit", async () => {
  const client = await directory(service);
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
  expect(await imported(service, client, file)).toMatchObject({ metadata: { created: 10, failed: 0 } });
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

test("ranges and levels are in their own order, and titles are as most people write them", async () => {
  const client = await service.user();
  const file = `Email,Title,Company size,Seniority,Annual Revenue
a@x.example,VP Sales,11-50,vp,20M
b@x.example,"Vice President, Sales",10001+,vp,200M
c@x.example,"Vice President, Sales",1-10,vp,3M
d@x.example,AE,51-200,entry,3M
e@x.example,Account Executive,51-200,entry,3M
f@x.example,Account Executive,51-200,entry,3M
g@x.example,Owner,51-200,owner,3M
`;
  expect(await imported(service, client, file)).toMatchObject({ metadata: { created: 7, failed: 0 } });
  const of = async (facet: string, query: Record<string, string | number> = {}) => {
    const { data } = succeeded(await client.get<Facets>(`${api}/facets`, { query: { facet, ...query } }));
    return data.facets[0]!.values.map(({ value, count }) => `${value} ${count}`);
  };
  expect(await of("size")).toEqual(["1-10 1", "11-50 1", "51-200 4", "10001+ 1"]);
  expect(await of("revenue")).toEqual(["2M-5M 5", "20M-50M 1", "200M-500M 1"]);
  expect(await of("seniority")).toEqual(["owner 1", "vp 3", "entry 3"]);
  expect(await of("title")).toEqual(["Account Executive 3", "Vice President, Sales 3", "Owner 1"]);
  expect(await of("title", { limit: 1 })).toEqual(["Account Executive 3"]);
  for (const q of ["vice", "vice pres", "sal", "VP s", "vp"])
    expect([q, await of("title", { q })]).toEqual([q, ["Vice President, Sales 3"]]);
  for (const q of ["acc", "ae", "account ex"])
    expect([q, await of("title", { q })]).toEqual([q, ["Account Executive 3"]]);
  expect(await of("title", { q: "nurse" })).toEqual([]);
  const narrowed = await client.post<Facets>(`${api}/facets`, {
    facet: "title",
    filters: { company: { size: ["51-200"] } },
  });
  expect(narrowed.data.facets[0]!.values.map(({ value }) => value)).toEqual(["Account Executive", "Owner"]);
});

test("every value that a facet lists finds as many prospects as it counts", async () => {
  const client = await directory(service);
  // Of 100 billion and more, which has no upper end; and of less than a million.
  const ends = "Email,Company,Annual Revenue\nrich@example.com,Rich,200B\nnew@example.com,New,900k\n";
  expect(await imported(service, client, ends)).toMatchObject({ metadata: { created: 2 } });
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
