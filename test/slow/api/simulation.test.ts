import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import type { CampaignStep, CampaignView } from "../../../src/features/campaigns/model.ts";
import { permissions } from "../../../src/platform/auth/key-model.ts";
import type { Advanced, SimulationView } from "../../../src/features/simulation/model.ts";
import type { DeliveryView, EndpointView } from "../../../src/features/webhooks/model.ts";
import type { Client } from "../../support/client.ts";
import { eventually, startService, succeeded, type Service } from "../../support/service.ts";

// Weeks take seconds, on a busy machine more.
setDefaultTimeout(60_000);

const settings = {
  SIMULATE: "true",
  SIMULATED_START: "2026-01-05T09:00:00Z",
  ENRICHMENT_PROVIDERS: "simulated",
  WEBHOOK_PRIVATE_HOSTS: "127.0.0.1",
};
const service = await startService({ settings });
afterAll(() => service[Symbol.asyncDispose]());

const clock = "/api/v2/simulation/clock";
const advanced = async (admin: Client, body: object) => succeeded(await admin.post<Advanced>(clock, body)).data;
const now = async ({ admin }: Service) => succeeded(await admin.get<SimulationView>("/api/v2/simulation")).data.now;

test("a simulation says everywhere that it is one", async () => {
  const { headers, body } = await service.admin.get("/api/v2/health");
  expect(headers.get("x-simulation")).toMatch(/^2026-/);
  expect(body).toMatchObject({ simulation: true });
  expect((await service.client(null).get("/healthz")).body).toEqual({ status: "ok", simulation: true });
});

test("time stands still until an admin moves it, and only goes on", async () => {
  const before = await now(service);
  expect(await now(service)).toBe(before);
  const { from, to } = await advanced(service.admin, { advance: "PT6H" });
  expect({ from, lasted: Date.parse(to) - Date.parse(from) }).toEqual({ from: before, lasted: 6 * 3_600_000 });
  expect(await advanced(service.admin, { to })).toMatchObject({ from: to, to, steps: 0 });
  const refused = async (body: object) => (await service.admin.post(clock, body)).message;
  expect(await refused({ to: before })).toContain("before the current simulated time");
  expect(await refused({})).toContain("advance");
  expect(await refused({ advance: "P1D", to })).toContain("advance");
  expect(await refused({ advance: "a month" })).toContain("advance: Expected a duration");
  expect(await refused({ advance: "P400D" })).toContain("366 days");
  expect(await now(service)).toBe(to);
});

test("only an admin moves it", async () => {
  const member = await service.user();
  expect((await member.post(clock, { advance: "PT1H" })).status).toBe(403);
  const lesser = await service.keyOf(
    service.admin,
    permissions.filter((name) => name !== "users:write"),
  );
  expect((await lesser.post(clock, { advance: "PT1H" })).status).toBe(403);
});

test("actions and campaigns happen at their moments, people react, and the answer tells it in order", async () => {
  const user = await service.user();
  const path = "/api/v2/network/scheduleNetworkAction";
  for (let n = 0; n < 12; n++)
    succeeded(
      await user.post(path, {
        actionType: "sendConnectionRequest",
        profileUrl: `https://network.example/in/p${n}-accepts`,
      }),
    );
  const lead = { email: "ada@example.com", networkUrl: "https://network.example/in/ada-accepts-replies" };
  const { id: leadId } = succeeded(await user.post<{ id: string }>("/api/v2/leads", lead)).data;
  const message: CampaignStep = { type: "action", actionType: "sendMessage", message: "Hello" };
  const steps: CampaignStep[] = [
    { type: "action", actionType: "sendConnectionRequest" },
    { type: "branch", condition: "connected", withinDays: 5, yes: [message], no: [] },
  ];
  const { id } = succeeded(await user.post<CampaignView>("/api/v2/campaigns", { name: "Hello", steps })).data;
  succeeded(await user.post(`/api/v2/campaigns/${id}/enroll`, { leadIds: [leadId] }));
  succeeded(await user.post(`/api/v2/campaigns/${id}/start`));

  const told = await advanced(service.admin, { advance: "P8D" });
  // The first was sent when it was scheduled, before the clock was moved.
  expect(told.actions).toMatchObject({ sendConnectionRequest: { completed: 12 }, sendMessage: { completed: 1 } });
  expect({ accepted: told.accepted, replied: told.replied }).toEqual({ accepted: 13, replied: 1 });
  const moments = told.events.map(({ at }) => at);
  expect(moments.toSorted()).toEqual(moments);
  expect(told.total).toBe(moments.length);
  const sends = told.events.filter(({ kind }) => kind === "action").map(({ at }) => Date.parse(at));
  for (const [n, at] of sends.entries()) expect(at - (sends[n - 1] ?? 0), `send ${n}`).toBeGreaterThan(60_000);
  expect(await now(service)).toBe(told.to);
});

