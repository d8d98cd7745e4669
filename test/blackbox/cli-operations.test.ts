import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { createDirectory, runProgram, startServer } from "../support/program.ts";
import { eventually } from "../support/service.ts";
import { hiss, spokenWav } from "../support/voices.ts";

/** Commands for webhooks, voices, actions, accounts, jobs, and keys, each against a server. */

setDefaultTimeout(120_000);

const env = {
  OUTREACHD_RATE_LIMIT_MINUTE: "0",
  OUTREACHD_RATE_LIMIT_HOUR: "0",
  OUTREACHD_RATE_LIMIT_DAY: "0",
  OUTREACHD_WEBHOOK_PRIVATE_HOSTS: "127.0.0.1",
};
const profileUrl = "https://network.example/in/ada";

const directory = await createDirectory();
let server: Awaited<ReturnType<typeof startServer>>;
let connection: Record<string, string>;
beforeAll(async () => {
  server = await startServer(join(directory.path, "data"), { env });
  connection = { OUTREACHD_DATA: join(directory.path, "data") };
});
afterAll(async () => {
  await server.stop();
  await directory[Symbol.asyncDispose]();
});

async function run(line: readonly string[], expected = 0): Promise<string> {
  const { exitCode, out, err } = await runProgram(line, { env: connection });
  if (exitCode !== expected) throw new Error(`${line.join(" ")} ended with ${exitCode}: ${err}${out}`);
  return out;
}

async function json<T>(...line: readonly string[]): Promise<T> {
  return JSON.parse(await run([...line, "--json"])) as T;
}

test("a webhook endpoint is created, tested, disabled, and deleted, and deliveries are repeated", async () => {
  const received: { id: string | null; type: string }[] = [];
  let status = 200;
  const receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { type } = (await request.json()) as { type: string };
      received.push({ id: request.headers.get("webhook-id"), type });
      return new Response("thanks", { status });
    },
  });
  try {
    const url = `http://127.0.0.1:${receiver.port}/`;
    const created = await json<{ id: string; secret: string }>("webhooks", "create", url, "--event", "lead.*");
    const { id } = created;
    expect(created.secret).toStartWith("whsec_");
    expect(await run(["webhooks", "list"])).toContain(id);
    expect(await run(["webhooks", "test", id])).toContain(": delivered");
    expect(received.map(({ type }) => type)).toEqual(["webhook.test"]);
    status = 500;
    expect(await run(["webhooks", "test", id], 1)).toContain(": failed");
    status = 200;
    await run(["webhooks", "test", id]);

    await run(["leads", "create", "--set", "email=grace@example.com"]);
    type List = { deliveries: { id: string; type: string; state: string }[] };
    const deliveryId = await eventually("the delivery", async () => {
      const { deliveries } = await json<List>("webhooks", "deliveries", id, "--event", "lead.*");
      return deliveries[0]?.state === "delivered" ? deliveries[0].id : null;
    });
    expect(await run(["webhooks", "delivery", id, deliveryId])).toContain('"type": "lead.created"');
    expect(await run(["webhooks", "redeliver", id, deliveryId])).toBe("Queued 1 event again.\n");
    const range = ["--from", "2020-01-01T00:00:00Z", "--all"];
    expect(await run(["webhooks", "redeliver", id, ...range])).toContain("again.");
    const leadEvents = () => received.filter(({ type }) => type === "lead.created");
    await eventually("both deliveries", async () => (leadEvents().length > 1 ? true : null));
    expect(new Set(leadEvents().map(({ id: sent }) => sent)).size).toBe(1);
    await run(["webhooks", "redeliver", id], 2);

    expect(await run(["webhooks", "update", id, "--disable"])).toContain("disabled");
    expect(await run(["webhooks", "test", id], 1)).toBe("");
    expect(await run(["webhooks", "update", id, "--enable", "--event", "*"])).toMatch(/events +\*/);
    await run(["webhooks", "update", id], 2);
    const rotated = await json<{ secret: string; oldSecretUntil: string }>("webhooks", "rotate", id);
    expect([rotated.secret === created.secret, rotated.oldSecretUntil === null]).toEqual([false, false]);
    expect(await run(["webhooks", "delete", id])).toBe(`Deleted the endpoint ${id}.\n`);
    expect(await run(["webhooks", "list"])).toContain("No webhook endpoints.");
  } finally {
    await receiver.stop(true);
  }
});

