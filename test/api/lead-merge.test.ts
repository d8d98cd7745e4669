import { afterAll, expect, test } from "bun:test";
import type { LeadView } from "../../src/features/leads/model.ts";
import type { Client } from "../support/client.ts";
import { startService, succeeded, testInProcess } from "../support/service.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const add = async (client: Client, lead: object) => succeeded(await client.post<LeadView>("/api/v2/leads", lead)).data;
const merge = (client: Client, keep: LeadView, other: LeadView, more: object = {}) =>
  client.post<LeadView>(`/api/v2/leads/${keep.id}/merge`, { otherId: other.id, ...more });

test("a merged lead has what both had, and everything that refers to the other one follows", async () => {
  const client = await service.user();
  succeeded(await client.post("/api/v2/network/accounts", { name: "Main" }));
  const keep = await add(client, { email: "ada@work.example", firstName: "Ada", tags: ["a"] });
  const networkUrl = "https://network.example/in/ada";
  const other = await add(client, { email: "ada@home.example", networkUrl, title: "Countess", tags: ["b"] });
  const sent = { actionType: "sendMessage", message: "Hello", profileUrl: networkUrl, leadId: other.id };
  succeeded(await client.post("/api/v2/network/actions/record", { ...sent, relation: "connected" }));
  const later = { actionType: "visitProfile", profileUrl: networkUrl, leadId: other.id };
  succeeded(await client.post("/api/v2/network/scheduleNetworkAction", later));
  const steps = [{ type: "action", actionType: "visitProfile" }];
  const campaign = async () =>
    succeeded(await client.post<{ id: string }>("/api/v2/campaigns", { name: "Spring", steps })).data.id;
  const alone = await campaign();
  succeeded(await client.post(`/api/v2/campaigns/${alone}/enroll`, { leadIds: [other.id] }));

  const merged = succeeded(await merge(client, keep, other, { take: ["title"] })).data;
  expect(merged).toMatchObject({
    ...{ id: keep.id, email: "ada@work.example", networkUrl, title: "Countess", tags: ["a", "b"], firstName: "Ada" },
  });
  expect((await client.get(`/api/v2/leads/${other.id}`)).status).toBe(404);
  const get = async <T>(path: string) => succeeded(await client.get<T>(`/api/v2${path}`)).data;
  const { actions } = await get<{ actions: { leadId: string }[] }>("/network/actions");
  expect(actions.map(({ leadId }) => leadId)).toEqual([keep.id, keep.id]);
  const { enrollments } = await get<{ enrollments: { leadId: string }[] }>(`/campaigns/${alone}/enrollments`);
  expect(enrollments.map(({ leadId }) => leadId)).toEqual([keep.id]);
  const { campaigns } = await get<{ campaigns: object[] }>(`/leads/${keep.id}/campaigns`);
  expect(campaigns).toMatchObject([{ campaignId: alone, campaignName: "Spring", leadId: keep.id, state: "active" }]);
  const related = await get<{ leads: LeadView[] }>("/leads?relation=connected");
  expect(related.leads.map(({ id }) => id)).toEqual([keep.id]);
  const { conversations } = await get<{ conversations: { leadId: string }[] }>("/inbox/conversations");
  expect(conversations.map(({ leadId }) => leadId)).toEqual(conversations.map(() => keep.id));
  const history = await get<{ events: { type: string; data: object }[] }>(`/events?leadId=${keep.id}&limit=100`);
  expect(history.events.filter(({ type }) => type === "lead.created")).toHaveLength(2);
  expect(history.events.find(({ type }) => type === "lead.updated")?.data).toMatchObject({ merged: other.id });
  const gone = await get<{ events: { type: string; data: object }[] }>(`/events?leadId=${other.id}`);
  expect(gone.events).toMatchObject([{ type: "lead.deleted", data: { mergedInto: keep.id } }]);
});

