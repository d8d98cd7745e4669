import { expect, test } from "bun:test";
import { answered, createWebhookWorld } from "../support/webhook-world.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const a = "https://a.example/hook";
const b = "https://b.example/hook";

test("an event is posted soon, once, to each endpoint that wants it", async () => {
  await using world = await createWebhookWorld();
  const { service, deliverer, workspaceId } = world;
  await service.create(workspaceId, { url: a });
  await service.create(workspaceId, { url: b, events: ["voice.*"] });
  const lead = await world.lead();
  await deliverer.idle();
  expect(world.urls()).toEqual([a]);
  const { message } = world.posted[0]!;
  expect(message.headers["webhook-id"]).toMatch(/^msg_\d+_[a-z0-9]+$/);
  expect(JSON.parse(message.body)).toEqual({
    type: "lead.created",
    timestamp: "2026-01-05T10:00:00.000Z",
    data: { eventId: expect.stringMatching(/^\d+$/), actorId: null, userId: workspaceId, leadId: lead.id },
  });
  await world.pass(hour);
  expect(world.posted).toHaveLength(1);
});

test("a failure is tried again by the schedule until it is given up, always with the same webhook-id", async () => {
  await using world = await createWebhookWorld();
  const { clock, service, workspaceId } = world;
  const { id } = await service.create(workspaceId, { url: a });
  world.at(a, () => answered(500));
  await world.lead();
  await world.deliverer.idle();
  const startedAt = clock.now();
  await world.pass(100 * hour, 10 * minute);
  const hours = world.posted.map(({ at }) => Math.round((at - startedAt) / hour));
  expect(hours).toHaveLength(10);
  // The sum of the schedule, and up to a fifth of it for chance.
  expect(hours[9]).toBeGreaterThanOrEqual(75);
  expect(hours[9]).toBeLessThanOrEqual(92);
  expect(new Set(world.posted.map(({ message }) => message.headers["webhook-id"])).size).toBe(1);
  expect(new Set(world.posted.map(({ message }) => message.headers["webhook-timestamp"])).size).toBe(10);
  const { page } = await service.deliveries(workspaceId, id, { state: "failed", types: null, before: null, limit: 10 });
  expect(page).toMatchObject([{ state: "failed", nextAttemptAt: null }]);
  expect(page[0]?.attempts).toHaveLength(10);
  expect(page[0]?.attempts[0]).toMatchObject({
    status: 500,
    error: "The receiver responded with 500.",
    response: "status 500",
  });
});

test("Retry-After holds for the endpoint, also for what comes meanwhile", async () => {
  await using world = await createWebhookWorld();
  const { clock, service, deliverer, workspaceId } = world;
  await service.create(workspaceId, { url: a });
  const retryAt = clock.now() + 10 * minute;
  world.at(a, () => answered(429, retryAt));
  await world.lead();
  await deliverer.idle();
  world.at(a, () => answered(200));
  await world.lead();
  await world.pass(9 * minute, 10 * second);
  expect(world.posted).toHaveLength(1);
  await world.pass(2 * minute, 10 * second);
  expect(world.posted).toHaveLength(3);
  expect(world.posted[1]!.at).toBeGreaterThanOrEqual(retryAt);
});

test("410 turns the endpoint off with the reason, and nothing more is posted", async () => {
  await using world = await createWebhookWorld();
  const { service, deliverer, workspaceId } = world;
  const { id } = await service.create(workspaceId, { url: a });
  world.at(a, () => answered(410));
  await world.lead();
  await deliverer.idle();
  expect(await service.get(workspaceId, id)).toMatchObject({
    state: "disabled",
    disabledReason: expect.stringContaining("410"),
  });
  await world.lead();
  await world.pass(hour, minute);
  expect(world.posted).toHaveLength(1);
});

test("an endpoint that fails for days is turned off; the events of the time can be replayed", async () => {
  await using world = await createWebhookWorld({ disableDays: 2 });
  const { clock, service, workspaceId } = world;
  const { id } = await service.create(workspaceId, { url: a });
  const from = new Date(clock.now()).toISOString();
  world.at(a, () => answered(500));
  for (let n = 0; n < 3; n++) await world.lead();
  await world.deliverer.idle();
  await world.pass(60 * hour, 20 * minute);
  expect(await service.get(workspaceId, id)).toMatchObject({
    state: "disabled",
    disabledReason: expect.stringMatching(/2 days.*500/),
  });
  await world.lead();
  await world.pass(minute);
  world.at(a, () => answered(200));
  const before = world.posted.length;
  await service.update(workspaceId, id, { isEnabled: true });
  await service.replayRange(workspaceId, id, { from });
  await world.deliverer.idle();
  const told = world.posted.slice(before).map(({ message }) => (JSON.parse(message.body) as { type: string }).type);
  expect(told.filter((type) => type === "lead.created")).toHaveLength(4);
  expect(told.filter((type) => type === "webhook.disabled")).toHaveLength(1);
});

