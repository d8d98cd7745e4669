import { expect } from "bun:test";
import type { AccountView } from "../../src/features/network/account-model.ts";
import type { ActionView } from "../../src/features/network/action-model.ts";
import type { OperationsView } from "../../src/platform/operations/model.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { calmed, startService, succeeded, testInProcess } from "../support/service.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const cap = 6;
const allDay = [{ from: "00:00", to: "24:00" }];
const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

type Health = { status: string; message: string | null };

/** A user with more invitations to send than a day's cap, on a service whose clock a test sets. */
async function startSending(now: number = startOfTests) {
  const clock = new FakeClock(now);
  const sent: string[] = [];
  const simulated = {
    carryOut: async ({ profileUrl }: { profileUrl: string }) => {
      sent.push(profileUrl);
      return { kind: "completed" as const, reference: null };
    },
  };
  const service = await startService({ settings: { CONNECTOR: "simulated" }, clock, connectors: { simulated } });
  const user = await calmed(await service.user({ timeZone: "Europe/Berlin" }));
  const path = "/api/v2/network/accounts";
  const { accounts } = succeeded(await user.get<{ accounts: AccountView[] }>(path)).data;
  const workingHours = Object.fromEntries(days.map((name) => [name, allDay]));
  succeeded(await user.patch(`${path}/${accounts[0]?.id}`, { workingHours, caps: { invites: { day: cap } } }));
  for (let n = 0; n < 3 * cap; n++)
    succeeded(
      await user.post("/api/v2/network/scheduleNetworkAction", {
        actionType: "sendConnectionRequest",
        profileUrl: `https://network.example/in/person-${n}`,
      }),
    );
  const health = async () => (await service.admin.get("/api/v2/health")).body as Health;
  return {
    clock,
    service,
    user,
    sent,
    health,
    /** Lets the time pass on the system clock, minute by minute. */
    async pass(ms: number): Promise<void> {
      for (let passed = 0; passed < ms; passed += 3 * minute) {
        clock.advance(3 * minute);
        await service.idle();
      }
    },
    async carriedOut(): Promise<Record<string, string | null>> {
      const { actions } = succeeded(
        await user.get<{ actions: ActionView[] }>("/api/v2/network/actions", { query: { limit: 100 } }),
      ).data;
      const ended = actions.filter(({ carriedOutAt }) => carriedOutAt !== null);
      return Object.fromEntries(ended.map(({ jobId, carriedOutAt }) => [jobId, carriedOutAt]));
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

const steps: [string, number][] = [
  ["three minutes", 3 * minute],
  ["an hour", hour],
  ["25 hours", 25 * hour],
  ["nine days", 9 * day],
];
const restarts = [false, true];

for (const [words, step] of steps)
  for (const isRestarted of restarts)
    testInProcess(
      `a clock that goes back by ${words} and recovers${isRestarted ? ", with a restart in between," : ""} gives no fresh cap and rewrites nothing`,
      async () => {
        await using world = await startSending();
        await world.pass(hour);
        expect(world.sent).toHaveLength(cap);
        const history = await world.carriedOut();
        expect(Object.keys(history)).toHaveLength(cap);
        const right = world.clock.now();

        world.clock.set(right - step);
        if (isRestarted) await world.service.restart();
        await world.pass(Math.min(step, 2 * hour) - 3 * minute);
        expect(world.sent).toHaveLength(cap);
        expect(await world.carriedOut()).toEqual(history);

        world.clock.set(right + minute);
        await world.pass(2 * hour);
        expect(world.sent).toHaveLength(cap);
        expect(await world.carriedOut()).toEqual(history);
        expect(await world.health()).toMatchObject({ status: "healthy", message: null });

        world.clock.set(right + day);
        await world.pass(hour);
        expect(world.sent).toHaveLength(2 * cap);
        expect(await world.carriedOut()).toMatchObject(history);
      },
    );

testInProcess("while the clock is behind, nothing is sent, and health and operations say so", async () => {
  await using world = await startSending();
  await world.pass(6 * minute);
  const before = world.sent.length;
  expect(before).toBeWithin(1, cap);
  world.clock.set(world.clock.now() - 25 * hour);
  await world.pass(hour);
  expect(world.sent).toHaveLength(before);
  const { status, message } = await world.health();
  expect(status).toBe("degraded");
  expect(message).toMatch(/^The server's clock is 24 hours behind the latest time it has shown \(2026-01-05T10:\d\d:/);
  const { clock } = succeeded(await world.service.admin.get<OperationsView>("/api/v2/operations")).data;
  expect(clock.behindSeconds).toBeWithin(24 * 3_600, 25 * 3_600);
  // Everything but sending works, and what is stored now is not older than what was stored before.
  const { createdAt } = succeeded(
    await world.user.post<{ createdAt: string }>("/api/v2/leads", { email: "ada@example.com" }),
  ).data;
  expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(startOfTests + 6 * minute);
  expect((await fetch(`${world.service.url}/readyz`)).status).toBe(200);
});

testInProcess("a correction by less than two minutes delays sending by no more than that", async () => {
  await using world = await startSending();
  await world.pass(6 * minute);
  const before = world.sent.length;
  world.clock.set(world.clock.now() - 90 * second);
  expect((await world.health()).status).toBe("healthy");
  await world.pass(15 * minute);
  expect(world.sent.length).toBeGreaterThan(before);
});

for (const [season, at] of [
  ["spring", "2026-03-29T00:30:00Z"],
  ["autumn", "2026-10-25T00:30:00Z"],
] as const)
  testInProcess(`in the night of the change of ${season}, the cap of a day holds`, async () => {
    await using world = await startSending(Date.parse(at));
    await world.pass(6 * hour);
    expect(world.sent).toHaveLength(cap);
  });
