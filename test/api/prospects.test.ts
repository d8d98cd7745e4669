import { afterAll, expect, test } from "bun:test";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { LeadView } from "../../src/features/leads/model.ts";
import type { ProspectView, SavedSearchView } from "../../src/features/prospecting/model.ts";
import type { Answer } from "../support/client.ts";
import type { Found } from "../support/prospects.ts";
import { startService, succeeded } from "../support/service.ts";
import { api, type Facets, people, imported, searched, names, directory } from "../support/prospecting-api.ts";

const service = await startService({ settings: { DEFAULT_CREDITS: 100_000 } });

afterAll(() => service[Symbol.asyncDispose]());

test("a found prospect becomes a lead in one call, and only once", async () => {
  const client = await directory(service);
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
  const client = await directory(service);
  const header = "First Name,Last Name,Email,Phone,LinkedIn URL,Company,Title\n";
  const url = "https://network.example/in/ka";
  await imported(service, client, `${header}Ka,Li,ka@acme.example,+44 20 7946 0018,${url},Acme,Stoker\n`);
  const [before] = (await searched(client, { person: { title: ["Stoker"] } })).prospects;
  await imported(service, client, `${header}Ka,Li,,,${url},Globex,Glazier\n`);
  const [ka] = (await searched(client, { person: { title: ["Glazier"] } })).prospects;
  expect(ka).toMatchObject({ id: before!.id, company: "Globex", email: null, phone: null });
  const path = `${api}/prospects/${ka!.id}`;
  const made = succeeded(await client.post<{ lead: LeadView }>(`${path}/lead`)).data;
  expect(made.lead).toMatchObject({ firstName: "Ka", company: "Globex", email: null, phone: null });
  const shown = [ka, (await client.get<ProspectView>(path)).data, made];
  expect(JSON.stringify(shown)).not.toContain("acme.example");
  // The lead is the user's own, and stays as it is made.
  await imported(service, client, `${header}Ka,Li,ka@globex.example,,${url},Globex,Glazier\n`);
  expect(succeeded(await client.get<LeadView>(`/api/v2/leads/${made.lead.id}`)).data.email).toBeNull();
});

test("a prospect who is a lead already answers that lead", async () => {
  const client = await directory(service);
  const lead = await client.post<LeadView>("/api/v2/leads", { email: "Grace@navy.example" });
  const [grace] = (await searched(client, { company: { location: ["Texas"] } })).prospects;
  expect(await client.post(`${api}/prospects/${grace!.id}/lead`)).toMatchObject({
    data: { isNew: false, lead: { id: lead.data.id } },
  });
});

test("a deleted prospect is gone from searches, counts and facets", async () => {
  const client = await directory(service);
  const [ada] = (await searched(client, { person: { title: ["CTO"] } })).prospects;
  expect((await client.delete(`${api}/prospects/${ada!.id}`)).status).toBe(200);
  expect(await client.delete(`${api}/prospects/${ada!.id}`)).toMatchObject({ status: 404, code: "NOT_FOUND" });
  expect(await names(client, {})).toEqual(["Grace", "Joan", "Linus"]);
  expect(await names(client, { company: { industry: ["Software"] } })).toEqual(["Grace"]);
  const { data } = await client.get<Facets>(`${api}/facets`, { query: { facet: "industry", q: "soft" } });
  expect(data.facets[0]!.values).toEqual([{ value: "Software", count: 1 }]);
  expect((await imported(service, client, people)).metadata).toMatchObject({ created: 1, skipped: 3 });
});

test("nobody sees, changes or counts the prospects of another user", async () => {
  const [ada, bob] = [await directory(service), await directory(service)];
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
  const client = await directory(service);
  const filters = { company: { industry: ["Software"] } };
  const saved = succeeded(await client.post<SavedSearchView>(`${api}/searches`, { name: "Software", filters })).data;
  expect(saved).toMatchObject({ name: "Software", source: "directory", filters });
  const path = `${api}/searches/${saved.id}`;
  expect((await client.get(path)).data).toEqual(saved);
  expect((await client.post(`${path}/run`, { limit: 1 })).data).toMatchObject({ total: 2, creditsUsed: 0, limit: 1 });
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
  const jobs: Promise<JobView>[] = files.map((file) => imported(service, client, file));
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
