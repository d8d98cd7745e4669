import { afterAll, expect, test } from "bun:test";
import type { LeadView } from "../../src/features/leads/model.ts";
import type { LeadValues } from "../../src/features/leads/value-model.ts";
import type { Client } from "../support/client.ts";
import { startService, succeeded } from "../support/service.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

async function add(client: Client, lead: object): Promise<LeadView> {
  return succeeded(await client.post<LeadView>("/api/v2/leads", { email: `${crypto.randomUUID()}@x.example`, ...lead }))
    .data;
}

/** The titles of the leads that match, in the order of the alphabet. */
async function titles(client: Client, query: string): Promise<string[]> {
  const path = `/api/v2/leads?sort=createdAt&${query}`;
  const { leads, total } = succeeded(await client.get<{ leads: LeadView[]; total: number }>(path)).data;
  expect(total).toBe(leads.length);
  return leads.map(({ title }) => title ?? "").toSorted();
}

test("texts are found by a part of them, lists by their name, and repeated parameters by any or all", async () => {
  const client = await service.user();
  await add(client, { title: "A", company: "Acme Works", location: "Köln", tags: ["x", "y", "list:Fair"] });
  await add(client, { title: "B", company: "Bakery", industry: "Food", tags: ["x"], customFields: { size: 120 } });
  await add(client, { title: "C", source: "Web form", phone: "+49 30 1", networkUrl: "https://network.example/in/c" });
  expect(await titles(client, "companyContains=works&companyContains=BAK")).toEqual(["A", "B"]);
  expect(await titles(client, "companyContains=work")).toEqual(["A"]);
  expect(await titles(client, "company=work")).toEqual([]);
  expect(await titles(client, "locationContains=K%C3%96L")).toEqual(["A"]);
  expect(await titles(client, "location=k%C3%B6ln")).toEqual(["A"]);
  expect(await titles(client, "industryContains=oo&titleContains=b")).toEqual(["B"]);
  expect(await titles(client, "sourceContains=web")).toEqual(["C"]);
  expect(await titles(client, "tags=X")).toEqual(["A", "B"]);
  expect(await titles(client, "tags=x&tags=y")).toEqual(["A"]);
  expect(await titles(client, "tags=x&tags=y&tagMatch=any")).toEqual(["A", "B"]);
  expect(await titles(client, "list=fair")).toEqual(["A"]);
  expect(await titles(client, "tags=x&list=fair")).toEqual(["A"]);
  expect(await titles(client, "customField=size:12")).toEqual(["B"]);
  expect(await titles(client, "customField=size")).toEqual(["B"]);
  expect(await titles(client, "customField=size:12&customField=other")).toEqual([]);
  expect(await titles(client, "hasPhone=true")).toEqual(["C"]);
  expect(await titles(client, "hasProfile=false&hasEmail=true")).toEqual(["A", "B"]);
});

test("leads are found by their relation with an account, and by campaigns", async () => {
  const client = await service.user();
  succeeded(await client.post("/api/v2/network/accounts", { name: "Main" }));
  const people: Record<string, LeadView> = {};
  for (const title of ["connected", "pending", "replied", "stranger"])
    people[title] = await add(client, { title, networkUrl: `https://network.example/in/${title}` });
  const record = async (title: string, actionType: string, more: object) => {
    const { id: leadId, networkUrl: profileUrl } = people[title]!;
    succeeded(await client.post("/api/v2/network/actions/record", { actionType, profileUrl, leadId, ...more }));
  };
  await record("connected", "sendConnectionRequest", { relation: "connected" });
  await record("pending", "sendConnectionRequest", { relation: "pending" });
  await record("replied", "sendMessage", { message: "Hello", relation: "connected" });
  const profileUrl = people["replied"]!.networkUrl;
  succeeded(await client.post("/api/v2/network/contacts/events", { profileUrl, event: "replied" }));
  expect(await titles(client, "relation=connected")).toEqual(["connected", "replied"]);
  expect(await titles(client, "relation=pending")).toEqual(["pending"]);
  expect(await titles(client, "relation=replied")).toEqual(["replied"]);
  expect(await titles(client, "relation=messaged,pending")).toEqual(["pending", "replied"]);
  expect(await titles(client, "relation=none")).toEqual(["stranger"]);
  const stranger = await service.user();
  await add(stranger, { title: "theirs" });
  expect(await titles(stranger, "relation=connected")).toEqual([]);

  const steps = [{ type: "action", actionType: "visitProfile" }];
  const campaign = succeeded(await client.post<{ id: string }>("/api/v2/campaigns", { name: "Spring", steps })).data;
  const leadIds = [people["pending"]!.id];
  succeeded(await client.post(`/api/v2/campaigns/${campaign.id}/enroll`, { leadIds }));
  expect(await titles(client, "inCampaign=true")).toEqual(["pending"]);
  expect(await titles(client, "inCampaign=false&relation=connected")).toEqual(["connected", "replied"]);
});

test.each([
  ["relation=friend", "relation"],
  ["hasEmail=maybe", "hasEmail"],
  ["tagMatch=some&tags=x", "tagMatch"],
  ["list=fair&tags=x&tags=y&tagMatch=any", "list"],
  [Array.from({ length: 21 }, (_, n) => `tags=t${n}`).join("&"), "tags"],
])("%s is refused, with the field", async (query, path) => {
  const refused = await (await service.user()).get(`/api/v2/leads?${query}`);
  expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR", details: { errors: [{ path }] } });
});

test("an export and a bulk change take the same filters", async () => {
  const client = await service.user();
  await add(client, { title: "A", company: "Acme Works" });
  await add(client, { title: "B", company: "Bakery" });
  const exported = await client.get("/api/v2/leads/export?companyContains=acme&format=ndjson");
  expect((exported.body as string).trim().split("\n")).toHaveLength(1);
  const change = { filter: { companyContains: ["acme"] }, addTags: ["works"] };
  const { data } = succeeded(await client.post<{ id: string }>("/api/v2/leads/bulk", change));
  await service.ended(client, data.id);
  expect(await titles(client, "tag=works")).toEqual(["A"]);
});

test("values are suggested with the number of leads that have them", async () => {
  const client = await service.user();
  await add(client, { company: "Acme", tags: ["Hot", "list:Fair"], customFields: { size: "big" } });
  await add(client, { company: "Acme", tags: ["hot"] });
  const values = async (query: string) =>
    succeeded(await client.get<LeadValues>(`/api/v2/leads/values?${query}`)).data.values;
  expect(await values("field=company&contains=AC")).toEqual([{ value: "Acme", leads: 2 }]);
  expect(await values("field=tag")).toEqual([{ value: "hot", leads: 2 }]);
  expect(await values("field=list")).toEqual([{ value: "Fair", leads: 1 }]);
  expect(await values("field=customField")).toEqual([{ value: "size", leads: 1 }]);
  expect(await values("field=customField&name=size")).toEqual([{ value: "big", leads: 1 }]);
  for (const [query, path] of [
    ["field=shoe", "field"],
    ["field=tag&name=x", "name"],
    ["field=tag&limit=101", "limit"],
  ] as const)
    expect(await client.get(`/api/v2/leads/values?${query}`)).toMatchObject({
      ...{ status: 400, details: { errors: [{ path }] } },
    });
});
