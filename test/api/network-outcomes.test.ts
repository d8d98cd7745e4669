import { afterAll, expect } from "bun:test";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { ConnectorOutcome } from "../../src/features/network/connector.ts";
import { startService, succeeded, testInProcess } from "../support/service.ts";
import {
  minute,
  hour,
  schedule,
  jobOf,
  changeAccount,
  tasksOf,
  atWork,
  scripted,
  never,
} from "../support/network-api.ts";

/** Serves the tests of this file that do not start one of their own: each has users who see nothing of each other. */
const service = await startService();

afterAll(() => service[Symbol.asyncDispose]());

const unclear: [string, ConnectorOutcome | Error | Promise<ConnectorOutcome>, number][] = [
  ["that nobody knows the outcome of", { kind: "unknown", reason: "The line broke." }, 0],
  ["whose connector fails", new Error("secret internals"), 0],
  ["whose connector never answers", never, minute],
];

/** Lets other work go on until the connector was asked so often. */
async function untilAsked(asked: readonly unknown[], times: number): Promise<void> {
  while (asked.length < times) await new Promise((resolve) => setImmediate(resolve));
}

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