test("an account is added, changed with a file, paused, and resumed; actions are scheduled, changed, and canceled", async () => {
  const account = await json<{ id: string }>("accounts", "create", "Ada", "--plan", "premium", "--time-zone", "UTC");
  const file = join(directory.path, "account.json");
  const shown = await json<Record<string, unknown>>("accounts", "show", account.id);
  const workingHours = Object.fromEntries(
    Object.keys(shown["workingHours"] as object).map((day) => [day, [{ from: "00:00", to: "24:00" }]]),
  );
  const atOnce = { sessions: null, spacing: { medianSeconds: 0, minSeconds: 0 }, warmUp: null };
  await Bun.write(file, JSON.stringify({ ...shown, workingHours, ...atOnce }));
  expect(await run(["accounts", "update", account.id, "--settings", file])).toContain('"24:00"');
  expect(await run(["accounts", "pause", account.id])).toBe("Ada: paused\n");
  expect(await run(["accounts", "resume", account.id])).toBe("Ada: active\n");

  const visit = ["actions", "schedule", "visitProfile", profileUrl, "--account", account.id];
  expect(await run([...visit, "--dry-run"])).toContain("would run in");
  expect(await run(["actions", "list"])).toBe("No actions.\n");
  const later = ["--not-before", new Date(Date.now() + 86_400_000).toISOString()];
  const message = ["actions", "schedule", "sendMessage", profileUrl, "--message", "Hello", ...later];
  const { jobId } = await json<{ jobId: string }>(...message, "--approval");
  expect(await run(["actions", "list", "--state", "awaitingApproval"])).toContain(jobId);
  expect(await run(["actions", "approve", jobId])).toContain("scheduled");
  expect(await run(["actions", "update", jobId, "--message", "Hello Ada"])).toContain("\n\nHello Ada\n");
  expect(await run(["actions", "cancel", jobId])).toContain("canceled");
  expect(await run(["actions", "show", jobId])).toMatch(/state +canceled/);

  const task = await json<{ jobId: string }>(...visit);
  await eventually("the task", async () => ((await run(["actions", "tasks"])).includes(task.jobId) ? true : null));
  expect(await run(["actions", "done", task.jobId, "--note", "Done"])).toBe("visitProfile: completed\n");
  expect(await run(["actions", "record", "followProfile", profileUrl])).toStartWith("Recorded followProfile");
  await run(["accounts", "delete", account.id], 1);
});

test("jobs are listed with the key of a user as well, followed, and shown", async () => {
  const people = join(directory.path, "people.csv");
  await Bun.write(people, "email\nlinus@example.com\nnot an address\n");
  await run(["import", "leads", people], 4);
  type List = { jobs: { id: string; type: string }[]; statistics: { total: number } };
  const all = await json<List>("jobs", "list", "--type", "lead_import");
  expect(all.jobs.map(({ type }) => type)).toEqual(["lead_import"]);
  const remote = { OUTREACHD_URL: server.url, OUTREACHD_API_KEY: server.firstRun!.key };
  const { out } = await runProgram(["jobs", "list", "--type", "lead_import", "--json"], { env: remote });
  expect(JSON.parse(out)).toEqual(all);
  const { id } = all.jobs[0]!;
  expect(await run(["jobs", "list", "--type", "lead_import"])).toContain(
    "1 job: 0 pending, 0 running, 1 completed, 0 failed.",
  );
  expect(await run(["jobs", "watch", id])).toContain("1");
  expect(await run(["jobs", "show", id])).toMatch(/failed +1/);
  expect((await runProgram(["jobs", "cancel", id], { env: connection })).err).toStartWith("Error: ");
});

test("recordings are checked, and train a voice that speaks into a file", async () => {
  const speech = join(directory.path, "ada.wav");
  const noise = join(directory.path, "noise.wav");
  await Bun.write(speech, await spokenWav(13, "slt"));
  await Bun.write(noise, hiss(2));
  expect(await run(["voices", "check", noise], 1)).toContain("cannot be used");
  expect(await run(["voices", "check", speech])).toContain("can be used");
  expect(await run(["voices", "check", join(directory.path, "none.wav")], 2)).toBe("");
  const label = ["--label", "language=en", "--label", "mood=calm", "--stability", "0.4"];
  const created = await run(["voices", "create", "Ada", speech, ...label]);
  const [, id = ""] = /Created the voice ([\w-]+)\./.exec(created) ?? [];
  expect(await run(["voices", "list", "--status", "ready"])).toContain(id);
  expect(await run(["voices", "show", id])).toMatch(/stability +0.4[^]*"mood":"calm"[^]*ada.wav +wav/);
  const file = join(directory.path, "hello.m4a");
  expect(await run(["voices", "speak", id, "Hello Grace.", "--output", file])).toBe(`Wrote ${file}.\n`);
  expect((await Bun.file(file).bytes()).subarray(4, 8)).toEqual(new TextEncoder().encode("ftyp"));
  expect(await run(["voices", "train", id])).not.toBe("");
  expect(await run(["voices", "update", id, "--name", "Warm", "--disable"])).toBe("Updated Warm.\n");
  expect((await runProgram(["voices", "speak", id, "Hello", "--output", file], { env: connection })).exitCode).toBe(1);
  expect(await run(["voices", "delete", id])).toBe(`Deleted the voice ${id}.\n`);
});

test("a key is changed, disabled, and replaced, and its requests are counted", async () => {
  const created = await json<{ id: string; key: string }>("key", "create", "--name", "n8n");
  const { id } = created;
  const remote = { OUTREACHD_URL: server.url, OUTREACHD_API_KEY: created.key };
  const asKey = async () => (await runProgram(["leads", "list"], { env: remote })).exitCode;
  expect(await asKey()).toBe(0);
  expect(await run(["key", "update", id, "--permission", "jobs:read"])).toContain("jobs:read");
  expect(await asKey()).toBe(1);
  expect(await run(["key", "update", id, "--permission", "leads:read", "--disable"])).toContain("disabled");
  expect(await asKey()).toBe(1);
  await run(["key", "update", id, "--enable"]);
  expect(await asKey()).toBe(0);
  const renewed = await json<{ key: string }>("key", "regenerate", id);
  expect(await asKey()).toBe(1);
  remote.OUTREACHD_API_KEY = renewed.key;
  expect(await asKey()).toBe(0);
  const { days } = await json<{ days: { requests: number }[] }>("key", "usage", id, "--days", "2");
  expect(days.reduce((total, { requests }) => total + requests, 0)).toBeGreaterThan(2);
});
