import { expect, test } from "bun:test";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { NewKeyView } from "../../src/platform/auth/key-model.ts";
import type { LeadView } from "../../src/features/leads/model.ts";
import type { AccountView } from "../../src/features/network/account-model.ts";
import type { ActionView } from "../../src/features/network/action-model.ts";
import type { PlanView, UsageView } from "../../src/features/network/forecast-model.ts";
import type { WorkerClaimView } from "../../src/features/network/work-model.ts";
import type { Client } from "../support/client.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { calmed, startService, succeeded, testInProcess, type Service } from "../support/service.ts";
import { startWebhookReceiver, webhookSecret } from "../support/vendors/webhook-receiver.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const root = "/api/v2/network";
const isoOf = (at: number): string => new Date(at).toISOString();

type Scheduled = {
  jobId: string;
  scheduledFor: string | null;
  delay: number | null;
  isNew: boolean;
  action: ActionView;
};

function request(name: string, change: object = {}) {
  return { actionType: "sendConnectionRequest", profileUrl: `https://network.example/in/${name}`, ...change };
}

async function schedule(client: Client, name: string, change: object = {}): Promise<Scheduled> {
  return succeeded(await client.post<Scheduled>(`${root}/scheduleNetworkAction`, request(name, change))).data;
}

async function actionOf(client: Client, jobId: string): Promise<ActionView> {
  return succeeded(await client.get<ActionView>(`${root}/actions/${jobId}`)).data;
}

async function accountPath(client: Client): Promise<string> {
  const { data } = succeeded(await client.get<{ accounts: AccountView[] }>(`${root}/accounts`));
  return `${root}/accounts/${data.accounts[0]?.id}`;
}

type World = { service: Service; clock: FakeClock; user: Client; account: string; pass: (ms: number) => Promise<void> };

/** A service at ten o'clock on a Monday, and a user whose account always works. */
async function withWorld(settings: Record<string, string>, run: (world: World) => Promise<void>): Promise<void> {
  const clock = new FakeClock();
  await using service = await startService({ settings: { CONNECTOR: "simulated", ...settings }, clock });
  const user = await calmed(await service.user());
  const account = await accountPath(user);
  const always = [{ from: "00:00", to: "24:00" }];
  const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
  succeeded(await user.patch(account, { workingHours: Object.fromEntries(days.map((name) => [name, always])) }));
  const pass = async (ms: number): Promise<void> => {
    await service.idle();
    for (const step of [ms, 0]) {
      clock.advance(step);
      await service.idle();
    }
  };
  await pass(0);
  await run({ service, clock, user, account, pass });
}

/** A second key of the client's user that may only propose. */
async function proposer({ client }: Pick<Service, "client">, user: Client): Promise<Client> {
  const input = {
    name: "agent",
    permissions: ["network:schedule", "network:read", "network:upload", "keys:manage", "jobs:update", "users:read"],
  };
  const made = await user.post<NewKeyView>("/api/v2/keys", { ...input, requiresApproval: true });
  return client(succeeded(made).data.key);
}

test.each([
  ["asked for in the request", { requireApproval: true }, {}],
  ["asked for by the account", {}, { requiresApproval: true }],
])("an action whose approval is %s waits for it, and goes on then", async (_what, change, settings) => {
  await using service = await startService();
  const user = await service.user();
  succeeded(await user.patch(await accountPath(user), settings));
  const { jobId, scheduledFor, delay } = await schedule(user, "ada", change);
  expect({ scheduledFor, delay }).toEqual({ scheduledFor: null, delay: null });
  const waiting = await actionOf(user, jobId);
  expect(waiting).toMatchObject({ state: "awaitingApproval", pendingReason: "awaitingApproval", scheduledFor: null });
  const { data } = await user.get<{ actions: ActionView[] }>(`${root}/actions`, {
    query: { state: "awaitingApproval" },
  });
  const { error, ...listed } = waiting;
  expect(error).toBeNull();
  expect(data.actions).toEqual([listed]);
  const stranger = await service.user();
  expect((await stranger.post(`${root}/actions/${jobId}/approve`)).status).toBe(404);
  const approved = succeeded(await user.post<ActionView>(`${root}/actions/${jobId}/approve`)).data;
  expect(approved.scheduledFor).not.toBeNull();
  expect((await user.post(`${root}/actions/${jobId}/approve`)).status).toBe(409);
});

