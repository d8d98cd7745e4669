import { afterAll, expect, test } from "bun:test";
import type { LeadView } from "../../src/features/leads/model.ts";
import type { DeliveryView, EndpointInput, EndpointView, NewEndpointView } from "../../src/features/webhooks/model.ts";
import type { Client, SendOptions } from "../support/client.ts";
import { startEventReceiver } from "../support/event-receiver.ts";
import { eventually, startService, succeeded } from "../support/service.ts";

const service = await startService({ settings: { WEBHOOK_PRIVATE_HOSTS: "127.0.0.1" } });
afterAll(() => service[Symbol.asyncDispose]());

const api = "/api/v2/webhooks";
type Page = { deliveries: DeliveryView[]; nextCursor: string | null };

async function add(client: Client, input: Partial<EndpointInput> & { url: string }): Promise<NewEndpointView> {
  return succeeded(await client.post<NewEndpointView>(api, input)).data;
}

async function addLead(client: Client): Promise<LeadView> {
  const email = `${crypto.randomUUID()}@example.com`;
  return succeeded(await client.post<LeadView>("/api/v2/leads", { email })).data;
}

async function list(client: Client, id: string, query: SendOptions["query"] = {}): Promise<Page> {
  return succeeded(await client.get<Page>(`${api}/${id}/deliveries`, { query })).data;
}

/** A receiver with its endpoint, which wants what is named. */
async function connected(client: Client, events: string[] = ["lead.*"]) {
  const receiver = await startEventReceiver();
  const endpoint = await add(client, { url: `${receiver.url}/hook`, events });
  receiver.use(endpoint.secret);
  return { receiver, endpoint, [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose]() };
}

async function ended(client: Client, endpointId: string, id: string): Promise<DeliveryView> {
  return eventually("the end of a delivery", async () => {
    const { data } = await client.get<DeliveryView>(`${api}/${endpointId}/deliveries/${id}`);
    return data.state === "pending" && data.attempts.length === 0 ? null : data;
  });
}

test("what happens is posted to the endpoint, signed so that Standard Webhooks verifies it", async () => {
  const user = await service.user();
  await using own = await connected(user);
  const lead = await addLead(user);
  const event = await own.receiver.has(({ type }) => type === "lead.created");
  expect(event).toMatchObject({ data: { leadId: lead.id, userId: user.userId }, signatures: 1 });
  const delivery = await ended(user, own.endpoint.id, String(event.data["eventId"]));
  expect(delivery).toMatchObject({
    webhookId: event.id,
    state: "delivered",
    nextAttemptAt: null,
    payload: { type: "lead.created", timestamp: event.timestamp, data: event.data },
    attempts: [{ status: 200, error: null, response: "thanks" }],
  });
  expect(succeeded(await user.get<EndpointView>(`${api}/${own.endpoint.id}`)).data).toMatchObject({
    state: "working",
    lastSuccessAt: expect.stringMatching(/^\d{4}/),
  });
});

test("the secret is shown when the endpoint is made or it is rotated, and never again", async () => {
  const user = await service.user();
  await using own = await connected(user);
  const { id, secret } = own.endpoint;
  const seen = [
    await user.get(api),
    await user.get(`${api}/${id}`),
    await user.patch(`${api}/${id}`, { description: "CRM" }),
  ];
  for (const answer of seen) expect(JSON.stringify(succeeded(answer).body)).not.toContain("whsec_");
  const rotated = succeeded(await user.post<NewEndpointView>(`${api}/${id}/rotate`)).data;
  expect(rotated.secret).toStartWith("whsec_");
  expect(rotated.secret).not.toBe(secret);
  expect(rotated.oldSecretUntil).not.toBeNull();
  await addLead(user);
  // The receiver still has the old one.
  expect((await own.receiver.has(() => true)).signatures).toBe(2);
  succeeded(await user.post(`${api}/${id}/rotate`, { overlapHours: 0 }));
  const test = succeeded(await user.post<DeliveryView>(`${api}/${id}/test`)).data;
  expect((await ended(user, id, test.id)).attempts[0]).toMatchObject({ status: 401, response: "Wrong signature" });
});

test("a test event is posted to one endpoint alone, also when it wants other things", async () => {
  const user = await service.user();
  await using own = await connected(user, ["voice.*"]);
  await using other = await connected(user, []);
  const delivery = succeeded(await user.post<DeliveryView>(`${api}/${own.endpoint.id}/test`)).data;
  expect(delivery).toMatchObject({ type: "webhook.test", endpointId: own.endpoint.id });
  expect(await own.receiver.has(() => true)).toMatchObject({ type: "webhook.test", id: delivery.webhookId });
  await addLead(user);
  await other.receiver.has(({ type }) => type === "lead.created");
  expect(other.receiver.received.map(({ type }) => type)).not.toContain("webhook.test");
});

