import { afterAll, expect, test } from "bun:test";
import type { EventView } from "../../src/platform/events/model.ts";
import type { NewKeyView } from "../../src/platform/auth/key-model.ts";
import type { LeadView } from "../../src/features/leads/model.ts";
import type { Client, SendOptions } from "../support/client.ts";
import { openStream } from "../support/event-stream.ts";
import { eventually, startService, succeeded } from "../support/service.ts";

const service = await startService({ settings: { MAX_STREAMS: 20, MAX_STREAMS_PER_KEY: 3 } });
afterAll(() => service[Symbol.asyncDispose]());

const api = "/api/v2/events";
type Page = { events: EventView[]; nextCursor: string | null; total: number; limit: number };

async function list(client: Client, query: SendOptions["query"] = {}): Promise<Page> {
  return succeeded(await client.get<Page>(api, { query })).data;
}

async function addLead(client: Client, email = `${crypto.randomUUID()}@example.com`): Promise<LeadView> {
  return succeeded(await client.post<LeadView>("/api/v2/leads", { email })).data;
}

const streamOf = (client: Client, query = "", headers: Record<string, string> = {}) =>
  openStream(`${service.url}${api}/stream${query}`, client.key ?? "", headers);

test("the timeline of a lead tells what happened to it, newest first", async () => {
  const user = await service.user();
  const lead = await addLead(user);
  await addLead(user);
  succeeded(await user.put(`/api/v2/leads/${lead.id}`, { title: "Countess" }));
  succeeded(await user.delete(`/api/v2/leads/${lead.id}`));
  const { events, nextCursor } = await list(user, { leadId: lead.id });
  expect(events.map(({ type }) => type)).toEqual(["lead.deleted", "lead.updated", "lead.created"]);
  expect(nextCursor).toBeNull();
  expect(events[1]).toEqual({
    id: expect.stringMatching(/^\d+$/),
    type: "lead.updated",
    timestamp: expect.stringMatching(/^\d{4}-/),
    userId: user.userId,
    actorId: user.userId,
    leadId: lead.id,
    data: { fields: ["title"] },
  });
});

test("no event holds what identifies a person", async () => {
  const user = await service.user();
  const lead = await addLead(user, "ada.lovelace@example.com");
  succeeded(await user.put(`/api/v2/leads/${lead.id}`, { firstName: "Augusta", phone: "+442079460018" }));
  expect(JSON.stringify(await list(user))).not.toMatch(/lovelace|Augusta|79460018/i);
});

test("pages follow each other without a gap in either order", async () => {
  const user = await service.user();
  for (let n = 0; n < 5; n++) await addLead(user);
  const ids = (await list(user, { type: "lead.*" })).events.map(({ id }) => id);
  expect(ids).toHaveLength(5);
  const first = await list(user, { type: "lead.created", limit: 3 });
  expect(first.events.map(({ id }) => id)).toEqual(ids.slice(0, 3));
  const rest = await list(user, { type: "lead.created", limit: 3, before: first.nextCursor! });
  expect(rest).toEqual({ events: rest.events, total: 5, limit: 3, nextCursor: null });
  expect(rest.events.map(({ id }) => id)).toEqual(ids.slice(3));
  const forward = await list(user, { type: "lead.created", order: "asc", after: ids[3]!, limit: 100 });
  expect(forward.events.map(({ id }) => id)).toEqual(ids.slice(0, 3).toReversed());
});

test("types are named alone, in groups and by commas; a wrong one is answered with the right ones", async () => {
  const user = await service.user();
  await addLead(user);
  const count = async (type: string | string[]) => (await list(user, { type })).events.length;
  expect(await count("lead.created,lead.deleted")).toBe(1);
  expect(await count(["lead.*", "action.*"])).toBe(1);
  expect(await count("action.*")).toBe(0);
  expect(await count("*")).toBeGreaterThan(0);
  const wrong = await user.get(api, { query: { type: "lead.crated" } });
  expect(wrong).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect(wrong.message).toContain("lead.created");
});

test("nobody is told of somebody else's things, and a key needs events:read", async () => {
  const [ada, bob] = [await service.user(), await service.user()];
  const lead = await addLead(ada);
  expect((await list(bob, { leadId: lead.id })).events).toEqual([]);
  const blind = await service.user({ permissions: ["leads:read"] });
  for (const path of [api, `${api}/stream`])
    expect(await blind.get(path)).toMatchObject({ status: 403, code: "PERMISSION_DENIED" });
});

test("an admin is told of global keys, a member is not", async () => {
  await service.globalKey();
  const isGlobal = ({ type, userId }: EventView) => type === "key.created" && userId === null;
  expect((await list(service.admin, { type: "key.*" })).events.some(isGlobal)).toBe(true);
  const member = await service.user();
  expect((await list(member, { type: "key.*" })).events.some(isGlobal)).toBe(false);
});