test("a key that may only propose can't get an action approved by any way of its own", async () => {
  await using service = await startService();
  const user = await service.user();
  const agent = await proposer(service, user);
  // Not before tomorrow: approved in working hours it would go out at once.
  const notBefore = new Date(Date.now() + 86_400_000).toISOString();
  const { jobId, action } = await schedule(agent, "ada", { requireApproval: false, notBefore });
  expect(action.state).toBe("awaitingApproval");
  expect(await agent.post(`${root}/actions/${jobId}/approve`)).toMatchObject({
    status: 403,
    code: "PERMISSION_DENIED",
  });
  succeeded(await agent.post(`/api/v2/users/jobs/${jobId}/cancel`));
  succeeded(await agent.post(`/api/v2/users/jobs/${jobId}/retry`));
  expect((await actionOf(user, jobId)).state).toBe("awaitingApproval");
  for (const requiresApproval of [false, undefined]) {
    const made = await agent.post<NewKeyView>("/api/v2/keys", {
      name: "x",
      permissions: ["network:schedule"],
      requiresApproval,
    });
    if (requiresApproval === false) expect(made.status).toBe(403);
    else expect(made.data.requiresApproval).toBe(true);
  }
  const keys = (await user.get<{ keys: { id: string; requiresApproval: boolean }[] }>("/api/v2/keys")).data.keys;
  const [bound, unbound] = [keys.find((key) => key.requiresApproval), keys.find((key) => !key.requiresApproval)];
  expect((await agent.put(`/api/v2/keys/${bound?.id}`, { requiresApproval: false })).status).toBe(403);
  for (const change of [{ name: "mine" }, { isActive: true }])
    expect((await agent.put(`/api/v2/keys/${unbound?.id}`, change)).status).toBe(403);
  expect((await agent.post(`/api/v2/keys/${unbound?.id}/regenerate`)).status).toBe(403);
  const campaigns = "/api/v2/campaigns";
  const steps = [{ type: "action", actionType: "visitProfile" }];
  const campaign = succeeded(await agent.post<{ id: string }>(campaigns, { name: "spring", steps })).data;
  expect((await agent.post(`${campaigns}/${campaign.id}/start`)).status).toBe(403);
  succeeded(await user.post(`${campaigns}/${campaign.id}/start`));
  expect((await agent.post(`${campaigns}/${campaign.id}/enroll`, { leadIds: ["nobody"] })).status).toBe(403);
  const prospects = [{ name: "Ada Byron", network_url: "https://network.example/in/ada" }];
  expect((await agent.post(`${root}/upload-prospects`, { prospects, campaign_id: campaign.id })).status).toBe(403);
  // What a person approved is not what the agent writes into it afterwards.
  succeeded(await user.post(`${root}/actions/${jobId}/approve`));
  const edited = await agent.patch<ActionView>(`${root}/actions/${jobId}`, { message: "Buy now" });
  expect(edited.data).toMatchObject({ state: "awaitingApproval", message: "Buy now" });
});

testInProcess("an edit is all or nothing, and what the network does not take is refused", () =>
  withWorld({}, async ({ user, pass, clock }) => {
    await schedule(user, "first");
    const { jobId } = await schedule(user, "ada", { message: "Hello" });
    const before = await actionOf(user, jobId);
    for (const [change, path] of [
      [{ message: "x".repeat(301) }, "message"],
      [{ message: "Hi {{firstName}}" }, "message"],
      [{ message: "Hi", notBefore: "2031-01-01T00:00:00Z" }, "notBefore"],
    ] as const) {
      const refused = await user.patch(`${root}/actions/${jobId}`, change);
      expect(refused).toMatchObject({ status: 400, details: { errors: [{ path }] } });
      expect(await actionOf(user, jobId)).toEqual(before);
    }
    const notBefore = isoOf(clock.now() + 2 * hour);
    const later = succeeded(
      await user.patch<ActionView>(`${root}/actions/${jobId}`, { notBefore, message: null }),
    ).data;
    expect(later).toMatchObject({ message: null, scheduledFor: notBefore, pendingReason: "notBefore" });
    await pass(2 * hour);
    expect(await actionOf(user, jobId)).toMatchObject({ state: "completed", carriedOutAt: notBefore });
    expect((await user.patch(`${root}/actions/${jobId}`, { message: "late" })).status).toBe(409);
  }),
);