/** A receiver that a moving clock waits for: it is posted an event as soon as time moves, and does not answer until told. */
async function startPatientReceiver(own: Service) {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch() {
      asked.resolve();
      await answer.promise;
      return new Response("");
    },
  });
  const user = await own.user();
  succeeded(await user.post("/api/v2/webhooks", { url: `${receiver.url}hook`, events: ["lead.created"] }));
  succeeded(await user.post("/api/v2/leads", { email: "grace@example.com" }));
  return {
    /** Resolves when the clock waits for it. */
    asked: asked.promise,
    answer: () => answer.resolve(),
    [Symbol.asyncDispose]: async () => {
      answer.resolve();
      await receiver.stop(true);
    },
  };
}

test("one moves the clock at a time, and who goes away stops it", async () => {
  await using own = await startService({ settings });
  await using receiver = await startPatientReceiver(own);
  const away = new AbortController();
  const moving = own.admin.post(clock, { advance: "P366D" }, { signal: away.signal }).catch(() => "went away");
  await receiver.asked;
  expect((await own.admin.post(clock, { advance: "PT1H" })).code).toBe("CONFLICT");
  away.abort();
  expect(await moving).toBe("went away");
  receiver.answer();
  await eventually("the clock to stand", async () =>
    succeeded(await own.admin.get<SimulationView>("/api/v2/simulation")).data.isAdvancing ? null : true,
  );
  expect((await now(own)) < "2027-01-01").toBe(true);
});

test("a request with a key moves the clock once, however far: keys are kept by the time of who sends them", async () => {
  await using own = await startService({ settings: { ...settings, IDEMPOTENCY_HOURS: 1 } });
  const move = (key: string, advance: string) =>
    own.admin.post<Advanced>(clock, { advance }, { headers: { "idempotency-key": key } });
  // By the simulated time its mark gets much older than answers are kept.
  for (const advance of ["PT2H", "P7D"]) {
    const first = succeeded(await move(advance, advance));
    const again = succeeded(await move(advance, advance));
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
    expect(await now(own)).toBe(first.data.to);
  }
  await advanced(own.admin, { advance: "P30D" });
  const stands = await now(own);
  expect(succeeded(await move("P7D", "P7D")).headers.get("idempotent-replayed")).toBe("true");
  expect(await now(own)).toBe(stands);
});

test("who goes away and has a key finds the clock moved all the way", async () => {
  await using own = await startService({ settings });
  await using receiver = await startPatientReceiver(own);
  const from = await now(own);
  const away = new AbortController();
  const keyed = { headers: { "idempotency-key": "two days" } };
  const advance = { advance: "P2D" };
  const moving = own.admin.post(clock, advance, { ...keyed, signal: away.signal }).catch(() => "went away");
  await receiver.asked;
  away.abort();
  expect(await moving).toBe("went away");
  expect((await own.admin.post<Advanced>(clock, advance, keyed)).code).toBe("REQUEST_IN_PROGRESS");
  receiver.answer();
  const told = await eventually("the answer", async () => {
    const again = await own.admin.post<Advanced>(clock, advance, keyed);
    return again.code === "REQUEST_IN_PROGRESS" ? null : succeeded(again).data;
  });
  expect(Date.parse(told.to) - Date.parse(from)).toBe(2 * 86_400_000);
});

test("a webhook that fails is posted again at the moments of its schedule", async () => {
  const user = await service.user();
  let posts = 0;
  using receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response("", { status: ++posts < 4 ? 500 : 200 }),
  });
  const wanted = { url: `${receiver.url}hook`, events: ["lead.created"] };
  const { id } = succeeded(await user.post<{ id: string }>("/api/v2/webhooks", wanted)).data;
  succeeded(await user.post("/api/v2/leads", { email: "grace@example.com" }));
  await advanced(service.admin, { advance: "P2D" });
  const path = `/api/v2/webhooks/${id}/deliveries`;
  const { deliveries } = succeeded(await user.get<{ deliveries: DeliveryView[] }>(path)).data;
  expect(deliveries).toMatchObject([
    { state: "delivered", attempts: [500, 500, 500, 200].map((status) => ({ status })) },
  ]);
  const moments = deliveries[0]!.attempts.map(({ at }) => Date.parse(at));
  const pauses = moments.slice(1).map((at, n) => (at - moments[n]!) / 1000);
  // Of the Standard Webhooks specification, with jitter.
  for (const [n, due] of [5, 300, 1800].entries()) expect(pauses[n], `pause ${n}`).toBeWithin(due * 0.7, due * 1.5);
});

