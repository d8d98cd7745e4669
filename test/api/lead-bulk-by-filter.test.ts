import { afterAll, expect, test } from "bun:test";
import type { BulkCounts } from "../../src/features/leads/bulk-job-model.ts";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { Client } from "../support/client.ts";
import { startService, succeeded } from "../support/service.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const path = "/api/v2/leads/bulk";

async function addLeads(client: Client, count: number, change: object = {}): Promise<void> {
  const rows = Array.from({ length: count }, (_, n) =>
    JSON.stringify({ email: `${n}-${crypto.randomUUID()}@example.com`, ...change }),
  );
  const headers = { "content-type": "application/x-ndjson" };
  const { data } = succeeded(await client.post<JobView>("/api/v2/leads/import", rows.join("\n"), { headers }));
  expect((await service.ended(client, data.id)).status).toBe("completed");
}

async function total(client: Client, query: Record<string, string>): Promise<number> {
  return succeeded(await client.get<{ total: number }>("/api/v2/leads", { query: { ...query, limit: "1" } })).data
    .total;
}

async function bulk(client: Client, body: object): Promise<JobView & { metadata: BulkCounts }> {
  const answer = await client.post<JobView>(path, body);
  expect(answer.status).toBe(202);
  expect(answer.headers.get("location")).toBe(`/api/v2/users/jobs/${answer.data.id}`);
  return (await service.ended(client, answer.data.id)) as JobView & { metadata: BulkCounts };
}

test("changes all leads that match, also those that no longer match once they are changed", async () => {
  const client = await service.user();
  await addLeads(client, 250, { tags: ["spring"] });
  await addLeads(client, 3);
  const { id } = succeeded(await client.get<{ id: string }>("/api/v2/users/me")).data;
  const change = {
    status: "contacted",
    addTags: ["called"],
    removeTags: ["spring"],
    addToList: "Berlin",
    assignedTo: id,
  };
  const job = await bulk(client, { filter: { tag: "spring", status: "new" }, ...change });
  expect(job).toMatchObject({ type: "lead_bulk", status: "completed", progress: 100, message: "Changed 250 leads" });
  expect(job.metadata).toMatchObject({ operation: "update", total: 250, processed: 250, changed: 250, skipped: {} });
  expect(await total(client, { tag: "spring" })).toBe(0);
  expect(await total(client, { tag: "called", status: "contacted", assignedTo: "me" })).toBe(250);
  expect(await total(client, { tag: "list:berlin" })).toBe(250);
  expect(await total(client, { status: "new" })).toBe(3);
  const { events } = succeeded(
    await client.get<{ events: { data: object }[] }>("/api/v2/events", { query: { type: "leads.changed" } }),
  ).data;
  expect(events).toMatchObject([{ data: { status: "completed", changed: 250 } }]);
});

test("roundRobin spreads leads evenly among the members", async () => {
  const client = await service.user();
  await addLeads(client, 5);
  const job = await bulk(client, { filter: {}, assignedTo: "roundRobin" });
  expect(job.metadata).toMatchObject({ changed: 5 });
  expect(await total(client, { assignedTo: "me" })).toBe(5);
});

test("deletes up to 100 leads, and more only for who knows how many", async () => {
  const client = await service.user();
  await addLeads(client, 101, { tags: ["old"] });
  const refused = await client.post(path, { filter: { tag: "old" }, delete: true });
  expect(refused).toMatchObject({ status: 409, code: "CONFLICT", details: { count: 101 } });
  expect(refused.message).toContain("expectedCount");
  const fewer = await client.post(path, { filter: { tag: "old" }, delete: true, expectedCount: 100 });
  expect(fewer).toMatchObject({ status: 409, details: { count: 101 } });
  const job = await bulk(client, { filter: { tag: "old" }, delete: true, expectedCount: 101 });
  expect(job).toMatchObject({ status: "completed", message: "Deleted 101 leads" });
  expect(await total(client, {})).toBe(0);
});

test("changes of any kind can be refused by the number that is expected", async () => {
  const client = await service.user();
  await addLeads(client, 2);
  expect(await client.post(path, { filter: {}, status: "qualified", expectedCount: 1 })).toMatchObject({ status: 409 });
  expect(await total(client, { status: "new" })).toBe(2);
});

test("enrolls leads in a campaign, and counts those that it refuses by reason", async () => {
  const client = await service.user();
  succeeded(await client.post("/api/v2/network/accounts", { name: "Main" }));
  const steps = [{ type: "action", actionType: "visitProfile" }];
  const campaign = succeeded(await client.post<{ id: string }>("/api/v2/campaigns", { name: "Spring", steps })).data;
  await addLeads(client, 2);
  for (const n of [1, 2, 3])
    succeeded(await client.post("/api/v2/leads", { networkUrl: `https://network.example/in/enroll-${n}` }));
  const job = await bulk(client, { filter: {}, campaignId: campaign.id });
  expect(job.metadata).toMatchObject({
    ...{ total: 5, processed: 5, changed: 3 },
    skipped: { "The lead has no profile URL.": 2 },
  });
  expect(job.message).toBe("Enrolled 3 leads, 2 skipped");
  expect((await bulk(client, { filter: { campaignId: campaign.id }, campaignId: campaign.id })).metadata).toMatchObject(
    {
      ...{ changed: 0, skipped: { alreadyEnrolled: 3 } },
    },
  );
  expect(await client.post(path, { filter: {}, campaignId: "nothing" })).toMatchObject({ status: 404 });
});

test("a key needs the permission for what it wants to do", async () => {
  const owner = await service.user();
  const client = await service.keyOf(owner, ["leads:read", "leads:write"]);
  expect(await client.post(path, { filter: {}, delete: true })).toMatchObject({
    status: 403,
    body: { permissionHelp: { required: "leads:delete" } },
  });
  expect(await client.post(path, { filter: {}, campaignId: "any" })).toMatchObject({
    status: 403,
    body: { permissionHelp: { required: "network:schedule" } },
  });
});

test.each<[what: string, body: object, path: string]>([
  ["no filter", { status: "contacted" }, "filter"],
  ["no change", { filter: {} }, ""],
  ["empty tags", { filter: {}, addTags: [" "] }, ""],
  ["two kinds of change", { filter: {}, delete: true, status: "contacted" }, ""],
  ["an unknown status", { filter: { status: "asleep" }, addTags: ["x"] }, "filter.status"],
  ["an unknown field of the filter", { filter: { shoeSize: 4 }, addTags: ["x"] }, "filter.shoeSize"],
  ["a foreign member", { filter: {}, assignedTo: "nobody" }, "assignedTo"],
])("%s is refused, with the field", async (_what, body, field) => {
  const client = await service.user();
  await addLeads(client, 1);
  const refused = await client.post(path, body);
  expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR", details: { errors: [{ path: field }] } });
  expect(await total(client, { status: "new" })).toBe(1);
});
