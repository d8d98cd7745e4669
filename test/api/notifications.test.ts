import { afterAll, expect, test } from "bun:test";
import type { NotificationView } from "../../src/features/notifications/model.ts";
import type { WorkerClaimView } from "../../src/features/network/work-model.ts";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { Client } from "../support/client.ts";
import { startService, succeeded } from "../support/service.ts";
import { addMember } from "../support/team.ts";

const service = await startService({ settings: { CONNECTOR: "manual", ACKNOWLEDGE_NETWORK_RISK: "true" } });
afterAll(() => service[Symbol.asyncDispose]());

type Page = { notifications: NotificationView[]; unread: number; total: number; nextCursor: string | null };
const base = "/api/v2/notifications";
const list = async (client: Client, query: Record<string, string> = {}) =>
  succeeded(await client.get<Page>(base, { query })).data;
const read = async (client: Client, body: object) =>
  succeeded(await client.post<{ unread: number }>(`${base}/read`, body)).data;

async function importLead(client: Client, name: string): Promise<void> {
  const headers = { "content-type": "text/csv" };
  const text = `First name,Email\n${name},${crypto.randomUUID()}@example.com\n`;
  const job = succeeded(await client.post<JobView>("/api/v2/leads/import", text, { headers })).data;
  await service.ended(client, job.id);
}

/** A worker reports that the account is signed out. */
async function signAccountOut(client: Client): Promise<void> {
  const root = "/api/v2/network";
  const { accounts } = succeeded(await client.get<{ accounts: { id: string }[] }>(`${root}/accounts`)).data;
  const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
  const hours = Object.fromEntries(days.map((day) => [day, [{ from: "00:00", to: "24:00" }]]));
  const always = { connector: "worker", workingHours: hours, sessions: null, warmUp: null, jitterPercent: 0 };
  succeeded(await client.patch(`${root}/accounts/${accounts[0]?.id}`, always));
  const action = { actionType: "visitProfile", profileUrl: "https://network.example/in/ada" };
  succeeded(await client.post(`${root}/scheduleNetworkAction`, action));
  await service.idle();
  const { claimed } = succeeded(await client.post<WorkerClaimView>(`${root}/worker/claim`, {})).data;
  const report = { claim: claimed?.claim, outcome: "signedOut" };
  succeeded(await client.post(`${root}/worker/${claimed?.jobId}/complete`, report));
}

test("each member has their own state, and imports are for who began them", async () => {
  const ada = await service.user({ name: "Ada" });
  const grace = await addMember(service, ada, "member");
  await importLead(ada, "First");
  await importLead(ada, "Second");
  const mine = await list(ada);
  expect(mine).toMatchObject({ unread: 2, total: 2, nextCursor: null });
  expect(mine.notifications.map(({ title, text, isRead }) => [title, text, isRead])).toEqual([
    ["Lead import finished", "1 created", false],
    ["Lead import finished", "1 created", false],
  ]);
  expect(await list(grace)).toMatchObject({ unread: 0, total: 0, notifications: [] });

  const [second, first] = mine.notifications.map(({ id }) => id);
  expect(await read(ada, { ids: [first] })).toEqual({ unread: 1 });
  expect((await list(ada)).notifications.map(({ isRead }) => isRead)).toEqual([false, true]);
  expect(await read(ada, { ids: [first] })).toEqual({ unread: 1 });
  expect(await read(ada, { until: second })).toEqual({ unread: 0 });
});

test("an account that needs reconnecting is shown to everybody, until each has read it", async () => {
  const ada = await service.user({ name: "Ada" });
  const grace = await addMember(service, ada, "viewer");
  await signAccountOut(ada);
  for (const member of [ada, grace]) {
    const { notifications, unread } = await list(member);
    expect(unread).toBe(1);
    expect(notifications[0]?.title).toContain("needs reconnecting");
    expect(notifications[0]?.accountId).toBeString();
  }
  expect(await read(ada, { until: "999999999999999" })).toEqual({ unread: 0 });
  expect((await list(grace)).unread).toBe(1);
  // The end was not in the future: what happens next is unread.
  await importLead(ada, "Later");
  expect((await list(ada)).unread).toBe(1);
});

test("pages, and what a key may not see", async () => {
  const ada = await service.user({ name: "Ada" });
  for (const name of ["one", "two", "three"]) await importLead(ada, name);
  const first = await list(ada, { limit: "2" });
  expect(first.notifications).toHaveLength(2);
  const rest = await list(ada, { limit: "2", cursor: first.nextCursor ?? "" });
  expect(rest).toMatchObject({ total: 3, nextCursor: null });
  expect(rest.notifications).toHaveLength(1);
  const key = { name: "events", permissions: ["events:read"], userId: ada.userId };
  const made = succeeded(await service.admin.post<{ key: string }>("/api/v2/keys", key)).data;
  const limited = service.client(made.key, ada.userId);
  expect(await list(limited)).toMatchObject({ total: 0, unread: 0 });
});

test("bad input names the way out", async () => {
  const ada = await service.user({ name: "Ada" });
  const both = await ada.post(`${base}/read`, { ids: ["1"], until: "1" });
  expect([both.status, both.code]).toEqual([400, "VALIDATION_ERROR"]);
  expect((await ada.post(`${base}/read`, {})).status).toBe(400);
  expect((await ada.post(`${base}/read`, { ids: ["x"] })).status).toBe(400);
  expect((await ada.get(base, { query: { cursor: "x" } })).status).toBe(400);
});