test("a receiver that fails for hours gets few requests, and all it missed when it works again", async () => {
  await using world = await createWebhookWorld();
  const { service, deliverer, workspaceId } = world;
  await service.create(workspaceId, { url: a });
  world.at(a, () => answered(500));
  for (let n = 0; n < 300; n++) await world.lead();
  await deliverer.idle();
  await world.pass(3 * hour, 30 * second);
  expect(world.posted.length).toBeLessThan(70);
  world.at(a, () => answered(200));
  const before = world.posted.length;
  await world.pass(3 * hour, minute);
  const ids = world.posted.slice(before).map(({ message }) => message.headers["webhook-id"]);
  expect(ids).toHaveLength(300);
  expect(new Set(ids).size).toBe(300);
});

test("receivers that hang delay nobody else, and hold one place each", async () => {
  await using world = await createWebhookWorld();
  const { service, workspaceId } = world;
  for (let n = 0; n < 20; n++) {
    world.hangs(`https://hanging.example/${n}`);
    await service.create(workspaceId, { url: `https://hanging.example/${n}` });
  }
  await service.create(workspaceId, { url: a });
  for (let n = 0; n < 40; n++) await world.lead();
  await world.settle();
  expect(world.urls().filter((url) => url === a)).toHaveLength(40);
  expect(world.hanging).toHaveLength(20);
});

test("a fast receiver gets many at a time, in steps; a slow one gets no more than it takes", async () => {
  await using world = await createWebhookWorld();
  const { service, workspaceId } = world;
  world.hangs(a);
  await service.create(workspaceId, { url: a });
  for (let n = 0; n < 100; n++) await world.lead();
  const widths: number[] = [];
  for (let round = 0; round < 7; round++) {
    await world.settle();
    widths.push(world.hanging.length);
    for (const { answer } of world.hanging.splice(0)) answer(answered(200));
  }
  expect(widths.slice(0, 2)).toEqual([1, 2]);
  expect(Math.max(...widths)).toBe(32);
});

test("what was being posted when the process died is posted again with the same id, and nothing else is", async () => {
  await using world = await createWebhookWorld();
  const { service, workspaceId } = world;
  await service.create(workspaceId, { url: a });
  await world.lead();
  await world.deliverer.idle();
  world.hangs(a);
  await world.lead();
  await world.settle();
  expect(world.posted).toHaveLength(2);
  world.at(a, () => answered(200));
  world.restart();
  await world.deliverer.idle();
  const ids = world.posted.map(({ message }) => message.headers["webhook-id"]);
  expect(ids).toHaveLength(3);
  expect(ids[2]).toBe(ids[1]);
  expect(ids[1]).not.toBe(ids[0]);
});

test("when the server stops, what is being posted may end, and what does not is posted again", async () => {
  await using world = await createWebhookWorld();
  const { clock, service, workspaceId } = world;
  const { id } = await service.create(workspaceId, { url: a });
  world.hangs(a);
  await world.lead();
  await world.settle();
  const stopped = world.deliverer.stop(5 * second);
  await world.lead();
  clock.advance(5 * second);
  await stopped;
  expect(world.posted).toHaveLength(1);
  world.at(a, () => answered(200));
  world.restart();
  await world.deliverer.idle();
  expect(world.posted).toHaveLength(3);
  const { page } = await service.deliveries(workspaceId, id, { state: null, types: null, before: null, limit: 10 });
  expect(page.map(({ state, attempts }) => [state, attempts.length])).toEqual([
    ["delivered", 1],
    ["delivered", 1],
  ]);
});

test("a change of the address holds for what waits, and an endpoint that is deleted gets nothing more", async () => {
  await using world = await createWebhookWorld();
  const { service, deliverer, workspaceId } = world;
  const { id } = await service.create(workspaceId, { url: a });
  world.at(a, () => answered(500));
  await world.lead();
  await deliverer.idle();
  await service.update(workspaceId, id, { url: b });
  await world.pass(10 * second, second);
  expect(world.urls()).toEqual([a, b]);
  await service.remove(workspaceId, id);
  await world.lead();
  await world.pass(minute);
  expect(world.urls()).toEqual([a, b]);
});