test("an endpoint that fails for five days is turned off, not before; once it is on it gets what it missed, and tests at once", async () => {
  await using own = await startService({ settings });
  const user = await own.user();
  let status = 500;
  const got: string[] = [];
  using receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { type, data } = (await request.json()) as { type: string; data: { leadId?: string } };
      if (status === 200) got.push(data.leadId ?? type);
      return new Response("", { status });
    },
  });
  const from = await now(own);
  const wanted = { url: `${receiver.url}hook`, events: ["lead.created"] };
  const { id } = succeeded(await user.post<{ id: string }>("/api/v2/webhooks", wanted)).data;
  const endpoint = async () => succeeded(await user.get<EndpointView>(`/api/v2/webhooks/${id}`)).data;
  const leads: string[] = [];
  for (let day = 0; day < 6; day++) {
    const lead = { email: `day${day}@example.com` };
    leads.push(succeeded(await user.post<{ id: string }>("/api/v2/leads", lead)).data.id);
    await advanced(own.admin, { advance: "P1D" });
    // The first failure came a moment after the beginning.
    expect((await endpoint()).state).toBe(day < 5 ? "failing" : "disabled");
  }
  expect((await endpoint()).disabledReason).toStartWith("Every attempt has failed for 5 days.");
  expect((await user.post(`/api/v2/webhooks/${id}/test`)).code).toBe("CONFLICT");

  status = 200;
  succeeded(await user.patch(`/api/v2/webhooks/${id}`, { isEnabled: true }));
  succeeded(await user.post(`/api/v2/webhooks/${id}/replay`, { from }));
  succeeded(await user.post(`/api/v2/webhooks/${id}/test`));
  await advanced(own.admin, { advance: "PT1M" });
  expect(got[0]).toBe("webhook.test");
  expect(got.slice(1).toSorted()).toEqual(leads.toSorted());
});

test("leads are enriched, prospects found, and nobody outside is asked", async () => {
  const user = await service.user();
  const leads = Array.from({ length: 10 }, (_, n) => ({ email: `person${n}@firm${n}.example` }));
  const { enriched } = succeeded(await user.post<{ enriched: object[] }>("/api/v2/enrich", { leads })).data;
  expect(enriched.length).toBeWithin(3, 11);
  const search = { filters: {}, source: "pdl", limit: 5 };
  const found = succeeded(await user.post<{ prospects: object[] }>("/api/v2/prospecting/search", search)).data;
  expect(found.prospects).toHaveLength(5);
});

test("a browser stays signed in, however long the simulation goes on", async () => {
  const page = { "x-outreachd-page": "1", "content-type": "application/json" };
  const signedIn = await fetch(`${service.url}/app/session`, {
    method: "POST",
    headers: page,
    body: JSON.stringify({ key: service.admin.key }),
  });
  const cookie = signedIn.headers.get("set-cookie") ?? "";
  expect(cookie).toContain("Max-Age=2592000;");
  // Longer than a session lasts.
  await advanced(service.admin, { advance: "P31D" });
  const headers = { ...page, cookie: cookie.split(";")[0] ?? "" };
  expect((await fetch(`${service.url}/api/v2/simulation`, { headers })).status).toBe(200);
});

test("a restart goes on at the moment at which it stopped", async () => {
  await using own = await startService({ settings });
  const { to } = await advanced(own.admin, { advance: "P1D" });
  await own.restart();
  expect(await now(own)).toBe(to);
});

test("two runs of the same seed are the same", async () => {
  const run = async (): Promise<Advanced> => {
    await using own = await startService({ settings });
    for (let n = 0; n < 8; n++)
      await own.admin.post("/api/v2/network/scheduleNetworkAction", {
        actionType: "sendConnectionRequest",
        profileUrl: `https://network.example/in/person-${n}`,
      });
    return await advanced(own.admin, { advance: "P2D" });
  };
  const first = await run();
  expect(first.actions["sendConnectionRequest"]).toEqual({ completed: 7 });
  expect(await run()).toEqual(first);
});

test("a real server has no such routes", async () => {
  await using real = await startService();
  expect((await real.admin.post(clock, { advance: "P1D" })).code).toBe("NOT_FOUND");
  expect((await real.admin.get("/api/v2/health")).headers.get("x-simulation")).toBeNull();
});
