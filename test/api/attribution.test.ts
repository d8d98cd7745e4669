import { afterAll, expect, test } from "bun:test";
import type { CampaignView } from "../../src/features/campaigns/model.ts";
import type { LeadView } from "../../src/features/leads/model.ts";
import type { EventView } from "../../src/platform/events/model.ts";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { Client } from "../support/client.ts";
import { schedule } from "../support/network-api.ts";
import { startService, succeeded } from "../support/service.ts";
import { addMember } from "../support/team.ts";

const service = await startService({ settings: { CONNECTOR: "manual" } });
afterAll(() => service[Symbol.asyncDispose]());

const inAMonth = new Date(Date.now() + 30 * 86_400_000).toISOString();

/** Types and actors of the events about something, oldest first. */
async function told(client: Client, query: Record<string, string>): Promise<[string, string | null][]> {
  const { data } = succeeded(await client.get<{ events: EventView[] }>("/api/v2/events", { query }));
  return data.events.map(({ type, actorId }): [string, string | null] => [type, actorId]).toReversed();
}

async function team() {
  const ada = await service.user();
  const [bob, eve] = [await addMember(service, ada, "member"), await addMember(service, ada, "admin")];
  return { ada, bob, eve, names: { ada: ada.userId, bob: bob.userId, eve: eve.userId } };
}

test("the timeline of a lead names who created, changed, and deleted it", async () => {
  const { ada, bob, eve, names } = await team();
  const { id } = succeeded(await bob.post<LeadView>("/api/v2/leads", { email: "ada@example.com" })).data;
  succeeded(await eve.put(`/api/v2/leads/${id}`, { title: "Countess" }));
  succeeded(await ada.post("/api/v2/leads/bulk/update", { ids: [id], addTags: ["x"] }));
  succeeded(await bob.post("/api/v2/leads?onDuplicate=update", { email: "ada@example.com", company: "Engines" }));
  succeeded(await eve.delete(`/api/v2/leads/${id}`));
  expect(await told(ada, { leadId: id })).toEqual([
    ["lead.created", names.bob],
    ["lead.updated", names.eve],
    ["lead.updated", names.ada],
    ["lead.updated", names.bob],
    ["lead.deleted", names.eve],
  ]);
});

test("events of actions name who scheduled, edited, approved, and canceled them", async () => {
  const { ada, bob, eve, names } = await team();
  const { jobId } = await schedule(bob, "ada", { requireApproval: true, notBefore: inAMonth });
  const path = `/api/v2/network/actions/${jobId}`;
  succeeded(await eve.post(`${path}/approve`));
  succeeded(await bob.post(`${path}/cancel`));
  expect(await told(ada, { jobId })).toEqual([
    ["action.approval_required", names.bob],
    ["action.scheduled", names.eve],
    ["action.canceled", names.bob],
  ]);
  expect((await ada.get<JobView>(`/api/v2/users/jobs/${jobId}`)).data.userId).toBe(names.bob);
});

test("events of campaigns name who started and canceled them", async () => {
  const { ada, bob, eve, names } = await team();
  const steps = [{ type: "action", actionType: "visitProfile" }];
  const { id } = succeeded(await bob.post<CampaignView>("/api/v2/campaigns", { name: "Spring", steps })).data;
  succeeded(await bob.post(`/api/v2/campaigns/${id}/start`));
  succeeded(await eve.post(`/api/v2/campaigns/${id}/cancel`));
  expect(await told(ada, { campaignId: id })).toEqual([
    ["campaign.started", names.bob],
    ["campaign.canceled", names.eve],
  ]);
});

test("jobs and their events name who began them; lists show those of the whole workspace", async () => {
  const { ada, bob, names } = await team();
  const headers = { "content-type": "text/csv" };
  const file = "email\nben@example.com\n";
  const { id } = succeeded(await bob.post<JobView>("/api/v2/leads/import", file, { headers })).data;
  expect(await service.ended(ada, id)).toMatchObject({ status: "completed", userId: names.bob });
  expect(await told(ada, { jobId: id })).toEqual([["leads.imported", names.bob]]);
  const listed = succeeded(await ada.get<{ jobs: JobView[] }>("/api/v2/users/jobs"));
  expect(listed.body).toMatchObject({ userId: names.ada, data: { jobs: [{ id, userId: names.bob }] } });
});

test("events of keys name who made them, and a global key is nobody unless it names a user", async () => {
  const { ada, eve, names } = await team();
  const { id: keyId } = succeeded(
    await eve.post<{ id: string }>("/api/v2/keys", { name: "x", permissions: ["leads:read"] }),
  ).data;
  succeeded(await ada.delete(`/api/v2/keys/${keyId}`));
  const events = await told(ada, { type: "key.created,key.deleted" });
  expect(events.slice(-2)).toEqual([
    ["key.created", names.eve],
    ["key.deleted", names.ada],
  ]);
  const global = await service.globalKey();
  const add = async (userId: string | null) => {
    const { data } = succeeded(await global.post<LeadView>("/api/v2/leads", { email: "cy@example.com", userId }));
    return told(ada, { leadId: data.id });
  };
  expect(await add(names.eve)).toEqual([["lead.created", names.eve]]);
});