testInProcess("of two enrollments in one campaign, only that of the kept lead goes on", async () => {
  const client = await service.user();
  succeeded(await client.post("/api/v2/network/accounts", { name: "Main" }));
  const person = (n: number) => ({ networkUrl: `https://network.example/in/both-${n}`, firstName: "Both" });
  const [keep, other] = [await add(client, person(1)), await add(client, person(2))];
  const steps = [{ type: "action", actionType: "visitProfile" }];
  const settings = { excludeOtherCampaigns: false };
  const body = { name: "Both", steps, settings };
  const { id } = succeeded(await client.post<{ id: string }>("/api/v2/campaigns", body)).data;
  succeeded(await client.post(`/api/v2/campaigns/${id}/enroll`, { leadIds: [keep.id, other.id] }));
  succeeded(await merge(client, keep, other));
  succeeded(await client.post(`/api/v2/campaigns/${id}/start`));
  await service.idle();
  type Enrollments = { enrollments: { leadId: string; state: string; reason: string | null }[] };
  const { enrollments } = succeeded(await client.get<Enrollments>(`/api/v2/campaigns/${id}/enrollments`)).data;
  const stateOf = ({ id: leadId }: LeadView) => enrollments.find((each) => each.leadId === leadId);
  expect(stateOf(keep)).toMatchObject({ state: "active" });
  expect(stateOf(other)).toMatchObject({ reason: "leadGone" });
});

test("an objection holds for the merged person, whichever lead it came by", async () => {
  const client = await service.user();
  const keep = await add(client, { email: "keep@merge.example", firstName: "Ada" });
  const other = await add(client, { email: "other@merge.example" });
  succeeded(await client.post("/api/v2/suppressions", { values: ["other@merge.example"] }));
  succeeded(await merge(client, keep, other));
  const read = succeeded(await client.get<LeadView>(`/api/v2/leads/${keep.id}`)).data;
  expect(read.doNotContact).toBe(true);
});

test("unknown leads, leads of others, and a lead with itself are not merged", async () => {
  const client = await service.user();
  const one = await add(client, { email: "one@merge.example" });
  const foreign = await add(await service.user(), { email: "foreign@merge.example" });
  expect(await merge(client, one, foreign)).toMatchObject({ status: 404 });
  expect(await merge(client, foreign, one)).toMatchObject({ status: 404 });
  expect(await merge(client, one, one)).toMatchObject({ status: 400, details: { errors: [{ path: "otherId" }] } });
  const weak = await service.keyOf(client, ["leads:read", "leads:write"]);
  expect(await merge(weak, one, foreign)).toMatchObject({ status: 403 });
});

test("duplicates are listed in groups, with the reason, page by page", async () => {
  const client = await service.user();
  const ids: string[] = [];
  for (const lead of [
    { email: "Twin@dup.example" },
    { email: "twin@dup.example", firstName: "Other" },
    { firstName: "Ada", lastName: "Lovelace", company: "Engines" },
    { firstName: "ADA", lastName: "Lovelace", company: "engines", email: "ada@dup.example" },
    { networkUrl: "https://network.example/in/dup" },
    { networkUrl: "https://www.network.example/in/dup/" },
    { email: "single@dup.example" },
  ])
    ids.push((await add(client, lead)).id);
  type Page = { groups: { reason: string; leads: LeadView[] }[]; total: number; nextCursor: string | null };
  const list = async (query: Record<string, string>) =>
    succeeded(await client.get<Page>("/api/v2/leads/duplicates", { query })).data;
  const shown = ({ groups }: Page) =>
    groups.map(({ reason, leads }) => [reason, ...leads.map(({ id }) => ids.indexOf(id))]);
  const all = await list({});
  expect(shown(all)).toEqual([
    ["email", 0, 1],
    ["name", 2, 3],
    ["profile", 4, 5],
  ]);
  expect(all).toMatchObject({ total: 3, nextCursor: null });
  const first = await list({ limit: "2" });
  const second = await list({ limit: "2", cursor: first.nextCursor! });
  expect([...shown(first), ...shown(second)]).toEqual(shown(all));
  expect(second.nextCursor).toBeNull();
});
