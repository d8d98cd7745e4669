import { afterAll, expect, test } from "bun:test";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { LeadView } from "../../src/features/leads/model.ts";
import type { Connector, ConnectorOutcome } from "../../src/features/network/connector.ts";
import type { AccountUpdate, AccountView } from "../../src/features/network/account-model.ts";
import type { ActionView } from "../../src/features/network/action-model.ts";
import type { Answer, Client } from "../support/client.ts";
import { FakeClock } from "../support/clock.ts";
import { calmed, startService, succeeded, testInProcess, type ServiceOptions } from "../support/service.ts";

/** Serves the tests of this file that do not start one of their own: each has users who see nothing of each other. */
const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

type Scheduled = {
  jobId: string;
  scheduledFor: string;
  delay: number;
  reason: string;
  isNew: boolean;
  dryRun: boolean;
  action: ActionView;
};
type Task = {
  personName: string | null;
  jobId: string;
  actionType: string;
  profileUrl: string;
  message: string | null;
  leadId: string | null;
  since: string;
};
type Tasks = { tasks: Task[]; total: number; limit: number; nextCursor: string | null };

const minute = 60_000;
const hour = 60 * minute;
const path = "/api/v2/network/scheduleNetworkAction";

function request(name: string, change: object = {}) {
  return { actionType: "sendConnectionRequest", profileUrl: `https://network.example/in/${name}`, ...change };
}

async function schedule(client: Client, name: string, change: object = {}): Promise<Scheduled> {
  return succeeded(await client.post<Scheduled>(path, request(name, change))).data;
}

async function jobOf(client: Client, jobId: string): Promise<JobView> {
  return succeeded(await client.get<JobView>(`/api/v2/users/jobs/${jobId}`)).data;
}

async function accountOf(client: Client): Promise<AccountView> {
  const { data } = succeeded(await client.get<{ accounts: AccountView[] }>("/api/v2/network/accounts"));
  return data.accounts[0] as AccountView;
}

async function changeAccount(client: Client, change: AccountUpdate): Promise<Answer<AccountView>> {
  return client.patch<AccountView>(`/api/v2/network/accounts/${(await accountOf(client)).id}`, change);
}

async function tasksOf(client: Client, query: Record<string, number> = {}): Promise<Tasks> {
  return succeeded(await client.get<Tasks>("/api/v2/network/tasks", { query })).data;
}

function errorPaths(answer: Answer): string[] {
  return (answer.details?.["errors"] as { path: string }[]).map(({ path }) => path);
}

const allDay = [{ from: "00:00", to: "24:00" }];
const everyDay = {
  monday: allDay,
  tuesday: allDay,
  wednesday: allDay,
  thursday: allDay,
  friday: allDay,
  saturday: allDay,
  sunday: allDay,
};

