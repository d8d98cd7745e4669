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
  expect(succeeded(await client.get<LeadView>(`/api/v2/leads/${other.id}`)).data).toMatchObject({ id: keep.id });
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

test("an integration that stored the ID of a merged lead works with the one that is left", async () => {
  const client = await service.user();
  succeeded(await client.post("/api/v2/network/accounts", { name: "Main" }));
  const profileUrl = "https://network.example/in/survivor";
  const keep = await add(client, { email: "keep@survivor.example", networkUrl: profileUrl });
  const other = await add(client, { email: "other@survivor.example" });
  const path = `/api/v2/leads/${other.id}`;
  const before = (await client.get(path)).headers.get("etag")!;
  succeeded(await merge(client, keep, other));

  const read = await client.get<LeadView>(path, { headers: { "if-none-match": before } });
  expect(succeeded(read).data).toMatchObject({ id: keep.id, email: "keep@survivor.example" });
  const stale = await client.put(path, { title: "Lost" }, { headers: { "if-match": before } });
  expect(stale.status).toBe(412);
  const etag = read.headers.get("etag")!;
  const updated = await client.put<LeadView>(path, { title: "CTO" }, { headers: { "if-match": etag } });
  expect(succeeded(updated).data).toMatchObject({ id: keep.id, title: "CTO" });
  const patched = await client.patch<LeadView>(path, { company: "Engines" });
  expect(succeeded(patched).data).toMatchObject({ id: keep.id, company: "Engines" });
  const bulk = { ids: [other.id], addTags: ["called"], assignedTo: "roundRobin" };
  expect(succeeded(await client.post("/api/v2/leads/bulk/update", bulk)).data).toEqual({ changed: 1, failed: [] });
  const after = succeeded(await client.get<LeadView>(path)).data;
  expect(after.tags).toEqual(["called"]);
  expect(after.assignedTo).not.toBeNull();

  const steps = [{ type: "action", actionType: "visitProfile" }];
  const created = await client.post<{ id: string }>("/api/v2/campaigns", { name: "Survivors", steps });
  const enroll = `/api/v2/campaigns/${succeeded(created).data.id}/enroll`;
  const enrolled = succeeded(await client.post<object>(enroll, { leadIds: [other.id, keep.id] })).data;
  expect(enrolled).toMatchObject({ enrolled: 1, results: [{ leadId: keep.id, outcome: "enrolled" }] });
  const campaigns = succeeded(await client.get<{ campaigns: object[] }>(`${path}/campaigns`)).data;
  expect(campaigns.campaigns).toMatchObject([{ leadId: keep.id }]);
  const action = { actionType: "visitProfile", profileUrl, leadId: other.id };
  const scheduled = await client.post<{ jobId: string }>("/api/v2/network/scheduleNetworkAction", action);
  const { jobId } = succeeded(scheduled).data;
  const stored = succeeded(await client.get<{ leadId: string }>(`/api/v2/network/actions/${jobId}`)).data;
  expect(stored.leadId).toBe(keep.id);

  // Another merge, and one of what is one lead already.
  const third = await add(client, { email: "third@survivor.example" });
  expect(succeeded(await merge(client, other, third)).data.id).toBe(keep.id);
  expect(await merge(client, other, keep)).toMatchObject({ status: 400, details: { errors: [{ path: "otherId" }] } });
});

test("the lead that is left is deleted only by its own ID", async () => {
  const client = await service.user();
  const keep = await add(client, { email: "keep@delete.example" });
  const other = await add(client, { email: "other@delete.example" });
  succeeded(await merge(client, keep, other));
  for (const path of [`/api/v2/leads/${other.id}`, `/api/v2/leads/${other.id}?suppress=true`]) {
    const refused = await client.delete(path);
    expect(refused).toMatchObject({ status: 404, details: { mergedInto: keep.id } });
  }
  const bulk = await client.post<object>("/api/v2/leads/bulk/delete", { ids: [other.id] });
  expect(succeeded(bulk).data).toMatchObject({ changed: 0, failed: [{ id: other.id, code: "NOT_FOUND" }] });
  succeeded(await client.delete(`/api/v2/leads/${keep.id}`));
  expect((await client.get(`/api/v2/leads/${other.id}`)).status).toBe(404);
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