testInProcess("a dry run foretells the slot, and stores nothing", () =>
  withWorld({}, async ({ user }) => {
    for (const name of ["a", "b", "c"]) await schedule(user, name);
    const foretold = await schedule(user, "ada", { dryRun: true });
    expect(foretold).toMatchObject({ isNew: true, action: { state: "scheduled" } });
    expect((await user.get(`${root}/actions/${foretold.jobId}`)).status).toBe(404);
    // The distance is drawn for each action, so that the moments differ by that.
    const { delay } = await schedule(user, "ada");
    expect(Math.abs((delay ?? 0) - (foretold.delay ?? 0))).toBeLessThan(12 * minute);
  }),
);

testInProcess("a dry run is none wherever it is asked for, in the query or in the body", () =>
  withWorld({}, async ({ user }) => {
    const action = { actionType: "visitProfile", profileUrl: "https://network.example/in/ada" };
    for (const [query, fields] of [
      ["?dryRun=true", {}],
      ["?dryRun=1", {}],
      ["", { dryRun: true }],
      ["?dryRun=false", { dryRun: true }],
      ["?dryRun=true", { dryRun: false }],
    ] as const) {
      const { data } = succeeded(
        await user.post<{ jobId: string; dryRun: boolean }>(`${root}/scheduleNetworkAction${query}`, {
          ...action,
          ...fields,
        }),
      );
      expect(data.dryRun).toBe(true);
      expect((await user.get(`${root}/actions/${data.jobId}`)).status).toBe(404);
    }
    expect((await user.post(`${root}/scheduleNetworkAction?dryRun=perhaps`, action)).status).toBe(400);
    const lead = { email: "ada@example.com" };
    const { data } = succeeded(
      await user.post<{ creditsUsed: number }>("/api/v2/enrich", { leads: [lead], dryRun: true }),
    );
    expect(data).toMatchObject({ creditsUsed: 0, estimate: { leads: 1 } });
  }),
);

testInProcess("variables are filled in from the lead, and nobody reads one that is not", () =>
  withWorld({}, async ({ user }) => {
    const lead = succeeded(
      await user.post<LeadView>("/api/v2/leads", { email: "ada@example.com", firstName: "Ada" }),
    ).data;
    const filled = await schedule(user, "ada", {
      leadId: lead.id,
      message: "Hi {{firstName}} of {{company|your team}}",
    });
    expect(filled.action.message).toBe("Hi Ada of your team");
    for (const message of ["Hi {{company}}", "Hi {{nobody|x}}", "Hi {{firstName", "Hi }}"])
      expect(
        await user.post(`${root}/scheduleNetworkAction`, request("bob", { leadId: lead.id, message })),
      ).toMatchObject({
        status: 400,
        details: { errors: [{ path: "message" }] },
      });
    expect((await schedule(user, "bob", { message: "Hi {{firstName|there}}" })).action.message).toBe("Hi there");
  }),
);

testInProcess("usage and plan tell what was used and what comes, and a what-if stores nothing", () =>
  withWorld({}, async ({ user, account, pass, clock }) => {
    succeeded(await user.patch(account, { caps: { invites: { day: 2 } } }));
    for (let n = 0; n < 6; n++) await schedule(user, `person-${n}`);
    await pass(0);
    const plan = succeeded(await user.get<PlanView>(`${account}/plan`)).data;
    expect(plan).toMatchObject({ isHypothetical: false, waiting: 5, withinSevenDays: 5, timeZone: "UTC" });
    const usage = succeeded(await user.get<UsageView>(`${account}/usage`)).data;
    const invites = usage.meters.find(({ meter }) => meter === "invites")!.windows[0]!;
    expect(invites).toMatchObject({
      window: "day",
      limit: 2,
      used: 1,
      remaining: 1,
      resetsAt: isoOf(startOfTests + day),
    });
    const more = succeeded(await user.post<PlanView>(`${account}/plan`, { caps: { invites: { day: 50 } } })).data;
    expect(more.isHypothetical).toBe(true);
    expect(more.days).toHaveLength(1);
    expect(plan.days.length).toBeGreaterThan(1);
    expect(succeeded(await user.get<PlanView>(`${account}/plan`)).data).toEqual(plan);
    for (const { jobId, scheduledFor } of plan.actions) {
      await pass(Date.parse(scheduledFor) - clock.now());
      expect((await actionOf(user, jobId)).carriedOutAt).toBe(scheduledFor);
    }
  }),
);