/** A service whose clock stands at ten o'clock on a Monday, with a user whose account works from nine to six. */
async function atWork(options: Omit<ServiceOptions, "clock"> = {}, now?: number) {
  const clock = new FakeClock(now);
  const service = await startService({ settings: { CONNECTOR: "simulated" }, ...options, clock });
  const user = await calmed(await service.user());
  async function pass(ms: number): Promise<void> {
    await service.idle();
    for (const step of [ms, 0]) {
      clock.advance(step);
      await service.idle();
    }
  }
  return {
    clock,
    service,
    user,
    /** Moves time forward and lets everything that becomes due happen. */
    pass,
    /** As `pass`, minute by minute, so that what waits for its turn gets it. */
    async passMinutes(minutes: number): Promise<void> {
      for (let passed = 0; passed < minutes; passed++) await pass(minute);
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** A connector that answers what it is told to, and remembers what it was asked. */
function scripted(...outcomes: (ConnectorOutcome | Error | Promise<ConnectorOutcome>)[]) {
  const asked: { profileUrl: string; message: string | null; actionType: string }[] = [];
  const connector: Connector = {
    async carryOut({ profileUrl, message, actionType }) {
      asked.push({ profileUrl, message, actionType });
      const outcome = outcomes.shift() ?? { kind: "completed", reference: null };
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
  };
  return { asked, connectors: { simulated: connector } };
}

testInProcess("the first action of an account in its working hours runs at once", async () => {
  const script = scripted();
  await using world = await atWork({ connectors: script.connectors });
  const scheduled = await world.user.post<Scheduled>(path, request("ada", { message: " Hello Ada " }));
  expect(scheduled).toMatchObject({
    status: 200,
    message: expect.stringContaining("sendConnectionRequest runs in 0 ms (in less than a minute)."),
  });
  expect(scheduled.data).toMatchObject({
    delay: 0,
    reason: "queued",
    isNew: true,
    scheduledFor: new Date(world.clock.now()).toISOString(),
  });
  await world.service.idle();
  expect(script.asked).toEqual([
    { actionType: "sendConnectionRequest", profileUrl: "https://network.example/in/ada", message: "Hello Ada" },
  ]);
  const job = await jobOf(world.user, scheduled.data.jobId);
  expect(job).toMatchObject({ type: "linkedin_action", status: "completed", progress: 100 });
  expect(job.metadata).toMatchObject({
    actionType: "sendConnectionRequest",
    profileUrl: "https://network.example/in/ada",
    delay: 0,
    outcome: "completed",
  });
});

testInProcess("actions keep a random distance within the bounds of the account", async () => {
  await using world = await atWork();
  const slots: Scheduled[] = [];
  for (let index = 0; index < 12; index++) slots.push(await schedule(world.user, `person-${index}`));
  const gaps = slots
    .slice(1)
    .map(({ scheduledFor }, index) => Date.parse(scheduledFor) - Date.parse(slots[index]?.scheduledFor ?? ""));
  for (const gap of gaps) {
    expect(gap).toBeGreaterThanOrEqual(90_000);
    expect(gap).toBeLessThanOrEqual(720_000);
  }
  expect(new Set(gaps).size).toBeGreaterThan(5);
  expect(slots.map(({ reason }) => reason)).toEqual([
    "queued",
    "spacing",
    ...Array.from({ length: 10 }, () => "queued"),
  ]);
  for (const { delay, scheduledFor } of slots) expect(Date.parse(scheduledFor)).toBe(world.clock.now() + delay);
});

testInProcess("requests at the same time get moments of their own", async () => {
  await using world = await atWork();
  const slots = await Promise.all(Array.from({ length: 20 }, (_, index) => schedule(world.user, `person-${index}`)));
  const moments = slots.map(({ scheduledFor }) => Date.parse(scheduledFor)).toSorted((a, b) => a - b);
  for (const [index, moment] of moments.slice(1).entries())
    expect(moment - (moments[index] ?? 0)).toBeGreaterThanOrEqual(90_000);
});

testInProcess("an action waits for its moment, and its message names the delay", async () => {
  const script = scripted();
  await using world = await atWork({ connectors: script.connectors });
  await schedule(world.user, "first");
  await world.service.idle();
  const answer = await world.user.post<Scheduled>(path, request("second"));
  expect(answer.message).toContain(`sendConnectionRequest runs in ${answer.data.delay} ms (in about `);
  await world.pass(answer.data.delay - 1);
  expect(script.asked).toHaveLength(1);
  expect(await jobOf(world.user, answer.data.jobId)).toMatchObject({
    status: "pending",
    metadata: { delay: answer.data.delay, pendingReason: "spacing" },
  });
  await world.pass(1);
  expect(script.asked).toHaveLength(2);
  expect(await jobOf(world.user, answer.data.jobId)).toMatchObject({ status: "completed" });
});

const monday = Date.UTC(2026, 0, 5);
const hours = [
  ["before the working day", monday + 8 * hour, "UTC", "2026-01-05T09:00:00.000Z"],
  ["after the working day", monday + 18 * hour, "UTC", "2026-01-06T09:00:00.000Z"],
  ["on a weekend", monday + 5 * 24 * hour, "UTC", "2026-01-12T09:00:00.000Z"],
  ["in the evening of an account further east", monday + 10 * hour, "Asia/Tokyo", "2026-01-06T00:00:00.000Z"],
  ["in the night of an account further west", monday + 10 * hour, "America/Los_Angeles", "2026-01-05T17:00:00.000Z"],
  ["over the weekend on which clocks go forward", Date.UTC(2026, 2, 28), "Europe/Berlin", "2026-03-30T07:00:00.000Z"],
] as const;
for (const [when, now, timeZone, expected] of hours)
  testInProcess(`an action that is asked for ${when} waits for the next working hours`, async () => {
    await using world = await atWork({}, now);
    succeeded(await changeAccount(world.user, { timeZone }));
    expect(await schedule(world.user, "ada")).toMatchObject({
      scheduledFor: expected,
      reason: "outsideWorkingHours",
      delay: Date.parse(expected) - now,
    });
  });

testInProcess("actions spread over days when the working hours are short", async () => {
  await using world = await atWork();
  const short = [{ from: "10:00", to: "10:05" }];
  succeeded(
    await changeAccount(world.user, {
      spacing: { medianSeconds: 120, minSeconds: 120 },
      workingHours: { monday: short, tuesday: short, wednesday: short },
    }),
  );
  const slots = [];
  for (let index = 0; index < 5; index++)
    slots.push((await schedule(world.user, `person-${index}`)).scheduledFor.slice(0, 16));
  expect(slots.map((slot) => slot.slice(0, 10))).toEqual(slots.map((slot) => slot.slice(0, 10)).toSorted());
  for (const slot of slots) expect(slot.slice(11)).toBeOneOf(["10:00", "10:01", "10:02", "10:03", "10:04"]);
  expect(new Set(slots.map((slot) => slot.slice(0, 10))).size).toBeGreaterThan(1);
});

testInProcess("an account whose hours never open takes no actions", async () => {
  await using world = await atWork();
  const closed = Object.fromEntries(Object.keys(everyDay).map((day) => [day, []]));
  succeeded(await changeAccount(world.user, { workingHours: closed }));
  expect(await world.user.post(path, request("ada"))).toMatchObject({ status: 409, code: "CONFLICT" });
});

testInProcess(
  "an action that becomes due outside the hours, because they were changed, is put off and not carried out",
  async () => {
    const script = scripted();
    await using world = await atWork({ connectors: script.connectors });
    await schedule(world.user, "first");
    await world.service.idle();
    const { jobId, delay } = await schedule(world.user, "second");
    succeeded(await changeAccount(world.user, { workingHours: { monday: [] } }));
    await world.pass(delay);
    expect(script.asked).toHaveLength(1);
    const job = await jobOf(world.user, jobId);
    expect(job).toMatchObject({
      status: "pending",
      metadata: { pendingReason: "outsideWorkingHours", nextEligibleAt: "2026-01-06T09:00:00.000Z" },
    });
    await world.pass(Date.parse("2026-01-06T09:00:00.000Z") - world.clock.now());
    expect(script.asked).toHaveLength(2);
  },
);

testInProcess("the same action for the same profile is not scheduled twice while it is on its way", async () => {
  await using world = await atWork();
  await schedule(world.user, "first");
  await world.service.idle();
  const once = await schedule(world.user, "ada");
  const again = await world.user.post<Scheduled>(
    path,
    request("ada", { profileUrl: "http://www.network.example/in/Ada/?trk=x#top" }),
  );
  expect(again.data).toEqual({ ...once, isNew: false });
  expect(again.message).toContain(`sendConnectionRequest is already scheduled, with a delay of ${once.delay} ms (`);
  expect(await schedule(world.user, "ada", { actionType: "sendMessage", message: "Hi" })).toMatchObject({
    isNew: true,
  });
  expect(await schedule(await world.service.user(), "ada")).toMatchObject({ isNew: true });
  await world.passMinutes(30);
  expect(await schedule(world.user, "ada", { actionType: "sendMessage", message: "Again" })).toMatchObject({
    isNew: true,
  });
  expect(await world.user.post(path, request("ada"))).toMatchObject({
    status: 409,
    details: { reason: "alreadyPending" },
  });
});

testInProcess("of many equal requests at the same time one schedules the action", async () => {
  await using world = await atWork({ settings: { CONNECTOR: "manual" } });
  const answers = await Promise.all(Array.from({ length: 10 }, () => schedule(world.user, "ada")));
  expect(new Set(answers.map(({ jobId }) => jobId)).size).toBe(1);
  expect(answers.filter(({ isNew }) => isNew)).toHaveLength(1);
});

test("an unknown action lists the choices", async () => {
  const refused = await (await service.user()).post(path, request("ada", { actionType: "dance" }));
  expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect(refused.message).toContain("sendConnectionRequest, withdrawConnectionRequest, sendMessage");
});

test.each([
  ["no action", { actionType: undefined }, ["actionType"]],
  ["no profile", { profileUrl: undefined }, ["profileUrl"]],
  ["a profile that is no URL", { profileUrl: "ada" }, ["profileUrl"]],
  ["a profile without a path", { profileUrl: "https://network.example/" }, ["profileUrl"]],
  ["a profile that is a script", { profileUrl: "javascript:alert(1)" }, ["profileUrl"]],
  ["a profile that is too long", { profileUrl: `https://network.example/in/${"x".repeat(500)}` }, ["profileUrl"]],
  ["a note that is too long", { message: "x".repeat(301) }, ["message"]],
  ["a message that is too long", { actionType: "sendMessage", message: "x".repeat(8001) }, ["message"]],
  ["a message without a text", { actionType: "sendMessage", message: "  " }, ["message"]],
  ["a message that is a number", { message: 5 }, ["message"]],
  ["several problems at once", { actionType: "dance", profileUrl: "x" }, ["actionType", "profileUrl"]],
])("a request with %s is refused and schedules nothing", async (_what, change, paths) => {
  const user = await service.user();
  const refused = await user.post(path, request("ada", change));
  expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect(errorPaths(refused)).toEqual(paths);
  expect((await user.get("/api/v2/users/jobs")).data).toMatchObject({ jobs: [] });
});

test("leads and accounts that are absent or somebody else's are not found", async () => {
  const user = await service.user();
  const stranger = await service.user();
  const lead = succeeded(await stranger.post<LeadView>("/api/v2/leads", { email: "ada@example.com" })).data;
  const account = await accountOf(stranger);
  for (const leadId of ["nothing", lead.id])
    expect(await user.post(path, request("ada", { leadId }))).toMatchObject({
      status: 404,
      details: { resource: "lead", id: leadId },
    });
  for (const accountId of ["nothing", account.id]) {
    expect(await user.post(path, request("ada", { accountId }))).toMatchObject({
      status: 404,
      details: { resource: "network account", id: accountId },
    });
    expect((await user.patch(`/api/v2/network/accounts/${accountId}`, { name: "mine" })).status).toBe(404);
  }
  expect((await accountOf(stranger)).name).toBe("default");
});

testInProcess("actions name their person: by the lead, another lead with the profile, or a prospect", async () => {
  await using world = await atWork({ settings: { CONNECTOR: "manual" } });
  const { user } = world;
  const profile = (name: string) => `https://network.example/in/${name}`;
  const lead = async (content: object) => succeeded(await user.post<LeadView>("/api/v2/leads", content)).data.id;
  const nameless = await lead({ email: "x@example.com" });
  const ada = await lead({ firstName: "Ada", lastName: "Lovelace", networkUrl: profile("ada-l") });
  await lead({ firstName: "Grace", networkUrl: `${profile("grace")}/?trk=x` });
  const file = `First name,Last name,Profile\nAlan,Turing,${profile("alan")}\n`;
  succeeded(await user.post("/api/v2/prospecting/import", file, { headers: { "content-type": "text/csv" } }));
  await world.service.idle();
  const ids = [
    await schedule(user, "ada", { leadId: ada }),
    await schedule(user, "grace", { leadId: nameless }),
    await schedule(user, "alan"),
    await schedule(user, "nobody"),
  ].map(({ jobId }) => jobId);
  const names = ["Ada Lovelace", "Grace", "Alan Turing", null];
  const { actions } = succeeded(await user.get<{ actions: ActionView[] }>("/api/v2/network/actions")).data;
  expect(actions.map(({ personName }) => personName).toReversed()).toEqual(names);
  expect(succeeded(await user.get<ActionView>(`/api/v2/network/actions/${ids[2]}`)).data.personName).toBe(
    "Alan Turing",
  );
  await world.passMinutes(60);
  const { tasks } = await tasksOf(user);
  expect(tasks.map(({ jobId, personName }) => names[ids.indexOf(jobId)] === personName)).toEqual(tasks.map(() => true));
  expect(tasks.length).toBeGreaterThan(1);
  const stranger = await world.service.user();
  const theirs = await schedule(stranger, "ada-l");
  const { data } = succeeded(await stranger.get<ActionView>(`/api/v2/network/actions/${theirs.jobId}`));
  expect(data.personName).toBeNull();
});

testInProcess("a manual action becomes a task, and a person's word ends it", async () => {
  await using world = await atWork({ settings: { CONNECTOR: "manual" } });
  const lead = succeeded(await world.user.post<LeadView>("/api/v2/leads", { email: "ada@example.com" })).data;
  const { jobId } = await schedule(world.user, "ada", { leadId: lead.id, message: "Hi" });
  await world.service.idle();
  expect(await jobOf(world.user, jobId)).toMatchObject({
    status: "running",
    metadata: { pendingReason: "awaitingPerson" },
  });
  expect(await tasksOf(world.user)).toMatchObject({
    tasks: [
      {
        jobId,
        actionType: "sendConnectionRequest",
        profileUrl: "https://network.example/in/ada",
        message: "Hi",
        leadId: lead.id,
        since: new Date(world.clock.now()).toISOString(),
      },
    ],
    total: 1,
  });
  const done = await world.user.post<ActionView>(`/api/v2/network/tasks/${jobId}/complete`, {
    outcome: "completed",
    note: "was glad",
  });
  expect(done.data).toMatchObject({
    jobId,
    state: "completed",
    carriedOutAt: new Date(world.clock.now()).toISOString(),
  });
  expect(await jobOf(world.user, jobId)).toMatchObject({
    id: jobId,
    status: "completed",
    progress: 100,
    metadata: { outcome: "completed", completedBy: "person", note: "was glad" },
  });
  expect(await tasksOf(world.user)).toEqual({ tasks: [], total: 0, limit: expect.any(Number), nextCursor: null });
  expect(await world.user.post(`/api/v2/network/tasks/${jobId}/complete`, { outcome: "completed" })).toMatchObject({
    status: 409,
    details: { state: "completed" },
  });
});

for (const [outcome, status] of [
  ["completed", "completed"],
  ["skipped", "completed"],
  ["failed", "failed"],
] as const)
  testInProcess(`a task that a person marks as ${outcome} ends as ${status}`, async () => {
    await using world = await atWork({ settings: { CONNECTOR: "manual" } });
    const { jobId } = await schedule(world.user, "ada");
    await world.service.idle();
    const ended = await world.user.post<ActionView>(`/api/v2/network/tasks/${jobId}/complete`, { outcome });
    expect(ended.data).toMatchObject({ jobId, state: outcome });
    expect(await jobOf(world.user, jobId)).toMatchObject({
      status,
      completedAt: new Date(world.clock.now()).toISOString(),
    });
  });

testInProcess("tasks are listed longest waiting first, in pages, and only to their owner", async () => {
  await using world = await atWork({ settings: { CONNECTOR: "manual" } });
  const ids = [];
  for (const name of ["a", "b", "c"]) ids.push((await schedule(world.user, name)).jobId);
  await world.passMinutes(30);
  const page = async (query: Record<string, number>) => {
    const { tasks, total } = await tasksOf(world.user, query);
    return { ids: tasks.map(({ jobId }) => jobId), total };
  };
  expect(await page({})).toEqual({ ids, total: 3 });
  expect(await page({ limit: 1, offset: 1 })).toEqual({ ids: [ids[1] as string], total: 3 });
  expect((await world.user.get("/api/v2/network/tasks", { query: { limit: 101 } })).status).toBe(400);
  const stranger = await world.service.user();
  expect(await tasksOf(stranger)).toEqual({ tasks: [], total: 0, limit: expect.any(Number), nextCursor: null });
  for (const id of [ids[0], "nothing"])
    expect(await stranger.post(`/api/v2/network/tasks/${id}/complete`, { outcome: "completed" })).toMatchObject({
      status: 404,
      details: { resource: "network action", id },
    });
});

testInProcess("an action that is not with a person can't be completed by one", async () => {
  await using world = await atWork();
  await schedule(world.user, "first");
  await world.service.idle();
  const { jobId } = await schedule(world.user, "second");
  expect(await world.user.post(`/api/v2/network/tasks/${jobId}/complete`, { outcome: "completed" })).toMatchObject({
    status: 409,
    details: { state: "scheduled" },
  });
  expect(
    errorPaths(await world.user.post(`/api/v2/network/tasks/${jobId}/complete`, { outcome: "delivered" })),
  ).toEqual(["outcome"]);
});

testInProcess("a task waits for its person over a restart", async () => {
  await using world = await atWork({ settings: { CONNECTOR: "manual" } });
  const { jobId } = await schedule(world.user, "ada");
  await world.service.idle();
  await world.service.restart();
  await world.pass(hour);
  expect((await tasksOf(world.user)).tasks).toMatchObject([{ jobId }]);
  expect((await world.user.post(`/api/v2/network/tasks/${jobId}/complete`, { outcome: "completed" })).status).toBe(200);
});

testInProcess("an action that the network refuses fails with the reason, and can be run again", async () => {
  const script = scripted({ kind: "refused", refusal: "requestNotAllowed", reason: "Does not take requests." });
  await using world = await atWork({ connectors: script.connectors });
  const { jobId } = await schedule(world.user, "ada");
  await world.service.idle();
  expect(await jobOf(world.user, jobId)).toMatchObject({
    status: "failed",
    message: "Refused: Does not take requests.",
    metadata: { outcome: "failed" },
  });
  expect((await world.user.post<JobView>(`/api/v2/users/jobs/${jobId}/retry`)).data).toMatchObject({
    status: "pending",
  });
  await world.passMinutes(10);
  expect(await jobOf(world.user, jobId)).toMatchObject({ status: "completed", metadata: { outcome: "completed" } });
});

testInProcess("an action that finds the network busy is put off to the moment that the network names", async () => {
  const retryAt = Date.UTC(2026, 0, 5, 10, 30);
  const script = scripted({ kind: "busy", retryAt, reason: "Slow down." });
  await using world = await atWork({ connectors: script.connectors });
  const { jobId } = await schedule(world.user, "ada");
  await world.service.idle();
  expect(await jobOf(world.user, jobId)).toMatchObject({
    status: "pending",
    metadata: { pendingReason: "retry", nextEligibleAt: new Date(retryAt).toISOString() },
  });
  await world.pass(30 * minute);
  expect(await jobOf(world.user, jobId)).toMatchObject({ status: "completed" });
  expect(script.asked).toHaveLength(2);
});

const never = new Promise<ConnectorOutcome>(() => {});
const unclear: [string, ConnectorOutcome | Error | Promise<ConnectorOutcome>, number][] = [
  ["that nobody knows the outcome of", { kind: "unknown", reason: "The line broke." }, 0],
  ["whose connector fails", new Error("secret internals"), 0],
  ["whose connector never answers", never, minute],
];
for (const [what, outcome, wait] of unclear)
  testInProcess(`an action ${what} is not repeated`, async () => {
    const script = scripted(outcome);
    await using world = await atWork({ connectors: script.connectors });
    const { jobId } = await schedule(world.user, "ada");
    await untilAsked(script.asked, 1);
    world.clock.advance(wait);
    await world.service.idle();
    const job = await jobOf(world.user, jobId);
    expect(job).toMatchObject({ status: "failed", metadata: { outcome: "unknown" } });
    expect(JSON.stringify(job)).not.toContain("secret internals");
    expect(await world.user.post(`/api/v2/users/jobs/${jobId}/retry`)).toMatchObject({ status: 409, code: "CONFLICT" });
    await world.pass(24 * hour);
    expect(script.asked).toHaveLength(1);
  });

/** Lets other work go on until the connector was asked so often. */
async function untilAsked(asked: readonly unknown[], times: number): Promise<void> {
  while (asked.length < times) await new Promise((resolve) => setImmediate(resolve));
}

testInProcess("a canceled action is not carried out, and makes room for a new one", async () => {
  const script = scripted();
  await using world = await atWork({ connectors: script.connectors });
  await schedule(world.user, "first");
  await world.service.idle();
  const { jobId } = await schedule(world.user, "ada");
  const canceled = await world.user.post<JobView>(`/api/v2/users/jobs/${jobId}/cancel`);
  expect(canceled.data).toMatchObject({ status: "failed", message: "Canceled", metadata: { canceled: true } });
  expect(await schedule(world.user, "ada")).toMatchObject({ isNew: true });
  await world.pass(hour);
  expect(script.asked.map(({ profileUrl }) => profileUrl)).toEqual([
    "https://network.example/in/first",
    "https://network.example/in/ada",
  ]);
  expect(await world.user.post(`/api/v2/users/jobs/${jobId}/cancel`)).toMatchObject({
    status: 409,
    details: { status: "failed" },
  });
});

testInProcess("a task can be canceled, too", async () => {
  await using world = await atWork({ settings: { CONNECTOR: "manual" } });
  const { jobId } = await schedule(world.user, "ada");
  await world.service.idle();
  expect((await world.user.post<JobView>(`/api/v2/users/jobs/${jobId}/cancel`)).data).toMatchObject({
    status: "failed",
    metadata: { canceled: true },
  });
  expect(await tasksOf(world.user)).toEqual({ tasks: [], total: 0, limit: expect.any(Number), nextCursor: null });
  expect(await world.user.post(`/api/v2/network/tasks/${jobId}/complete`, { outcome: "completed" })).toMatchObject({
    status: 409,
    details: { state: "canceled" },
  });
});

testInProcess("an action that is being sent at this moment can't be canceled", async () => {
  const { promise, resolve } = Promise.withResolvers<ConnectorOutcome>();
  const script = scripted(promise);
  await using world = await atWork({ connectors: script.connectors });
  const { jobId } = await schedule(world.user, "ada");
  await untilAsked(script.asked, 1);
  expect(await world.user.post(`/api/v2/users/jobs/${jobId}/cancel`)).toMatchObject({
    status: 409,
    details: { status: "running" },
  });
  resolve({ kind: "completed", reference: "r" });
  await world.service.idle();
  expect(await jobOf(world.user, jobId)).toMatchObject({ status: "completed" });
});

testInProcess("a scheduled action survives a restart and runs when it is due", async () => {
  const script = scripted();
  await using world = await atWork({ connectors: script.connectors });
  await schedule(world.user, "first");
  await world.service.idle();
  const { jobId, delay } = await schedule(world.user, "second");
  await world.service.restart();
  await world.pass(delay - 1);
  expect(script.asked).toHaveLength(1);
  await world.pass(1);
  expect(await jobOf(world.user, jobId)).toMatchObject({ status: "completed" });
});

testInProcess("actions that became due while the service was down keep their distance when it is back", async () => {
  const script = scripted();
  await using world = await atWork({ connectors: script.connectors });
  for (const name of ["a", "b", "c", "d"]) await schedule(world.user, name);
  await world.service.idle();
  const downAt = world.clock.now();
  // While nobody looks at the clock, time goes on: the timers of the old run are gone with it.
  const stopped = world.service.restart();
  world.clock.advance(2 * hour);
  await stopped;
  await world.service.idle();
  await world.passMinutes(60);
  const { actions } = succeeded(await world.user.get<{ actions: ActionView[] }>("/api/v2/network/actions")).data;
  // When they were let go: the connector is called a moment later, to which the clock may have leapt by then.
  const moments = actions.map(({ carriedOutAt }) => Date.parse(carriedOutAt!)).filter((at) => at > downAt);
  expect(moments.sort((a, b) => a - b)).toHaveLength(3);
  for (const [index, moment] of moments.slice(1).entries())
    expect(moment - (moments[index] ?? 0)).toBeGreaterThanOrEqual(90_000);
});

testInProcess("actions that wait for the morning do not all run at nine o'clock", async () => {
  const script = scripted();
  await using world = await atWork({ connectors: script.connectors });
  for (const name of ["a", "b", "c", "d"]) await schedule(world.user, name);
  succeeded(await changeAccount(world.user, { workingHours: { monday: [] } }));
  await world.pass(12 * hour);
  const before = script.asked.length;
  world.clock.advanceTo(Date.parse("2026-01-06T09:00:00.000Z"));
  await world.pass(0);
  expect(script.asked.length - before).toBeLessThanOrEqual(1);
});

testInProcess("an action that is run again keeps its distance from the others", async () => {
  const script = scripted();
  await using world = await atWork({ connectors: script.connectors });
  const jobs: string[] = [];
  for (const name of ["a", "b", "c", "d"]) jobs.push((await schedule(world.user, name)).jobId);
  await world.service.idle();
  for (const job of jobs.slice(1)) await world.user.post(`/api/v2/users/jobs/${job}/cancel`);
  for (const job of jobs.slice(1)) await world.user.post(`/api/v2/users/jobs/${job}/retry`);
  await world.pass(1000);
  expect(script.asked).toHaveLength(1);
});

testInProcess(
  "an action that is run again does not reach a person twice, when the same was scheduled anew",
  async () => {
    const script = scripted();
    await using world = await atWork({ connectors: script.connectors });
    await schedule(world.user, "first");
    await world.service.idle();
    const { jobId } = await schedule(world.user, "ada");
    await world.user.post(`/api/v2/users/jobs/${jobId}/cancel`);
    await schedule(world.user, "ada");
    await world.user.post(`/api/v2/users/jobs/${jobId}/retry`);
    await world.pass(hour);
    expect(script.asked.filter(({ profileUrl }) => profileUrl.endsWith("/ada"))).toHaveLength(1);
  },
);

testInProcess("the simulated network ends an action by a word in its profile", async () => {
  await using world = await atWork();
  succeeded(await changeAccount(world.user, { spacing: { medianSeconds: 1, minSeconds: 1 } }));
  const jobs: string[] = [];
  for (const name of ["ada", "refused-bob", "unknown-carl", "busy-dora"])
    jobs.push((await schedule(world.user, name)).jobId);
  // Chance draws the pauses between them; half a minute is enough for any, and too little for the retry.
  for (let second = 0; second < 30; second++) await world.pass(1000);
  const states = async () => Promise.all(jobs.map(async (id) => (await jobOf(world.user, id)).status));
  expect(await states()).toEqual(["completed", "failed", "failed", "pending"]);
  await world.pass(minute);
  expect(await states()).toEqual(["completed", "failed", "failed", "completed"]);
});

test("an account is shown with its hours, and changed field by field", async () => {
  const user = await service.user();
  const account = await accountOf(user);
  const day = [{ from: "09:00", to: "18:00" }];
  expect(account).toMatchObject({
    name: "default",
    connector: "manual",
    timeZone: "UTC",
    tier: "premium",
    caps: {},
    warmUp: { perDay: 5, addPerDay: 3 },
    spacing: { medianSeconds: 240, minSeconds: 90 },
    sessions: { minMinutes: 45, maxMinutes: 60, minBreakMinutes: 10, maxBreakMinutes: 20 },
    jitterPercent: 15,
    state: "active",
    requiresApproval: false,
    withdrawAfterDays: null,
  });
  expect(account.workingHours).toEqual({
    monday: day,
    tuesday: day,
    wednesday: day,
    thursday: day,
    friday: day,
    saturday: [],
    sunday: [],
  });
  const change = {
    name: "mine",
    connector: "simulated",
    timeZone: "Europe/Paris",
    tier: "free",
    caps: { invites: { day: 3, week: null }, all: { month: 500 } },
    warmUp: null,
    spacing: { medianSeconds: 20, minSeconds: 10 },
    sessions: null,
    jitterPercent: 0,
    requiresApproval: true,
    withdrawAfterDays: 30,
    workingHours: {
      sunday: [
        { from: "20:00", to: "24:00" },
        { from: "08:30", to: "10:00" },
      ],
    },
  } satisfies AccountUpdate;
  const changed = succeeded(await changeAccount(user, change)).data;
  const sunday = [
    { from: "08:30", to: "10:00" },
    { from: "20:00", to: "24:00" },
  ];
  expect(changed).toEqual({
    ...account,
    ...change,
    workingHours: { ...account.workingHours, sunday },
    updatedAt: changed.updatedAt,
  });
  expect(await accountOf(user)).toEqual(changed);
});

test.each([
  ["an unknown connector", { connector: "magic" }, "connector"],
  ["an unknown time zone", { timeZone: "Moon" }, "timeZone"],
  [
    "a time that does not exist",
    { workingHours: { monday: [{ from: "25:00", to: "24:00" }] } },
    "workingHours.monday.0.from",
  ],
  [
    "a span that ends before it begins",
    { workingHours: { monday: [{ from: "10:00", to: "09:00" }] } },
    "workingHours.monday",
  ],
  ["an empty span", { workingHours: { friday: [{ from: "10:00", to: "10:00" }] } }, "workingHours.friday"],
  [
    "spans that overlap",
    {
      workingHours: {
        monday: [
          { from: "09:00", to: "11:00" },
          { from: "10:00", to: "12:00" },
        ],
      },
    },
    "workingHours.monday",
  ],
  ["a span without an end", { workingHours: { monday: [{ from: "09:00" }] } }, "workingHours.monday.0.to"],
  ["a distance that is negative", { spacing: { medianSeconds: 60, minSeconds: -1 } }, "spacing.minSeconds"],
  ["distances that cross", { spacing: { medianSeconds: 60, minSeconds: 61 } }, "spacing.medianSeconds"],
  [
    "sessions that cross",
    { sessions: { minMinutes: 9, maxMinutes: 8, minBreakMinutes: 1, maxBreakMinutes: 2 } },
    "sessions.maxMinutes",
  ],
  ["a cap that the network does not bear", { caps: { invites: { day: 101 } } }, "caps.invites.day"],
  ["a cap that is negative", { caps: { all: { week: -1 } } }, "caps.all.week"],
  ["a warm-up from no day", { warmUp: { perDay: 1, addPerDay: 1, startedAt: "soon" } }, "warmUp"],
  ["too much jitter", { jitterPercent: 51 }, "jitterPercent"],
  ["a state that only the network sets", { state: "needsReconnect" }, "state"],
  ["an offset for a time zone", { timeZone: "+02:00" }, "timeZone"],
  ["a connector whose risk nobody accepted", { connector: "worker" }, "connector"],
  ["an empty name", { name: "" }, "name"],
])("an account with %s is refused and stays as it is", async (_what, change, wrong) => {
  const user = await service.user();
  const before = await accountOf(user);
  const refused = await changeAccount(user, change as AccountUpdate);
  expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect(errorPaths(refused)).toEqual([wrong]);
  expect(await accountOf(user)).toEqual(before);
});