test("a failure shows in the log with what the receiver said, and is tried again", async () => {
  const user = await service.user();
  await using own = await connected(user);
  let times = 0;
  own.receiver.answerWith(() =>
    times++ === 0 ? new Response("database is down\u0000", { status: 500 }) : new Response(),
  );
  await addLead(user);
  const failing = await eventually("a failure", async () => (await list(user, own.endpoint.id)).deliveries[0] ?? null);
  const { attempts } = await ended(user, own.endpoint.id, failing.id);
  expect(attempts[0]).toMatchObject({
    status: 500,
    error: "The receiver responded with 500.",
    response: "database is down",
  });
  expect(succeeded(await user.get<EndpointView>(`${api}/${own.endpoint.id}`)).data).toMatchObject({
    failures: 1,
    state: "failing",
  });
  // Not to wait for the five seconds of the schedule.
  succeeded(await user.post(`${api}/${own.endpoint.id}/deliveries/${failing.id}/replay`));
  await eventually("a delivery", async () =>
    (await list(user, own.endpoint.id, { state: "delivered" })).deliveries.length === 1 ? true : null,
  );
  const ids = own.receiver.received.map(({ id }) => id);
  expect(ids).toEqual([ids[0]!, ids[0]!]);
});

test("redirects are not followed, and a receiver that is gone is turned off with the reason", async () => {
  const user = await service.user();
  await using target = await startEventReceiver();
  await using own = await connected(user);
  own.receiver.answerWith(() => new Response("", { status: 307, headers: { location: target.url } }));
  const moved = succeeded(await user.post<DeliveryView>(`${api}/${own.endpoint.id}/test`)).data;
  expect((await ended(user, own.endpoint.id, moved.id)).attempts[0]).toMatchObject({
    status: 307,
    error: expect.stringContaining("Redirects are not followed"),
  });
  expect(target.requests).toHaveLength(0);
  own.receiver.answerWith(() => new Response("", { status: 410 }));
  await addLead(user);
  const disabled = await eventually("its end", async () => {
    const { data } = await user.get<EndpointView>(`${api}/${own.endpoint.id}`);
    return data.isEnabled ? null : data;
  });
  expect(disabled).toMatchObject({ state: "disabled", disabledReason: expect.stringContaining("410") });
  const events = await user.get<{ events: object[] }>("/api/v2/events", { query: { type: "webhook.disabled" } });
  expect(succeeded(events).data.events).toMatchObject([{ data: { endpointId: own.endpoint.id } }]);
  for (const path of ["test", "deliveries/1/replay"])
    expect(await user.post(`${api}/${own.endpoint.id}/${path}`)).toMatchObject({ status: 409, code: "CONFLICT" });
});

test("a private address is refused, by its number and by what its name leads to", async () => {
  const user = await service.user();
  for (const url of [
    "https://10.1.2.3/x",
    "https://[::1]/x",
    "http://crm.example.com/x",
    "ftp://127.0.0.1",
    "x",
    "https://a:b@c.example/",
  ])
    expect(await user.post(api, { url })).toMatchObject({ status: 400, details: { errors: [{ path: "url" }] } });
  const { id } = await add(user, { url: "https://localhost:9/hook" });
  const test = succeeded(await user.post<DeliveryView>(`${api}/${id}/test`)).data;
  expect((await ended(user, id, test.id)).attempts[0]).toMatchObject({
    status: null,
    error: expect.stringContaining("not public"),
  });
});

test("a receiver that hangs delays nobody else", async () => {
  const user = await service.user();
  await using hanging = await connected(user);
  await using own = await connected(user);
  hanging.receiver.breakWith("hanging");
  for (let n = 0; n < 5; n++) await addLead(user);
  await hanging.receiver.hasHung();
  await eventually("all", async () => (own.receiver.received.length === 5 ? true : null));
});

test("what a time brought is delivered again, also what came while the endpoint was off", async () => {
  const user = await service.user();
  await using own = await connected(user);
  const { id } = own.endpoint;
  const from = new Date(Date.now() - 60_000).toISOString();
  await addLead(user);
  const first = await own.receiver.has(() => true);
  await ended(user, id, String(first.data["eventId"]));
  succeeded(await user.patch(`${api}/${id}`, { isEnabled: false }));
  const missed = await addLead(user);
  expect(await user.post(`${api}/${id}/replay`, { from })).toMatchObject({ status: 409 });
  succeeded(await user.patch(`${api}/${id}`, { isEnabled: true }));
  expect(succeeded(await user.post(`${api}/${id}/replay`, { from })).data).toEqual({ replayed: 1, nextCursor: null });
  await own.receiver.has(({ data }) => data["leadId"] === missed.id);
  await eventually("its end", async () =>
    (await list(user, id, { state: "delivered" })).deliveries.length === 2 ? true : null,
  );
  const again = await user.post(`${api}/${id}/replay`, { from, include: "all" });
  expect(succeeded(again).data).toEqual({ replayed: 2, nextCursor: null });
  await eventually("both again", async () => (own.receiver.received.length === 4 ? true : null));
  expect(new Set(own.receiver.received.map((event) => event.id)).size).toBe(2);
  for (const wrong of [{}, { from: "soon" }, { from: "2026-01-02", to: "2026-01-01" }, { from, include: "some" }])
    expect(await user.post(`${api}/${id}/replay`, wrong)).toMatchObject({ status: 400 });
});

