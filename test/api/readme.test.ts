import { expect, test } from "bun:test";
import { join } from "node:path";
import type { ActionView } from "../../src/features/network/action-model.ts";
import type { AccountView } from "../../src/features/network/account-model.ts";
import type { Client } from "../support/client.ts";
import { FakeClock } from "../support/clock.ts";
import { ada, createCommandLine, success, userPage } from "../support/command-line.ts";
import { startService, succeeded, testInProcess } from "../support/service.ts";

const readme = await Bun.file(join(import.meta.dir, "../../README.md")).text();
const hourMs = 3_600_000;
const minuteMs = 60_000;

/** The one call of curl in the README whose path ends so: what it sends. */
function documentedCall(end: string): { path: string; body: Record<string, unknown> } {
  const blocks = [...readme.matchAll(/^```sh\n([^]*?)^```/gm)].map((match) => match[1]!);
  const calls = blocks.flatMap((block) =>
    [...block.matchAll(/^curl [^]*?-d '([^']*)'[^]*?http:\/\/127\.0\.0\.1:8080(\S+)/gm)]
      .map(([, json = "", path = ""]) => ({ json, path }))
      .filter(({ path }) => path.endsWith(end)),
  );
  expect(calls.map(({ path }) => path)).toHaveLength(1);
  return { path: calls[0]!.path, body: JSON.parse(calls[0]!.json) as Record<string, unknown> };
}

const schedule = documentedCall("/network/scheduleNetworkAction");
const updates = [...readme.matchAll(/^outreachd (accounts update ACCOUNT_ID .*)$/gm)].map((match) => match[1]!);

/** What the command of the README sends to change an account. */
async function changesOfCommand(): Promise<Record<string, unknown>> {
  const sent: Record<string, unknown>[] = [];
  const api = async (request: Request): Promise<Response> => {
    if (new URL(request.url).pathname === "/api/v2/users") return userPage([ada]);
    if (request.method === "PATCH") sent.push((await request.json()) as Record<string, unknown>);
    return success({ id: "ACCOUNT_ID" });
  };
  await using cli = await createCommandLine({ api });
  await cli.run(...updates[0]!.split(" "));
  const { userId: _user, ...changes } = sent[0]!;
  return changes;
}

async function openTheHours(client: Client): Promise<void> {
  const { accounts } = succeeded(await client.get<{ accounts: AccountView[] }>("/api/v2/network/accounts")).data;
  succeeded(await client.patch(`/api/v2/network/accounts/${accounts[0]!.id}`, await changesOfCommand()));
}

test("what the README names is there", () => {
  expect(schedule.path).toBe("/api/v2/network/scheduleNetworkAction");
  expect(updates).toHaveLength(1);
});

testInProcess("a first action, scheduled as the README says, goes within a minute on Monday at 03:00", async () => {
  const clock = new FakeClock(Date.UTC(2026, 0, 5, 3));
  await using service = await startService({ clock });
  const client = service.admin;
  const { jobId } = succeeded(await client.post<{ jobId: string }>(schedule.path, schedule.body)).data;
  const action = async () => succeeded(await client.get<ActionView>(`/api/v2/network/actions/${jobId}`)).data;
  expect(await action()).toMatchObject({ state: "scheduled", pendingReason: "outsideWorkingHours" });
  await openTheHours(client);
  for (let seconds = 0; seconds < 60; seconds += 5) {
    await service.idle();
    clock.advance(5000);
  }
  await service.idle();
  expect(await action()).toMatchObject({ carriedOutAt: expect.any(String), pendingReason: null });
  const { status } = await service.ended(client, jobId);
  expect(status).toBe("completed");
});

testInProcess("an account with the hours of the README acts at once at every hour of the week", async () => {
  const clock = new FakeClock(Date.UTC(2026, 0, 5, 0, 30));
  for (const zone of ["UTC", "Asia/Kolkata", "America/New_York"]) {
    await using service = await startService({ clock, settings: { TIME_ZONE: zone } });
    await openTheHours(service.admin);
    await service.idle();
    for (let hour = 0; hour < 7 * 24; hour++) {
      const body = { ...schedule.body, profileUrl: `https://network.example/in/p${hour}`, dryRun: true };
      const { data } = succeeded(await service.admin.post<{ delay: number | null }>(schedule.path, body));
      expect({ hour, delay: data.delay }).toEqual({ hour, delay: expect.any(Number) });
      expect(data.delay).toBeLessThan(minuteMs);
      clock.advance(hourMs);
    }
  }
});
