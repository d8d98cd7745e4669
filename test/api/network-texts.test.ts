import { afterAll, expect, test } from "bun:test";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { AccountView } from "../../src/features/network/account-model.ts";
import type { ActionView } from "../../src/features/network/action-model.ts";
import type { Answer, Client } from "../support/client.ts";
import { FakeClock } from "../support/clock.ts";
import { calmed, startService, succeeded, testInProcess } from "../support/service.ts";

/** What actions and their jobs say: texts, delays and reasons. */
const service = await startService({ settings: { CONNECTOR: "manual" } });
afterAll(() => service[Symbol.asyncDispose]());

type Scheduled = { jobId: string; isNew: boolean; delay: number | null };
const path = "/api/v2/network/scheduleNetworkAction";
const minute = 60_000;

const request = (name: string, change: object = {}) => ({
  actionType: "sendConnectionRequest",
  profileUrl: `https://network.example/in/${name}`,
  ...change,
});
const post = (client: Client, name: string, change: object = {}): Promise<Answer<Scheduled>> =>
  client.post<Scheduled>(path, request(name, change));
const schedule = async (client: Client, name: string, change: object = {}) =>
  succeeded(await post(client, name, change)).data;
const jobOf = async (client: Client, jobId: string) =>
  succeeded(await client.get<JobView>(`/api/v2/users/jobs/${jobId}`)).data;
const actionOf = async (client: Client, jobId: string) =>
  succeeded(await client.get<ActionView>(`/api/v2/network/actions/${jobId}`)).data;
const messagesOf = (refused: Answer) =>
  (refused.details?.["errors"] as { path: string; message: string }[]).map(
    ({ path: at, message }) => `${at} ${message}`,
  );

