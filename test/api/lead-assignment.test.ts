import { afterAll, expect, test } from "bun:test";
import type { BulkReport } from "../../src/features/leads/bulk-model.ts";
import type { LeadView } from "../../src/features/leads/model.ts";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { Client } from "../support/client.ts";
import { startService, succeeded } from "../support/service.ts";
import { addMember } from "../support/team.ts";

/** Serves all tests of this file: each has a workspace of its own. */
const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const base = "/api/v2/leads";

async function create(client: Client, input: object = {}): Promise<LeadView> {
  const content = { email: `${crypto.randomUUID()}@example.com`, ...input };
  return succeeded(await client.post<LeadView>(base, content)).data;
}

async function listed(client: Client, query: Record<string, string>): Promise<LeadView[]> {
  const { data } = succeeded(await client.get<{ leads: LeadView[]; total: number }>(base, { query }));
  expect(data.total).toBe(data.leads.length);
  return data.leads;
}

async function team() {
  const owner = await service.user();
  return {
    owner,
    member: await addMember(service, owner, "member"),
    viewer: await addMember(service, owner, "viewer"),
  };
}

const idsOf = (leads: readonly LeadView[]) => leads.map(({ id }) => id);
const assigneesOf = (leads: readonly LeadView[]) => leads.map(({ assignedTo }) => assignedTo);

test("a lead is nobody's unless it is assigned, and members filter by mine, by member, and by nobody", async () => {
  const { owner, member } = await team();
  const [free, mine, theirs] = [
    await create(member),
    await create(owner, { assignedTo: owner.userId }),
    await create(owner, { assignedTo: member.userId }),
  ];
  expect(assigneesOf([free, mine, theirs])).toEqual([null, owner.userId, member.userId]);
  expect(idsOf(await listed(owner, { assignedTo: "me" }))).toEqual([mine.id]);
  expect(idsOf(await listed(member, { assignedTo: "me" }))).toEqual([theirs.id]);
  expect(idsOf(await listed(owner, { assignedTo: member.userId }))).toEqual([theirs.id]);
  expect(idsOf(await listed(owner, { assignedTo: "none" }))).toEqual([free.id]);
  expect(idsOf(await listed(owner, { assignedTo: "me", status: "converted" }))).toEqual([]);
  const global = await service.globalKey();
  const query = { assignedTo: "me", userId: owner.userId };
  expect(idsOf(await listed(global, query))).toEqual([mine.id]);
});

test("an update assigns and unassigns, with an event that names the field", async () => {
  const { owner, member } = await team();
  const lead = await create(owner);
  const path = `${base}/${lead.id}`;
  expect((await owner.put<LeadView>(path, { assignedTo: member.userId })).data.assignedTo).toBe(member.userId);
  expect((await owner.put<LeadView>(path, { title: "CTO" })).data.assignedTo).toBe(member.userId);
  expect((await owner.put<LeadView>(path, { assignedTo: null })).data.assignedTo).toBeNull();
  const { data } = succeeded(
    await owner.get<{ events: { type: string; data: { fields?: string[] } }[] }>("/api/v2/events", {
      query: { type: "lead.updated" },
    }),
  );
  expect(data.events.map(({ data: { fields } }) => fields)).toEqual([["assignedTo"], ["title"], ["assignedTo"]]);
});

test("only active members get leads", async () => {
  const { owner, member } = await team();
  const stranger = await service.user();
  const lead = await create(owner);
  succeeded(await owner.put(`/api/v2/members/${member.userId}`, { isActive: false }));
  for (const assignedTo of [stranger.userId, member.userId, "nobody"])
    for (const attempt of [
      owner.post(base, { email: "x@example.com", assignedTo }),
      owner.put(`${base}/${lead.id}`, { assignedTo }),
      owner.post(`${base}/bulk/update`, { ids: [lead.id], assignedTo }),
    ]) {
      const refused = await attempt;
      expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
      expect((refused.details?.["errors"] as { path: string }[])[0]?.path).toBe("assignedTo");
    }
  expect((await listed(owner, {})).length).toBe(1);
});

test("a merge keeps the member of the lead, and gives one to a lead that has none", async () => {
  const { owner, member } = await team();
  const [email, other] = ["ada@example.com", "bob@example.com"];
  await create(owner, { email, assignedTo: owner.userId });
  await create(owner, { email: other });
  const query = { onDuplicate: "update" };
  const merge = (address: string) =>
    owner.post<LeadView>(base, { email: address, assignedTo: member.userId }, { query });
  expect((await merge(email)).data.assignedTo).toBe(owner.userId);
  expect((await merge(other)).data.assignedTo).toBe(member.userId);
});

