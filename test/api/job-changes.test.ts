import { afterAll, expect, test } from "bun:test";
import type { EnrichAnswer } from "../../src/features/enrichment/model.ts";
import type { LeadInput, LeadView } from "../../src/features/leads/model.ts";
import type { Client } from "../support/client.ts";
import type { Found } from "../support/prospects.ts";
import { startService, succeeded } from "../support/service.ts";

const service = await startService({ settings: { ENRICHMENTS_PER_HOUR: 0, DEFAULT_CREDITS: 1000 } });
afterAll(() => service[Symbol.asyncDispose]());

const profile = "https://network.example/in/ada";
const ada = { email: "ada@old.example", networkUrl: profile };

/** Somebody with the directory that these files make, one after the other. */
async function withFiles(...files: string[]): Promise<Client> {
  const client = await service.user();
  for (const file of files) {
    const headers = { "content-type": "text/csv" };
    const started = await client.post<{ id: string }>("/api/v2/prospecting/import", file, { headers });
    expect(await service.ended(client, succeeded(started).data.id)).toMatchObject({ status: "completed" });
  }
  return client;
}

const atOldCo = `Name,Email,LinkedIn,Company,Phone\nAda Love,${ada.email},${profile},Old Co,+1 555 0100\n`;
const oldCo = "Company,Website,Industry\nOld Co,old.example,Coal\n";
const newCo = "Company,Website,Industry\nNew Co,new.example,Solar\n";
const moved = `LinkedIn,Company\n${profile},New Co\n`;
const colleague = "Name,Email,Company\nBob Left,bob@old.example,Old Co\nBo Left,bo@old.example,Old Co\n";

async function enriched(client: Client, lead: object) {
  const { enriched: found } = succeeded(await client.post<EnrichAnswer>("/api/v2/enrich", { leads: [lead] })).data;
  return found[0]!;
}

test.each([
  ["the address", { email: ada.email }],
  ["address and profile", ada],
  ["address, name and company of then", { ...ada, firstName: "Ada", lastName: "Love", company: "Old Co" }],
])("an enrichment by %s of an old job tells of the new one", async (_by, lead) => {
  const client = await withFiles(atOldCo, oldCo, colleague, moved);
  const { enrichedData } = await enriched(client, lead);
  expect(enrichedData).toMatchObject({ company: "New Co", companyInfo: { name: "New Co" } });
  expect(JSON.stringify(enrichedData)).not.toMatch(/old\.example|Coal|555/);
  const knowing = await withFiles(atOldCo, oldCo, newCo, colleague, moved);
  expect((await enriched(knowing, lead)).enrichedData.companyInfo).toEqual({
    name: "New Co",
    website: "https://new.example",
    industry: "Solar",
  });
});

test("a lead with the address of an old job is no witness of that job", async () => {
  const client = await withFiles(atOldCo, oldCo, moved);
  succeeded(
    await client.post("/api/v2/leads", { email: ada.email, company: "Old Co", title: "Miner", location: "Oslo" }),
  );
  const { enrichedData } = await enriched(client, { email: ada.email });
  expect(enrichedData).toMatchObject({ company: "New Co", location: "Oslo" });
  expect(JSON.stringify(enrichedData)).not.toMatch(/Coal|Miner|Old Co/);
});

const suppressions = "/api/v2/suppressions";
type Made = { lead: LeadView; isNew: boolean };

/** Makes a lead of the one prospect that there is. */
async function madeLead(client: Client) {
  const found = await client.post<Found>("/api/v2/prospecting/search", { filters: {} });
  return client.post<Made>(`/api/v2/prospecting/prospects/${succeeded(found).data.prospects[0]!.id}/lead`);
}

test.each<[LeadInput, boolean]>([
  [{ email: "Ada@old.example" }, false],
  [{ email: ada.email, firstName: "Ada", lastName: "Love", company: "Old Co" }, false],
  [{ email: ada.email, networkUrl: profile }, false],
  // Her address has gone to another.
  [{ email: ada.email, firstName: "Bob", lastName: "Next" }, true],
  [{ email: ada.email, networkUrl: "https://network.example/in/bob" }, true],
  [{ email: "bob@old.example" }, true],
])("after a change of the job, beside the lead %j a new one is made: %p", async (lead, isNew) => {
  const client = await withFiles(atOldCo, moved);
  const { id } = succeeded(await client.post<LeadView>("/api/v2/leads", lead)).data;
  const made = succeeded(await madeLead(client)).data;
  expect([made.isNew, made.lead.id === id]).toEqual([isNew, !isNew]);
});

test("whoever objected by the address of an old job becomes no lead; who worked at a company that did, does", async () => {
  const client = await withFiles(atOldCo, moved);
  succeeded(await client.post(suppressions, { values: ["old.example", "bob@old.example"] }));
  const found = succeeded(await client.post<Found>("/api/v2/prospecting/search", { filters: {} })).data;
  const { lead } = succeeded(await madeLead(client)).data;
  succeeded(await client.delete(`/api/v2/leads/${lead.id}`));
  succeeded(await client.post(suppressions, { values: ["ADA@old.example"] }));
  // A search does not show her any more; who has seen her before gets no further.
  const after = succeeded(await client.post<Found>("/api/v2/prospecting/search", { filters: {} })).data;
  expect([after.prospects, after.creditsUsed]).toEqual([[], 0]);
  const refused = await client.post<Made>(`/api/v2/prospecting/prospects/${found.prospects[0]!.id}/lead`);
  expect(refused).toMatchObject({ status: 409, code: "DO_NOT_CONTACT", details: { kind: "email", scope: "user" } });
  expect(refused.message).toStartWith("The email address of a former job is on your do-not-contact list.");
});

test("somebody of the directory is paid for once, by name and company and then by profile", async () => {
  const client = await withFiles(atOldCo, `Name,LinkedIn,Company\nBo Love,https://network.example/in/bo,Old Co\n`);
  const paid = async (lead: object) => (await enriched(client, lead)).creditsUsed;
  expect(await paid({ firstName: "Ada", lastName: "Love", company: "Old Co" })).toBe(1);
  expect(await paid({ networkUrl: profile })).toBe(0);
  expect(await paid({ networkUrl: "https://network.example/in/bo" })).toBe(1);
});