test("endpoints are told apart by their events, are changed, listed and deleted", async () => {
  const user = await service.user();
  const made = await add(user, { url: "https://crm.example.com/a", events: ["lead.*", "lead.*", "message.replied"] });
  expect(made).toMatchObject({ events: ["lead.*", "message.replied"], isEnabled: true, state: "working" });
  const all = await add(user, { url: "https://crm.example.com/b", events: ["lead.*", "*"], isEnabled: false });
  expect(all).toMatchObject({ events: ["*"], state: "disabled", disabledReason: null });
  const wrong = await user.post(api, { url: "https://crm.example.com/", events: ["lead.created", "lead.crated"] });
  expect(wrong).toMatchObject({ status: 400, details: { errors: [{ path: "events.1", index: 1 }] } });
  const changed = await user.patch<EndpointView>(`${api}/${made.id}`, { description: " Our\nCRM ", events: [] });
  expect(succeeded(changed).data).toMatchObject({ description: "Our CRM", events: ["*"], url: made.url });
  const listed = succeeded(await user.get<{ endpoints: EndpointView[]; total: number }>(api)).data;
  expect([listed.endpoints.map(({ id }) => id).toSorted(), listed.total]).toEqual([[made.id, all.id].toSorted(), 2]);
  succeeded(await user.delete(`${api}/${made.id}`));
  for (const answer of [await user.get(`${api}/${made.id}`), await user.delete(`${api}/${made.id}`)])
    expect(answer).toMatchObject({ status: 404, code: "NOT_FOUND" });
});

test("a misspelled field is refused, so that nobody is told more than was meant", async () => {
  const user = await service.user();
  const url = "https://crm.example.com/a";
  const wrong = await user.post(api, { url, event: ["lead.*"] });
  expect(wrong).toMatchObject({ status: 400, details: { errors: [{ path: "event" }] } });
  expect(wrong.message).toContain("Did you mean events?");
  const { id } = await add(user, { url });
  const enabled = await user.patch(`${api}/${id}`, { enabled: false });
  expect(enabled).toMatchObject({ status: 400, details: { errors: [{ path: "enabled" }] } });
  expect(succeeded(await user.get<EndpointView>(`${api}/${id}`)).data).toMatchObject({ isEnabled: true });
});

test("somebody else's endpoint looks absent, and reading takes no right to write", async () => {
  const [ada, bob] = [await service.user(), await service.user()];
  const { id } = await add(ada, { url: "https://crm.example.com/a" });
  const paths = ["", "/deliveries", "/deliveries/1"];
  for (const path of paths) expect(await bob.get(`${api}/${id}${path}`)).toMatchObject({ status: 404 });
  for (const path of ["/test", "/rotate", "/deliveries/1/replay"])
    expect(await bob.post(`${api}/${id}${path}`)).toMatchObject({ status: 404 });
  expect(await bob.post(`${api}/${id}/replay`, { from: "2026-01-01" })).toMatchObject({ status: 404 });
  const reader = await service.keyOf(ada, ["webhooks:read"]);
  succeeded(await reader.get(`${api}/${id}`));
  expect(await reader.post(`${api}/${id}/test`)).toMatchObject({ status: 403 });
  expect(await ada.get(`${api}/${id}/deliveries/abc`)).toMatchObject({ status: 404 });
});

test("what waits for a receiver is delivered after a restart", async () => {
  await using own = await startService({ settings: { WEBHOOK_PRIVATE_HOSTS: "127.0.0.1" } });
  await using pair = await connected(own.admin);
  const { id } = pair.endpoint;
  pair.receiver.answerWith(() => new Response("", { status: 500 }));
  await addLead(own.admin);
  const { data } = await pair.receiver.has(() => true);
  await ended(own.admin, id, String(data["eventId"]));
  await own.restart();
  pair.receiver.answerWith(() => new Response());
  succeeded(await own.admin.post(`${api}/${id}/deliveries/${String(data["eventId"])}/replay`));
  await eventually("its delivery", async () =>
    (await list(own.admin, id, { state: "delivered" })).deliveries.length === 1 ? true : null,
  );
});
