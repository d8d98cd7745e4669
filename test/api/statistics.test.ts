import { expect } from "bun:test";
import type { WeeklyStatistics } from "../../src/features/statistics/model.ts";
import type { JobDay } from "../../src/platform/jobs/model.ts";
import { FakeClock } from "../support/clock.ts";
import { startService, succeeded, testInProcess } from "../support/service.ts";

const start = (clock: FakeClock) => startService({ settings: { CONNECTOR: "manual" }, clock });
const day = 86_400_000;
const isoOf = (at: number) => new Date(at).toISOString();

testInProcess("weeks count what was sent, the current one last", async () => {
  const clock = new FakeClock();
  await using service = await start(clock);
  const user = await service.user();
  for (const [name, daysAgo] of [
    ["ada", 0],
    ["grace", 7],
    ["alan", 8],
  ] as const)
    succeeded(
      await user.post("/api/v2/network/actions/record", {
        ...{ actionType: "sendConnectionRequest", profileUrl: `https://network.example/in/${name}` },
        carriedOutAt: isoOf(clock.now() - daysAgo * day),
      }),
    );
  const { weeks } = succeeded(await user.get<WeeklyStatistics>("/api/v2/statistics/weekly")).data;
  expect(weeks).toHaveLength(8);
  expect(weeks.at(-1)).toMatchObject({ invites: 1, sent: 1, messages: 0, accepted: 0, replied: 0 });
  expect(weeks.reduce((sum, { sent }) => sum + sent, 0)).toBe(3);
  const short = succeeded(await user.get<WeeklyStatistics>("/api/v2/statistics/weekly", { query: { weeks: "1" } }));
  expect(short.data.weeks).toEqual([weeks.at(-1)!]);
  expect((await user.get("/api/v2/statistics/weekly", { query: { weeks: "27" } })).status).toBe(400);
});

testInProcess("jobs count on the day of their execution, and what waits for a person is pending", async () => {
  const clock = new FakeClock();
  await using service = await start(clock);
  const user = await service.user();
  const headers = { "content-type": "text/csv" };
  succeeded(await user.post("/api/v2/leads/import", "email\nada@example.com\n", { headers }));
  await service.idle();
  const { accounts } = succeeded(await user.get<{ accounts: { id: string }[] }>("/api/v2/network/accounts")).data;
  const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
  const workingHours = Object.fromEntries(days.map((name) => [name, [{ from: "00:00", to: "24:00" }]]));
  const always = { workingHours, sessions: null, warmUp: null, jitterPercent: 0 };
  succeeded(await user.patch(`/api/v2/network/accounts/${accounts[0]?.id}`, always));
  const visit = { actionType: "visitProfile", profileUrl: "https://network.example/in/ada" };
  const notBefore = isoOf(clock.now() + 2 * day);
  succeeded(await user.post("/api/v2/network/scheduleNetworkAction", { ...visit, notBefore }));
  const history = async (by: string) =>
    succeeded(await user.get<{ days: JobDay[] }>("/api/v2/users/jobs/history", { query: { by, days: "5" } })).data.days;
  clock.advance(3 * day);
  await service.idle();
  const created = await history("created");
  expect(created.at(-4)).toMatchObject({ completed: 1, running: 1, pending: 0 });
  const executed = await history("executed");
  expect(executed.at(-4)).toMatchObject({ completed: 1, running: 0, pending: 0 });
  expect(executed.reduce((sum, { running }) => sum + running, 0)).toBe(0);
  expect(executed.slice(-3).reduce((sum, { pending }) => sum + pending, 0)).toBe(1);
});