test("several leads are assigned at once: to a member, in turn, or to nobody", async () => {
  const { owner, member } = await team();
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.push((await create(owner)).id);
  const assign = async (assignedTo: string | null) =>
    succeeded(await owner.post<BulkReport>(`${base}/bulk/update`, { ids, assignedTo })).data;
  expect(await assign(member.userId)).toEqual({ changed: 5, failed: [] });
  expect((await listed(owner, { assignedTo: member.userId })).length).toBe(5);
  await assign("roundRobin");
  const counts = [owner, member].map(async ({ userId }) => (await listed(owner, { assignedTo: userId })).length);
  expect((await Promise.all(counts)).toSorted((a, b) => a - b)).toEqual([2, 3]);
  await assign(null);
  expect((await listed(owner, { assignedTo: "none" })).length).toBe(5);
});

async function imported(client: Client, assignTo: string, rows: readonly string[]): Promise<JobView> {
  const request = { method: "POST", headers: { "x-api-key": client.key ?? "", "content-type": "text/csv" } };
  const body = ["email", ...rows].join("\n");
  const url = `${service.url}${base}/import?assignTo=${assignTo}&onDuplicate=update`;
  const started = (await (await fetch(url, { ...request, body })).json()) as { data: JobView };
  return service.ended(client, started.data.id);
}

test("an import assigns new leads to a member or in turn, and leaves those of others", async () => {
  const { owner, member } = await team();
  await create(owner, { email: "known@example.com", assignedTo: owner.userId });
  const job = await imported(member, "me", ["a@example.com", "known@example.com", "b@example.com"]);
  expect(job.status).toBe("completed");
  const own = (await listed(owner, { assignedTo: member.userId })).map(({ email }) => email);
  expect(new Set(own)).toEqual(new Set(["a@example.com", "b@example.com"]));
  const rows = Array.from({ length: 9 }, (_, n) => `row${n}@example.com`);
  await imported(owner, "roundRobin", rows);
  const leads = (await listed(owner, {})).filter(({ email }) => email?.startsWith("row"));
  const byMember = Map.groupBy(leads, ({ assignedTo }) => assignedTo);
  expect(new Set(byMember.keys())).toEqual(new Set([owner.userId, member.userId]));
  expect([...byMember.values()].map((own) => own.length).toSorted((a, b) => a - b)).toEqual([4, 5]);
});

test.each(["nobody", "viewers"])("an import for %s is refused before the file is read", async (assignTo) => {
  const { owner } = await team();
  const headers = { "x-api-key": owner.key ?? "", "content-type": "text/csv" };
  const url = `${service.url}${base}/import?assignTo=${assignTo}`;
  const response = await fetch(url, { method: "POST", headers, body: "email\na@example.com\n" });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ details: { errors: [{ path: "assignTo" }] } });
});

test("an export has the member in a column, and exports mine alone", async () => {
  const { owner, member } = await team();
  await create(owner, { email: "mine@example.com", assignedTo: owner.userId });
  await create(owner, { email: "theirs@example.com", assignedTo: member.userId });
  const headers = { "x-api-key": owner.key ?? "" };
  const text = await (await fetch(`${service.url}${base}/export?assignedTo=me`, { headers })).text();
  const [header, ...rows] = text.trim().split("\r\n");
  expect(header).toEndWith(",assignedTo");
  expect(rows).toHaveLength(1);
  expect(rows[0]).toEndWith(`,${owner.userId}`);
});

test("the leads of a removed member go to whom the owner chooses, or to nobody", async () => {
  const { owner, member, viewer } = await team();
  const another = await addMember(service, owner, "member");
  for (let n = 0; n < 3; n++) await create(owner, { assignedTo: member.userId });
  await create(owner, { assignedTo: another.userId });
  const remove = (client: Client, leadsTo?: string) =>
    owner.delete(`/api/v2/members/${client.userId}`, { query: leadsTo === undefined ? {} : { leadsTo } });
  for (const nobody of ["nobody", member.userId, service.admin.userId])
    expect(await remove(member, nobody)).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect((await listed(owner, { assignedTo: member.userId })).length).toBe(3);
  expect((await viewer.delete(`/api/v2/members/${member.userId}`)).status).toBe(403);
  expect((await listed(owner, { assignedTo: member.userId })).length).toBe(3);
  succeeded(await remove(member, another.userId));
  expect((await listed(owner, { assignedTo: another.userId })).length).toBe(4);
  succeeded(await remove(another));
  expect((await listed(owner, { assignedTo: "none" })).length).toBe(4);
});