test("both secrets sign until the overlap is over", async () => {
  await using world = await createWebhookWorld();
  const { service, deliverer, workspaceId } = world;
  const { id } = await service.create(workspaceId, { url: a });
  await service.rotate(workspaceId, id, { overlapHours: 1 });
  await world.lead();
  await deliverer.idle();
  await world.pass(hour, minute);
  await world.lead();
  await deliverer.idle();
  const signatures = world.posted.map(({ message }) => message.headers["webhook-signature"]!.split(" ").length);
  expect(signatures).toEqual([2, 1]);
});

test("a test and a single replay pass by all that waits for an endpoint that rests; when they arrive, the rest is over", async () => {
  await using world = await createWebhookWorld();
  const { clock, service, deliverer, workspaceId } = world;
  const { id } = await service.create(workspaceId, { url: a });
  world.at(a, () => answered(503, clock.now() + hour));
  for (let n = 0; n < 50; n++) await world.lead();
  await deliverer.idle();
  expect(world.posted).toHaveLength(1);
  const [failed] = (await logOf(world, id)).filter(({ attempts }) => attempts.length > 0);
  expect(failed).toMatchObject({ state: "pending", nextAttemptAt: new Date(clock.now() + hour).toISOString() });

  world.at(a, () => answered(500));
  const tested = await service.test(workspaceId, id);
  await deliverer.idle();
  expect(world.posted).toHaveLength(2);
  expect(await service.delivery(workspaceId, id, tested.id)).toMatchObject({
    type: "webhook.test",
    state: "failed",
    nextAttemptAt: null,
    attempts: [{ status: 500 }],
  });
  await world.pass(10 * minute, minute);
  expect(world.posted).toHaveLength(2);

  world.at(a, () => answered(200));
  await service.replay(workspaceId, id, failed!.id);
  await deliverer.idle();
  expect(world.posted[2]!.message.headers["webhook-id"]).toBe(failed!.webhookId);
  expect(world.posted).toHaveLength(51 + 1);
  const log = await logOf(world, id);
  expect(log.filter(({ state }) => state === "delivered")).toHaveLength(50);
});

test("who asks again and again posts one at a time, and after a failure only some seconds later", async () => {
  await using world = await createWebhookWorld();
  const { service, deliverer, workspaceId } = world;
  const { id } = await service.create(workspaceId, { url: a });
  world.hangs(a);
  const asked = [await service.test(workspaceId, id), await service.test(workspaceId, id)];
  expect(asked[1]!.id).toBe(asked[0]!.id);
  await world.settle();
  expect(world.hanging).toHaveLength(1);
  world.hanging[0]!.answer(answered(500));
  await deliverer.idle();
  world.at(a, () => answered(500));
  await service.test(workspaceId, id);
  await deliverer.idle();
  expect(world.posted).toHaveLength(1);
  await world.pass(2 * second, second);
  expect(world.posted).toHaveLength(2);
});

test("a failed test makes what waits rest no longer", async () => {
  await using world = await createWebhookWorld();
  const { service, deliverer, workspaceId } = world;
  const { id } = await service.create(workspaceId, { url: a, events: ["lead.*"] });
  world.at(a, () => answered(400));
  for (let n = 0; n < 8; n++) {
    await service.test(workspaceId, id);
    await world.pass(3 * second, second);
  }
  expect(world.posted).toHaveLength(8);
  world.at(a, () => answered(200));
  await world.lead();
  await deliverer.idle();
  expect(world.posted).toHaveLength(9);
});

test("tests of one user at receivers that hang leave places for those of others, and for the queue", async () => {
  await using world = await createWebhookWorld();
  const { service, make, storage, workspaceId } = world;
  const { user: other } = await make.storedUser(storage);
  for (let n = 0; n < 40; n++) {
    const url = `https://hanging.example/${n}`;
    world.hangs(url);
    const { id } = await service.create(workspaceId, { url, events: ["voice.*"] });
    await service.test(workspaceId, id);
  }
  const { id } = await service.create(other.id, { url: b });
  await service.test(other.id, id);
  await service.create(workspaceId, { url: a });
  await world.lead();
  await world.settle();
  expect(world.hanging).toHaveLength(4);
  expect(world.urls()).toContain(a);
  expect(world.urls()).toContain(b);
  // Each place that is left is taken by the next one.
  for (const { answer } of world.hanging.splice(0)) answer(answered(200));
  await world.settle();
  expect(world.hanging).toHaveLength(4);
});

async function logOf({ service, workspaceId }: Awaited<ReturnType<typeof createWebhookWorld>>, id: string) {
  return (await service.deliveries(workspaceId, id, { state: null, types: null, before: null, limit: 100 })).page;
}
