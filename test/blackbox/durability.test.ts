import { expect, test } from "bun:test";
import { createDirectory, startServer } from "../support/program.ts";
import { eventually } from "../support/service.ts";

const noLimits = {
  OUTREACHD_RATE_LIMIT_MINUTE: "0",
  OUTREACHD_RATE_LIMIT_HOUR: "0",
  OUTREACHD_RATE_LIMIT_DAY: "0",
};
const json = { "content-type": "application/json" };
/** The kill falls when so many writes were acknowledged, in the middle of those that are under way. */
const killAfter = [60, 250];

test("a server that is killed under load loses no write that it acknowledged", async () => {
  await using directory = await createDirectory();
  const acknowledged: string[] = [];
  let key = "";
  for (const [round, enough] of killAfter.entries()) {
    await using server = await startServer(directory.path, { env: noLimits });
    key ||= server.firstRun?.key ?? "";
    const before = acknowledged.length;
    let serial = 0;
    const client = async (): Promise<void> => {
      for (;;) {
        const email = `p${serial++}@round${round}.example`;
        const body = JSON.stringify({ email });
        const headers = { ...json, "x-api-key": key };
        const answer = await fetch(`${server.api}/leads`, { method: "POST", headers, body }).catch(() => null);
        if (answer === null || (await answer.text().catch(() => null)) === null) return;
        expect(answer.status).toBe(200);
        acknowledged.push(email);
        if (acknowledged.length - before === enough) void server.stop("SIGKILL");
      }
    };
    await Promise.all(Array.from({ length: 16 }, client));
    expect(acknowledged.length - before).toBeGreaterThanOrEqual(enough);
  }
  await using server = await startServer(directory.path, { env: noLimits });
  const exported = await fetch(`${server.api}/leads/export?format=ndjson`, { headers: { "x-api-key": key } });
  const lines = (await exported.text()).trimEnd().split("\n");
  const stored = new Set(lines.map((line) => (JSON.parse(line) as { email: string }).email));
  expect(acknowledged.filter((email) => !stored.has(email))).toEqual([]);
  const { data } = (await (await fetch(`${server.api}/leads?limit=1`, { headers: { "x-api-key": key } })).json()) as {
    data: { total: number };
  };
  expect(data.total).toBe(stored.size);
}, 30_000);

test("a scheduled action and a task for a person are found again after a kill", async () => {
  await using directory = await createDirectory();
  const ask = async (url: string, key: string, body?: unknown, method = body === undefined ? "GET" : "POST") => {
    const headers = { ...json, "x-api-key": key };
    const answer = await fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    return (await answer.json()) as { data: { [name: string]: unknown } };
  };
  let key = "";
  let jobId = "";
  {
    await using server = await startServer(directory.path, { env: noLimits });
    key = server.firstRun?.key ?? "";
    const { data } = await ask(`${server.api}/network/accounts`, key);
    const [account] = data["accounts"] as { id: string; workingHours: Record<string, unknown> }[];
    const allDay = [{ from: "00:00", to: "24:00" }];
    const workingHours = Object.fromEntries(Object.keys(account!.workingHours).map((day) => [day, allDay]));
    const spacing = { medianSeconds: 0, minSeconds: 0 };
    const hours = { workingHours, sessions: null, spacing };
    await ask(`${server.api}/network/accounts/${account!.id}`, key, hours, "PATCH");
    const action = { actionType: "sendConnectionRequest", profileUrl: "https://network.example/in/ada" };
    jobId = String((await ask(`${server.api}/network/scheduleNetworkAction`, key, action)).data["jobId"]);
    await server.stop("SIGKILL");
  }
  await using server = await startServer(directory.path, { env: noLimits });
  const tasks = await eventually(
    "the task",
    async () => {
      const { data } = await ask(`${server.api}/network/tasks`, key);
      return data["total"] === 1 ? (data["tasks"] as { jobId: string }[]) : null;
    },
    // The kill may fall when the action is on its way into the list: then its lease has to end first.
    { patienceMs: 90_000 },
  );
  expect(tasks.map((task) => task.jobId)).toEqual([jobId]);
  const { data } = await ask(`${server.api}/network/tasks/${jobId}/complete`, key, { outcome: "completed" });
  expect(data).toMatchObject({ state: "completed" });
}, 120_000);
