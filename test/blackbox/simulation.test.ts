import { expect, setDefaultTimeout, test } from "bun:test";
import type { CampaignStatistics, CampaignView } from "../../src/features/campaigns/model.ts";
import { windowMs } from "../../src/features/network/account-model.ts";
import type { UsageView } from "../../src/features/network/forecast-model.ts";
import type { Advanced } from "../../src/features/simulation/model.ts";
import { eventually } from "../support/service.ts";
import { createDirectory, runProgram, startServer } from "../support/program.ts";

// Each start runs the program, perhaps from source and on a busy machine.
setDefaultTimeout(120_000);

const env = {
  OUTREACHD_RATE_LIMIT_MINUTE: "0",
  OUTREACHD_RATE_LIMIT_HOUR: "0",
  OUTREACHD_RATE_LIMIT_DAY: "0",
  OUTREACHD_TIME_ZONE: "UTC",
  OUTREACHD_SIMULATED_RATES: "acceptances=40,replies=40",
};

type Api = <T>(method: string, path: string, body?: unknown, type?: string) => Promise<T>;

function apiOf(url: string, key: string): Api {
  return async <T>(method: string, path: string, body?: unknown, type = "application/json") => {
    const response = await fetch(`${url}/api/v2${path}`, {
      method,
      headers: { "x-api-key": key, ...(body !== undefined && { "content-type": type }) },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    expect(response.headers.get("x-simulation")).not.toBeNull();
    const answer = (await response.json()) as { data: T };
    expect(response.ok, `${path}: ${JSON.stringify(answer)}`).toBe(true);
    return answer.data;
  };
}

test("a month of outreach passes in seconds: imports, 200 actions and a campaign, with acceptances and replies", async () => {
  await using directory = await createDirectory();
  const args = ["--simulate", "--simulated-start", "2026-01-05T08:00:00Z"];
  await using server = await startServer(`${directory.path}/data`, { env, args });
  const api = apiOf(server.url, server.firstRun!.key);

  const people = Array.from({ length: 60 }, (_, n) => `p${n}@example.com,https://network.example/in/lead-${n}`);
  const { id: jobId } = await api<{ id: string }>(
    "POST",
    "/leads/import",
    `email,profile url\n${people.join("\n")}\n`,
    "text/csv",
  );
  await eventually("the end of the import", async () => {
    const { status } = await api<{ status: string }>("GET", `/users/jobs/${jobId}`);
    return status === "completed" ? true : null;
  });
  const { leads } = await api<{ leads: { id: string }[] }>("GET", "/leads?limit=100");
  expect(leads).toHaveLength(60);

  // The cap of each day is the same then.
  const { accounts } = await api<{ accounts: { id: string }[] }>("GET", "/network/accounts");
  const account = `/network/accounts/${accounts[0]!.id}`;
  await api("PATCH", account, { jitterPercent: 0 });
  for (let n = 0; n < 200; n++)
    await api("POST", "/network/scheduleNetworkAction", {
      actionType: n % 2 === 0 ? "sendConnectionRequest" : "visitProfile",
      profileUrl: `https://network.example/in/person-${n}`,
    });
  const steps = [
    { type: "action", actionType: "sendConnectionRequest" },
    {
      type: "branch",
      condition: "connected",
      withinDays: 7,
      yes: [{ type: "action", actionType: "sendMessage", message: "Good to be in touch" }],
      no: [],
    },
  ];
  const campaign = await api<CampaignView>("POST", "/campaigns", { name: "January", steps });
  await api("POST", `/campaigns/${campaign.id}/enroll`, { leadIds: leads.map(({ id }) => id) });
  await api("POST", `/campaigns/${campaign.id}/start`);

  const told = await api<Advanced>("POST", "/simulation/clock", { advance: "P30D" });
  expect(told.to).toBe("2026-02-04T08:00:00.000Z");
  expect(told.accepted).toBeGreaterThan(10);
  expect(told.replied).toBeGreaterThan(0);
  expect(told.enrollments["completed"]).toBeGreaterThan(5);
  const statistics = await api<CampaignStatistics>("GET", `/campaigns/${campaign.id}/statistics`);
  expect(JSON.stringify(statistics)).toContain('"replied"');

  // The caps hold over any 24 hours and 7 days, not only by the calendar.
  const sends = (type: string): number[] =>
    told.events.filter(({ kind, what }) => kind === "action" && what === type).map(({ at }) => Date.parse(at));
  const invites = sends("sendConnectionRequest");
  expect(invites.length).toBeGreaterThan(40);
  const usage = await api<UsageView>("GET", `${account}/usage`);
  const { windows } = usage.meters.find(({ meter }) => meter === "invites")!;
  for (const { window, limit } of windows) {
    const within = (at: number) => invites.filter((other) => other <= at && other > at - windowMs[window]).length;
    expect(Math.max(...invites.map(within)), window).toBeLessThanOrEqual(limit ?? Infinity);
  }
  for (const { at, kind } of told.events) if (kind === "action") expect([0, 6]).not.toContain(new Date(at).getUTCDay());
});

test("a simulation and real data never meet", async () => {
  await using directory = await createDirectory();
  const [real, played] = [`${directory.path}/real`, `${directory.path}/played`];
  expect(await runProgram(["user", "create", "ada@example.com", "--data", real])).toMatchObject({ exitCode: 0 });
  const simulating = ["serve", "--simulate", "--listen", "127.0.0.1:0"];
  expect(await runProgram([...simulating, "--data", real])).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining("contains real data"),
  });
  {
    await using server = await startServer(played, { args: ["--simulate"] });
    expect((await fetch(`${server.url}/healthz`)).headers.get("x-simulation")).not.toBeNull();
  }
  expect(await runProgram(["serve", "--listen", "127.0.0.1:0", "--data", played])).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining("belongs to a simulation"),
  });
});
