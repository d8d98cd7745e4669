import { afterAll, expect } from "bun:test";
import type { ActionView } from "../../src/features/network/action-model.ts";
import { startService, succeeded, testInProcess } from "../support/service.ts";
import { hour, schedule, jobOf, changeAccount, atWork, scripted } from "../support/network-api.ts";

/** Serves the tests of this file that do not start one of their own: each has users who see nothing of each other. */
const service = await startService();

afterAll(() => service[Symbol.asyncDispose]());

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