testInProcess("what was done by hand counts, and nobody is invited twice", () =>
  withWorld({}, async ({ user, account, clock }) => {
    succeeded(await user.patch(account, { caps: { invites: { day: 1 } } }));
    const carriedOutAt = isoOf(clock.now() - hour);
    const recorded = await user.post<ActionView>(`${root}/actions/record`, { ...request("ada"), carriedOutAt });
    expect(recorded.data).toMatchObject({ state: "completed", carriedOutAt: carriedOutAt });
    expect(await user.post(`${root}/scheduleNetworkAction`, request("ada"))).toMatchObject({
      status: 409,
      details: { reason: "alreadyPending" },
    });
    expect(await schedule(user, "bob")).toMatchObject({ scheduledFor: isoOf(clock.now() + 23 * hour) });
    for (const wrong of ["2020-01-01", isoOf(clock.now() + hour)])
      expect(await user.post(`${root}/actions/record`, { ...request("carl"), carriedOutAt: wrong })).toMatchObject({
        status: 400,
      });
  }),
);

testInProcess("an unknown outcome is told by a person, and what was not sent can be tried again", () =>
  withWorld({}, async ({ user, pass }) => {
    const { jobId } = await schedule(user, "unknown-ada");
    await pass(0);
    expect(await actionOf(user, jobId)).toMatchObject({ state: "unknown", carriedOutAt: isoOf(startOfTests) });
    expect((await user.post(`/api/v2/users/jobs/${jobId}/retry`)).status).toBe(409);
    const resolved = await user.post<ActionView>(`${root}/actions/${jobId}/resolve`, {
      outcome: "failed",
      note: "Looked",
    });
    expect(resolved.data).toMatchObject({ state: "failed", carriedOutAt: null });
    expect((await user.post(`${root}/actions/${jobId}/resolve`, { outcome: "completed" })).status).toBe(409);
    expect(succeeded(await user.post<JobView>(`/api/v2/users/jobs/${jobId}/retry`)).data.status).toBe("pending");
  }),
);

testInProcess("a worker claims at the account's pace, keeps its claim alive, and reports the outcome", () =>
  withWorld({ ACKNOWLEDGE_NETWORK_RISK: "true" }, async ({ service, user, account, pass }) => {
    succeeded(await user.patch(account, { connector: "worker" }));
    const jobs = [await schedule(user, "ada", { message: "Hi" }), await schedule(user, "bob")];
    await pass(hour);
    const claim = async (body: object = {}) =>
      succeeded(await user.post<WorkerClaimView>(`${root}/worker/claim`, body)).data;
    const { claimed } = await claim({ leaseSeconds: 60 });
    expect(claimed).toMatchObject({
      jobId: jobs[0]!.jobId,
      message: "Hi",
      leaseUntil: isoOf(startOfTests + hour + minute),
    });
    expect(await claim()).toMatchObject({ claimed: null, retryAt: isoOf(startOfTests + hour + 90_000) });
    const path = `${root}/worker/${claimed!.jobId}`;
    succeeded(await user.post(`${path}/heartbeat`, { claim: claimed!.claim, leaseSeconds: 600 }));
    expect((await user.post(`${path}/heartbeat`, { claim: 99 })).status).toBe(409);
    await service.restart();
    await pass(5 * minute);
    const stranger = await service.user();
    expect((await stranger.post(`${path}/complete`, { claim: claimed!.claim, outcome: "completed" })).status).toBe(404);
    const report = { claim: claimed!.claim, outcome: "completed", reference: "w-1" };
    expect(succeeded(await user.post<ActionView>(`${path}/complete`, report)).data).toMatchObject({
      state: "completed",
      providerRef: "w-1",
    });
    expect((await user.post(`${path}/complete`, report)).status).toBe(409);
    const second = await claim({ leaseSeconds: 10 });
    expect(second.claimed?.jobId).toBe(jobs[1]!.jobId);
    await pass(minute);
    expect((await actionOf(user, jobs[1]!.jobId)).state).toBe("unknown");
  }),
);

testInProcess("only a worker's own claim is ended by a worker", () =>
  withWorld({}, async ({ user, pass }) => {
    const { jobId } = await schedule(user, "slow-ada");
    await pass(0);
    for (const claim of [1, 2])
      expect((await user.post(`${root}/worker/${jobId}/complete`, { claim, outcome: "refused" })).status).toBe(409);
    await pass(minute);
    expect((await actionOf(user, jobId)).state).toBe("completed");
  }),
);

