import { afterAll, expect, test } from "bun:test";
import type { SavedSearchView } from "../../src/features/prospecting/model.ts";
import { startService, succeeded } from "../support/service.ts";
import { api, searched, directory } from "../support/prospecting-api.ts";

const service = await startService({ settings: { DEFAULT_CREDITS: 100_000 } });

afterAll(() => service[Symbol.asyncDispose]());

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

const fieldsOfSearch = "filters, source, limit, offset, dryRun, userId.";

const fieldsOfSaved = "name, source, filters, userId.";

test.each(misspelled)(
  "filters %j are refused wherever they are taken, with the names that there are",
  async (...of) => {
    const [filters, path, known] = of;
    const client = await directory(service);
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
  const client = await directory(service);
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
  const client = await directory(service);
  const [right, wrong] = [{ person: { title: ["CTO"] } }, { person: { titel: ["CTO"] } }];
  const save = async () => {
    const made = await client.post<SavedSearchView>(`${api}/searches`, { name: "Old", filters: right });
    return `${api}/searches/${succeeded(made).data.id}`;
  };
  const [path, other] = [await save(), await save()];
  await using database = await service.openDatabase();
  await database.run(`UPDATE saved_searches SET filters = '${JSON.stringify(wrong)}' WHERE name = 'Old'`);
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
  expect((await client.post(`${path}/run`)).data).toMatchObject({ total: 1, creditsUsed: 0 });
  expect((await client.delete(other)).status).toBe(200);
});
