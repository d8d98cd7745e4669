import { afterAll, expect } from "bun:test";
import type { LeadView } from "../../src/features/leads/model.ts";
import type { ActionView } from "../../src/features/network/action-model.ts";
import { startService, succeeded, testInProcess } from "../support/service.ts";
import { hour, schedule, jobOf, tasksOf, errorPaths, atWork } from "../support/network-api.ts";

/** Serves the tests of this file that do not start one of their own: each has users who see nothing of each other. */
const service = await startService();

afterAll(() => service[Symbol.asyncDispose]());

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
