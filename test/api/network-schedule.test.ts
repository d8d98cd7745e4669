import { afterAll, expect, test } from "bun:test";
import type { LeadView } from "../../src/features/leads/model.ts";
import type { AccountView } from "../../src/features/network/account-model.ts";
import type { ActionView } from "../../src/features/network/action-model.ts";
import { startService, succeeded, testInProcess } from "../support/service.ts";
import {
  type Scheduled,
  path,
  request,
  schedule,
  jobOf,
  accountOf,
  changeAccount,
  tasksOf,
  errorPaths,
  atWork,
  scripted,
  hours,
} from "../support/network-api.ts";

/** Serves the tests of this file that do not start one of their own: each has users who see nothing of each other. */
const service = await startService();

afterAll(() => service[Symbol.asyncDispose]());

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

testInProcess("another account of the workspace does not invite the same person, unless it is allowed", async () => {
  await using world = await atWork({ settings: { CONNECTOR: "manual" } });
  const input = { name: "second", connector: "manual" };
  const { data: second } = succeeded(await world.user.post<AccountView>("/api/v2/network/accounts", input));
  const first = await accountOf(world.user);
  await schedule(world.user, "ada", { accountId: first.id });
  for (const dryRun of [true, false]) {
    const refused = await world.user.post(path, request("ada", { accountId: second.id, dryRun }));
    expect(refused).toMatchObject({ status: 409, code: "CONFLICT", details: { reason: "invitedByColleague" } });
    expect(refused.message).toContain(`"${first.name}"`);
    expect(refused.message).toContain("allowOverlap");
  }
  const allowed = { accountId: second.id, allowOverlap: true };
  expect(await schedule(world.user, "ada", allowed)).toMatchObject({ isNew: true });
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