test("a stream tells what happens from now on, to its own user only", async () => {
  const [ada, bob] = [await service.user(), await service.user()];
  await addLead(ada);
  await using stream = await streamOf(ada);
  expect(stream.headers.get("content-type")).toStartWith("text/event-stream");
  expect(stream.headers.get("x-content-type-options")).toBe("nosniff");
  await addLead(bob);
  const lead = await addLead(ada);
  const [frame] = await stream.take(1);
  expect(frame).toMatchObject({ event: "lead.created", data: { type: "lead.created", leadId: lead.id } });
  expect(frame?.id).toBe((frame?.data as EventView).id);
});

test("a stream goes on behind Last-Event-ID, or `after`, and misses nothing", async () => {
  const user = await service.user();
  const leads: LeadView[] = [];
  // More than fit into a page of what is read from the database.
  for (let n = 0; n < 120; n++) leads.push(await addLead(user));
  const [first] = (await list(user, { order: "asc", type: "lead.created", limit: 1 })).events;
  const rest = leads.slice(1).map(({ id }) => id);
  const idsIn = async (stream: Awaited<ReturnType<typeof streamOf>>, count: number) =>
    (await stream.take(count)).map(({ data }) => (data as EventView).leadId);
  await using byHeader = await streamOf(user, "", { "last-event-id": first!.id });
  await using byQuery = await streamOf(user, `?after=${first!.id}`);
  expect(await idsIn(byHeader, rest.length)).toEqual(rest);
  expect(await idsIn(byQuery, rest.length)).toEqual(rest);
  const next = await addLead(user);
  expect(await idsIn(byHeader, 1)).toEqual([next.id]);
  expect(await idsIn(byQuery, 1)).toEqual([next.id]);
});

test("a stream can be of one lead, of one job or of some types", async () => {
  const user = await service.user();
  const lead = await addLead(user);
  await using ofLead = await streamOf(user, `?leadId=${lead.id}`);
  await using ofType = await streamOf(user, "?type=lead.deleted");
  await using ofJob = await streamOf(user, "?jobId=nothing&type=leads.imported");
  await addLead(user);
  succeeded(await user.put(`/api/v2/leads/${lead.id}`, { title: "x" }));
  succeeded(await user.delete(`/api/v2/leads/${lead.id}`));
  expect((await ofLead.take(2)).map(({ event }) => event)).toEqual(["lead.updated", "lead.deleted"]);
  expect((await ofType.take(1)).map(({ event }) => event)).toEqual(["lead.deleted"]);
  ofJob.close();
});

test("a malformed Last-Event-ID is refused, one of the future begins with what comes", async () => {
  const user = await service.user();
  expect(await user.get(`${api}/stream`, { headers: { "last-event-id": "abc" } })).toMatchObject({ status: 400 });
  await using stream = await streamOf(user, "?after=900000000000");
  const lead = await addLead(user);
  expect((await stream.take(1))[0]?.data).toMatchObject({ leadId: lead.id });
});

test("a key has so many streams and no more; one that ends makes room", async () => {
  const user = await service.user();
  const open = await Promise.all([1, 2, 3].map(() => streamOf(user)));
  expect(await user.get(`${api}/stream`)).toMatchObject({ status: 429, code: "RATE_LIMIT_EXCEEDED" });
  open[0]!.close();
  const again = await eventually("room for a stream", () => streamOf(user).catch(() => null));
  for (const stream of [...open, again]) stream.close();
});

test("a stream ends with the reason as soon as its key is revoked", async () => {
  const user = await service.user();
  const made = succeeded(
    await user.post<NewKeyView>("/api/v2/keys", { name: "stream", permissions: ["events:read"] }),
  ).data;
  await using stream = await openStream(`${service.url}${api}/stream`, made.key);
  await using other = await streamOf(user, "?type=lead.*");
  succeeded(await user.delete(`/api/v2/keys/${made.id}`));
  expect(await stream.next()).toMatchObject({ event: "end", data: { reason: expect.stringContaining("key") } });
  expect(await stream.next()).toBeNull();
  await addLead(user);
  expect((await other.take(1))[0]).toMatchObject({ event: "lead.created" });
});

test("streams end when the server stops, and go on where they were after a restart", async () => {
  await using own = await startService();
  const { admin } = own;
  await using stream = await openStream(`${own.url}${api}/stream?type=lead.*`, admin.key!);
  await addLead(admin);
  const [seen] = await stream.take(1);
  await own.restart();
  expect(await stream.next()).toMatchObject({
    event: "end",
    data: { reason: expect.stringContaining("shutting down") },
  });
  const lead = await addLead(admin);
  await using again = await openStream(`${own.url}${api}/stream?type=lead.*`, admin.key!, {
    "last-event-id": seen!.id!,
  });
  expect((await again.take(1))[0]?.data).toMatchObject({ leadId: lead.id });
});