testInProcess(
  "a webhook that took an action reports its outcome later; two days of silence make it unknown",
  async () => {
    await using receiver = await startWebhookReceiver();
    receiver.answerWith(new Response(null, { status: 202 }));
    const host = new URL(receiver.url).hostname;
    const settings = {
      ACKNOWLEDGE_NETWORK_RISK: "true",
      NETWORK_WEBHOOK_SECRET: webhookSecret,
      NETWORK_PRIVATE_HOSTS: host,
    };
    await withWorld(settings, async ({ user, account, pass, service }) => {
      const connectorSettings = { url: receiver.url };
      succeeded(await user.patch(account, { connector: "webhook", connectorSettings }));
      const jobs = [await schedule(user, "ada"), await schedule(user, "bob")].map(({ jobId }) => jobId);
      while (receiver.deliveries.length < 2) await pass(15 * minute);
      await pass(0);
      expect(receiver.deliveries.map(({ id }) => id)).toEqual(jobs);
      const path = `${root}/actions/${jobs[0]}`;
      expect(await actionOf(user, jobs[0]!)).toMatchObject({ state: "awaiting", pendingReason: "awaitingVendor" });
      expect((await user.post(`${path}/cancel`)).status).toBe(409);
      expect((await (await service.user()).post(`${path}/outcome`, { outcome: "completed" })).status).toBe(404);
      expect((await user.post(`${path}/outcome`, { outcome: "busy" })).status).toBe(409);
      const told = await user.post<ActionView>(`${path}/outcome`, { outcome: "completed", reference: "x-1" });
      expect(told.data).toMatchObject({ state: "completed", providerRef: "x-1" });
      expect((await user.post(`${path}/outcome`, { outcome: "refused" })).status).toBe(409);
      await pass(47 * hour);
      expect((await actionOf(user, jobs[1]!)).state).toBe("awaiting");
      await pass(2 * hour);
      expect((await actionOf(user, jobs[1]!)).state).toBe("unknown");
      expect(receiver.deliveries).toHaveLength(2);
    });
  },
);

test("profiles elsewhere than on the hosts of the operator are refused wherever they come in", async () => {
  await using service = await startService({ settings: { NETWORK_HOSTS: "network.example" } });
  const user = await service.user();
  for (const profileUrl of ["https://evil.example/in/ada", "https://network.example.evil.example/in/ada"])
    expect(await user.post(`${root}/scheduleNetworkAction`, { actionType: "visitProfile", profileUrl })).toMatchObject({
      status: 400,
      details: { errors: [{ path: "profileUrl" }] },
    });
  const profileUrl = "https://de.network.example/in/ada";
  expect((await user.post(`${root}/scheduleNetworkAction`, { actionType: "visitProfile", profileUrl })).status).toBe(
    200,
  );
  const prospects = [{ name: "Ada Byron", network_url: "https://evil.example/in/ada" }];
  const { body } = await user.post(`${root}/upload-prospects`, { prospects });
  expect(body).toMatchObject({ uploaded_count: 0, skipped_count: 1, results: [{ outcome: "invalid" }] });
});

test("of ten thousand uploaded rows the broken ones are told of, and sending the list again does no harm", async () => {
  await using service = await startService({ settings: { MAX_BODY_BYTES: "8MiB" } });
  const user = await service.user();
  const broken = [
    null,
    5,
    "x",
    [],
    {},
    { name: 5, network_url: 5 },
    { name: "No Url" },
    { name: "Ada", network_url: "nothing" },
  ];
  const prospects = Array.from({ length: 10_000 }, (_, n) =>
    n % 1000 < broken.length
      ? broken[n % 1000]
      : { name: `Ada Number${n}`, network_url: `https://network.example/in/ada-${n % 5000}`, email: null },
  );
  type Report = { uploaded_count: number; skipped_count: number; results: { outcome: string; index: number }[] };
  const upload = async (dryRun: boolean) =>
    (await user.post(`${root}/upload-prospects`, { prospects, dryRun })).body as Report;
  const counts = ({ results }: Report) => {
    const count = (outcome: string) => results.filter((result) => result.outcome === outcome).length;
    return { uploaded: count("uploaded"), duplicate: count("duplicate"), invalid: count("invalid") };
  };
  const expected = { uploaded: 4960, duplicate: 4960, invalid: 80 };
  expect(counts(await upload(true))).toEqual(expected);
  const stored = await upload(false);
  expect(counts(stored)).toEqual(expected);
  expect(stored).toMatchObject({ uploaded_count: 4960, skipped_count: 5040 });
  expect(stored.results.map(({ index }) => index)).toEqual(prospects.map((_, index) => index));
  expect(counts(await upload(false))).toEqual({ uploaded: 0, duplicate: 9920, invalid: 80 });
}, 60_000);