async function atWork(connector: string) {
  const clock = new FakeClock();
  const world = await startService({ settings: { CONNECTOR: connector, ACKNOWLEDGE_NETWORK_RISK: "true" }, clock });
  const user = await calmed(await world.user());
  const account = succeeded(await user.get<{ accounts: AccountView[] }>("/api/v2/network/accounts")).data.accounts[0]!;
  return {
    ...{ clock, world, user, account },
    async pass(minutes: number) {
      for (let passed = 0; passed < minutes; passed++) {
        clock.advance(minute);
        await world.idle();
      }
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

const voice = { actionType: "sendInMail", subject: "Hello", message: "Shall we talk?" };
test.each([
  ["another note", { message: "Hello" }, { message: "Good day" }],
  ["a note after none", {}, { message: "Hello" }],
  ["no note after one", { message: "Hello" }, {}],
  ["another text", { actionType: "sendMessage", message: "Hello" }, { actionType: "sendMessage", message: "Hi" }],
  ["another subject", voice, { ...voice, subject: "Good day" }],
  ["another reaction", { actionType: "likePost" }, { actionType: "likePost", reaction: "love" }],
])("a second scheduling with %s is a conflict that names the first and how to change it", async (_, first, second) => {
  const user = await service.user();
  const { jobId } = await schedule(user, "ada", { ...first, requireApproval: true });
  const before = await actionOf(user, jobId);
  for (const dryRun of [true, false]) {
    const refused = await post(user, "ada", { ...second, dryRun });
    expect(refused).toMatchObject({ status: 409, code: "CONFLICT", details: { jobId } });
    expect(refused.message).toContain(`PATCH /api/v2/network/actions/${jobId}`);
  }
  expect(await actionOf(user, jobId)).toEqual(before);
  // The way that the refusal names: afterwards the second text is the one that is scheduled.
  const { actionType: _type, ...wanted } = { message: null, ...(second as { actionType?: string }) };
  succeeded(await user.patch(`/api/v2/network/actions/${jobId}`, wanted));
  expect(await schedule(user, "ada", second)).toMatchObject({ jobId, isNew: false });
  expect((await post(user, "ada", first)).status).toBe(409);
});

test("a second scheduling with the same text is the same action, however it is spelled", async () => {
  const user = await service.user();
  const { jobId } = await schedule(user, "ada", { message: "Hello {{firstName|there}}", requireApproval: true });
  for (const message of ["Hello there", "  Hello there \n", "Hello {{firstName|there}}"])
    expect(await schedule(user, "ada", { message })).toMatchObject({ jobId, isNew: false });
});

testInProcess("a second scheduling with another text waits for an action that is carried out to end", async () => {
  await using at = await atWork("manual");
  const { jobId } = await schedule(at.user, "ada", { message: "Hello" });
  await at.world.idle();
  await at.pass(1);
  expect(await actionOf(at.user, jobId)).toMatchObject({ state: "awaiting" });
  const refused = await post(at.user, "ada", { message: "Good day" });
  expect(refused).toMatchObject({ status: 409, details: { jobId, state: "awaiting" } });
  expect(refused.message).not.toContain("PATCH");
});

test.each(["company", "school", "showcase", "groups", "posts", "jobs", "COMPANY"])(
  "the page of a %s is no target, for any action or upload, and the refusal says so",
  async (kind) => {
    const user = await service.user();
    const url = `https://www.network.example/${kind}/acme/?trk=x`;
    const text = expect.stringMatching(/is the page of an? \w+, not of a person/);
    const refusals = [
      await user.post(path, { actionType: "sendConnectionRequest", profileUrl: url }),
      await user.post(path, { actionType: "sendMessage", profileUrl: url, message: "Hello" }),
      await user.post("/api/v2/network/actions/record", { actionType: "sendMessage", profileUrl: url }),
    ];
    for (const refused of refusals) {
      expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
      expect(messagesOf(refused)).toEqual([text]);
    }
    const { body } = await user.post("/api/v2/network/upload-prospects", {
      prospects: [
        { name: "Acme", network_url: url },
        { name: "Ada Lovelace", network_url: "https://network.example/in/company" },
      ],
    });
    expect(body).toMatchObject({ uploaded_count: 1, skipped_count: 1, errors: [text] });
  },
);

test("a variable without a lead names both ways out", async () => {
  const refused = await post(await service.user(), "ada", { message: "Hello {{firstName}}" });
  expect(messagesOf(refused)).toEqual([
    "message {{firstName}} has no value because the action has no lead. Send leadId, or add a fallback such as {{firstName|there}}.",
  ]);
});

testInProcess("metadata.delay is a number at every moment in the life of an action", async () => {
  await using at = await atWork("manual");
  const { user } = at;
  const global = await at.world.globalKey();
  const expectDelay = async (jobId: string) => {
    const views = [
      await jobOf(user, jobId),
      succeeded(await user.get<JobView>("/api/v2/users/jobs/jobStatus", { query: { jobId } })).data,
      succeeded(await user.get<{ jobs: JobView[] }>("/api/v2/users/jobs")).data.jobs.find(({ id }) => id === jobId)!,
      succeeded(await global.put<JobView>(`/api/v2/users/jobs/editJobMessage/${jobId}`, { message: "Mine" })).data,
    ];
    for (const { metadata } of views) {
      expect(metadata["delay"]).toBeNumber();
      expect(metadata["delay"] as number).toBeWithin(0, 86_400_000);
    }
  };
  const first = await schedule(user, "first");
  await expectDelay(first.jobId);
  const second = await schedule(user, "second");
  expect((await jobOf(user, second.jobId)).metadata["delay"]).toBe(second.delay!);
  const waiting = await schedule(user, "third", { requireApproval: true });
  await expectDelay(waiting.jobId);
  await at.pass(30);
  for (const { jobId } of [first, second]) {
    expect(await actionOf(user, jobId)).toMatchObject({ state: "awaiting" });
    await expectDelay(jobId);
  }
  succeeded(await user.post(`/api/v2/network/tasks/${first.jobId}/complete`, { outcome: "completed" }));
  await expectDelay(first.jobId);
  succeeded(await user.post(`/api/v2/network/actions/${second.jobId}/cancel`));
  await expectDelay(second.jobId);
  succeeded(await user.patch(`/api/v2/network/accounts/${at.account.id}`, { state: "paused" }));
  succeeded(await user.post(`/api/v2/network/actions/${waiting.jobId}/approve`));
  await expectDelay(waiting.jobId);
});

testInProcess(
  "an edited message stays through every planning until the job ends; then the result follows",
  async () => {
    await using at = await atWork("simulated");
    const { user } = at;
    await schedule(user, "first");
    await at.world.idle();
    const { jobId } = await schedule(user, "second");
    const edited = await user.put<JobView>(`/api/v2/users/jobs/editJobMessage/${jobId}`, { message: "Mine" });
    expect(edited.data).toMatchObject({ message: "Mine", status: "pending" });
    // Everything that plans anew: the account's hours, its pace, another action, a restart, a new moment.
    const account = `/api/v2/network/accounts/${at.account.id}`;
    for (const change of [
      { state: "paused" },
      { state: "active" },
      { spacing: { medianSeconds: 300, minSeconds: 200 } },
    ]) {
      succeeded(await user.patch(account, change));
      await at.world.idle();
      expect((await jobOf(user, jobId)).message).toBe("Mine");
    }
    await schedule(user, "third");
    const notBefore = new Date(at.clock.now() + 20 * minute).toISOString();
    succeeded(await user.patch(`/api/v2/network/actions/${jobId}`, { notBefore }));
    await at.world.restart();
    await at.pass(10);
    expect(await jobOf(user, jobId)).toMatchObject({ message: "Mine", status: "pending" });
    await at.pass(60);
    const done = await jobOf(user, jobId);
    expect(done.status).toBe("completed");
    expect(done.message).toContain("completed for");
    const kept = await user.put<JobView>(`/api/v2/users/jobs/editJobMessage/${jobId}`, { message: "Thanks" });
    expect(kept.data.message).toBe("Thanks");
    expect((await jobOf(user, jobId)).message).toBe("Thanks");
  },
);

testInProcess("an edited message does not come back when the job is run again", async () => {
  await using at = await atWork("simulated");
  const { user } = at;
  await schedule(user, "first");
  await at.world.idle();
  const { jobId } = await schedule(user, "second");
  await user.put(`/api/v2/users/jobs/editJobMessage/${jobId}`, { message: "Mine" });
  succeeded(await user.post(`/api/v2/users/jobs/${jobId}/cancel`));
  expect((await jobOf(user, jobId)).message).not.toBe("Mine");
  succeeded(await user.post(`/api/v2/users/jobs/${jobId}/retry`));
  expect(await jobOf(user, jobId)).toMatchObject({ status: "pending" });
  expect((await jobOf(user, jobId)).message).not.toBe("Mine");
});

testInProcess("an action that was not carried out says why, and the others say nothing", async () => {
  await using at = await atWork("manual");
  const { user } = at;
  const { jobId } = await schedule(user, "ada");
  expect((await actionOf(user, jobId)).error).toBeNull();
  await at.pass(1);
  succeeded(await user.post(`/api/v2/network/tasks/${jobId}/complete`, { outcome: "failed", note: "No such profile" }));
  expect(await actionOf(user, jobId)).toMatchObject({
    state: "failed",
    error: { code: "failed", message: expect.stringContaining("No such profile") },
  });
  await using worked = await atWork("worker");
  const refused = await schedule(worked.user, "ada");
  await worked.pass(1);
  const worker = "/api/v2/network/worker";
  const { data } = await worked.user.post<{ claimed: { claim: number } }>(`${worker}/claim`, {});
  const { claim } = data.claimed;
  succeeded(
    await worked.user.post(`${worker}/${refused.jobId}/complete`, {
      claim,
      outcome: "refused",
      refusal: "personNotFound",
      reason: "The profile is gone",
    }),
  );
  expect(await actionOf(worked.user, refused.jobId)).toMatchObject({
    state: "failed",
    error: { code: "personNotFound", message: "Refused: The profile is gone" },
  });
});
