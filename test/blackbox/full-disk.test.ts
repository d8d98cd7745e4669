import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createDirectory, programCommand, runProgram, startServer, textOf } from "../support/program.ts";
import { eventually } from "../support/service.ts";
import { mountSmallDisk, testOnSmallDisk, testUnless } from "../support/small-disk.ts";

setDefaultTimeout(60_000);

const megabyte = 1024 * 1024;
/** Limits that are never reached, so that what they counted shows. */
const env = {
  OUTREACHD_RATE_LIMIT_MINUTE: "1000000",
  OUTREACHD_RATE_LIMIT_HOUR: "1000000",
  OUTREACHD_RATE_LIMIT_DAY: "1000000",
};
const csvType = { "content-type": "text/csv" };

type Server = Awaited<ReturnType<typeof startServer>>;
type Lead = { email: string };

testOnSmallDisk("while the disk is full each write is acknowledged and kept, or refused with the reason", async () => {
  await using disk = mountSmallDisk(12 * megabyte);
  const dataDir = join(disk.path, "data");
  const acknowledged: string[] = [];
  let key = "";
  {
    await using server = await startServer(dataDir, { env });
    key = server.firstRun!.key;
    await disk.fill(megabyte);
    acknowledged.push(...(await storeUntilRefused(server, key, expectFull)));
    expect(await asked(`${server.url}/readyz`)).toMatchObject({
      status: 503,
      body: { code: "SERVICE_UNAVAILABLE", message: "Not ready: the disk is full." },
    });
    expect((await asked(`${server.url}/healthz`)).status).toBe(200);
    expect((await asked(`${server.api}/health`, key)).body).toMatchObject({ status: "degraded" });
    expect((await exported(server, key)).toSorted()).toEqual(acknowledged.toSorted());
    const { log } = await server.stop("SIGKILL");
    expect(log).toContain('"message":"the disk is full"');
    expect(log).not.toContain(" at ");
  }
  await disk.free();
  await using server = await startServer(dataDir, { env });
  expect((await exported(server, key)).toSorted()).toEqual(acknowledged.toSorted());
});

testOnSmallDisk("when there is room again the server goes on without a restart, and has lost no count", async () => {
  await using disk = mountSmallDisk(12 * megabyte);
  const dataDir = join(disk.path, "data");
  let key = "";
  let uses = 0;
  {
    await using server = await startServer(dataDir, { env });
    key = server.firstRun!.key;
    await disk.fill(megabyte);
    const acknowledged = await storeUntilRefused(server, key, () => uses++);
    uses += acknowledged.length;
    expect((await asked(`${server.url}/readyz`)).status).toBe(503);
    // Reading goes on, and is written into the audit log as soon as that is possible.
    expect(await exported(server, key)).toHaveLength(acknowledged.length);
    uses++;
    await disk.free();
    await eventually("the server to be ready", async () =>
      (await asked(`${server.url}/readyz`)).status === 200 ? true : null,
    );
    expect((await stored(server, key, "after@example.com")).status).toBe(200);
    expect((await exported(server, key)).toSorted()).toEqual([...acknowledged, "after@example.com"].toSorted());
    await eventually("both exports in the audit log", async () => {
      uses++;
      const { body } = await asked(`${server.api}/audit?action=leads.exported`, key);
      return (body as { data: { entries: unknown[] } }).data.entries.length === 2 ? true : null;
    });
    const { exitCode, log } = await server.stop("SIGTERM");
    expect(exitCode).toBe(0);
    expect(lastLines(log, 2)).toContain('"msg":"ready again"');
  }
  await using server = await startServer(dataDir, { env });
  const health = await asked(`${server.api}/health`, key);
  expect(health.body).toMatchObject({ apiKey: { usageCount: uses + 3 } }); // the last lead, the export, this one
  expect(Number(health.headers.get("x-ratelimit-remaining"))).toBe(1_000_000 - (uses + 2) - 1);
});

testOnSmallDisk("what a full disk refused is carried out when it is sent again, and what it took is not", async () => {
  await using disk = mountSmallDisk(12 * megabyte);
  await using server = await startServer(join(disk.path, "data"), { env });
  const key = server.firstRun!.key;
  const { id: lead } = ((await stored(server, key, "ada@example.com")).body as { data: { id: string } }).data;
  // Far more room is taken by the answer than by what it tells of.
  const ids = [lead, ...Array.from({ length: 400 }, (_, n) => `nobody${n}`)];
  const change = (name: string) =>
    asked(`${server.api}/leads/bulk/update`, key, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": name },
      body: JSON.stringify({ ids, status: "contacted" }),
    });
  await disk.fill(megabyte);
  const answers = new Map<string, Answer>();
  let refused = 0;
  const client = async (n: number): Promise<void> => {
    for (let serial = 0; refused < 40; serial++) {
      const answer = await change(`${n}-${serial}`);
      answers.set(`${n}-${serial}`, answer);
      if (answer.status !== 200) refused++;
    }
  };
  await Promise.all(Array.from({ length: 4 }, (_, n) => client(n)));
  await disk.free();
  await eventually("the server to be ready", async () =>
    (await asked(`${server.url}/readyz`)).status === 200 ? true : null,
  );
  for (const [name, { status, body }] of answers) {
    const again = await change(name);
    const isReplay = again.headers.get("idempotent-replayed") === "true";
    expect({ status: again.status, isReplay }).toEqual({ status: 200, isReplay: status === 200 });
    if (isReplay) expect(again.body).toEqual(body);
  }
  // The first version is that of the lead as it was stored.
  expect((await asked(`${server.api}/leads/${lead}`, key)).headers.get("etag")).toBe(`"${1 + answers.size}"`);
});

testOnSmallDisk("an upload that fills the disk is refused, and leaves neither a file nor a job", async () => {
  await using disk = mountSmallDisk(12 * megabyte);
  const dataDir = join(disk.path, "data");
  await using server = await startServer(dataDir, { env });
  const key = server.firstRun!.key;
  const upload = async (body: RequestInit["body"]) =>
    asked(`${server.api}/leads/import`, key, { method: "POST", headers: csvType, body: body! });
  expectFull(await upload(csvOf(400_000)));
  // Without a length that would tell beforehand.
  expectFull(await upload(new Blob([csvOf(400_000)]).stream()));
  expect(await readdir(join(dataDir, "blobs/imports"))).toEqual([]);
  expect((await asked(`${server.api}/users/jobs`, key)).body).toMatchObject({ data: { jobs: [] } });
  const { status, body } = await upload(csvOf(100));
  expect(status).toBe(202);
  await ended(server, key, (body as { data: { id: string } }).data.id);
  expect(await exported(server, key)).toHaveLength(100);
});

testOnSmallDisk("an import whose rows fill the disk waits for room, then goes on where it was", async () => {
  await using disk = mountSmallDisk(64 * megabyte);
  await using server = await startServer(join(disk.path, "data"), { env });
  const key = server.firstRun!.key;
  const rows = 20_000;
  await disk.fill(5 * megabyte);
  const { body } = await asked(`${server.api}/leads/import?onDuplicate=create`, key, {
    method: "POST",
    headers: csvType,
    body: csvOf(rows),
  });
  const { id } = (body as { data: { id: string } }).data;
  await eventually("the disk to be full", async () => {
    const job = await jobOf(server, key, id);
    expect(["pending", "running"]).toContain(job.status);
    const isRefused = (await stored(server, key, "big@example.com", 20_000)).status === 503;
    return isRefused || job.message.includes("the disk is full") ? true : null;
  });
  await disk.free();
  const job = await ended(server, key, id);
  expect(job).toMatchObject({ status: "completed", metadata: { rows, created: rows } });
  const emails = (await exported(server, key)).filter((email) => email !== "big@example.com");
  expect(emails).toHaveLength(rows);
  expect(new Set(emails).size).toBe(rows);
});

testOnSmallDisk("a server stops cleanly on a full disk", async () => {
  await using disk = mountSmallDisk(8 * megabyte);
  await using server = await startServer(join(disk.path, "data"), { env });
  await disk.fill();
  await storeUntilRefused(server, server.firstRun!.key, () => {});
  const { exitCode, log } = await server.stop("SIGTERM");
  expect(exitCode).toBe(0);
  expect(log).toContain("could not write key usage and rate limits");
  expect(log).toContain('"msg":"stopped"');
});

testOnSmallDisk("nothing starts on a full disk, and everything once there is room", async () => {
  await using disk = mountSmallDisk(8 * megabyte);
  const dataDir = join(disk.path, "data");
  const begin = () => runProgram(["serve", "--listen", "127.0.0.1:0", "--data", dataDir]);
  // The lock, the database, its log and the first admin each need some of it.
  for (const leaveBytes of [0, 4096, 16_384, 40_960, 204_800]) {
    await disk.fill(leaveBytes);
    expectRefusedStart(await begin(), dataDir);
    await disk.free();
  }
  let key = "";
  {
    await using server = await startServer(dataDir, { env });
    key = server.firstRun!.key;
    expect((await stored(server, key, "ada@example.com")).status).toBe(200);
    await server.stop("SIGTERM");
  }
  await disk.fill();
  expectRefusedStart(await begin(), dataDir);
  expectRefusedStart(await runProgram(["user", "create", "bob@example.com", "--data", dataDir]), dataDir);
  await disk.free();
  await using server = await startServer(dataDir, { env });
  expect(await exported(server, key)).toEqual(["ada@example.com"]);
});

testOnSmallDisk("an export to a full disk fails with the reason and leaves no file", async () => {
  await using directory = await createDirectory();
  await using disk = mountSmallDisk(64 * 1024);
  await using server = await startServer(directory.path, { env });
  const data = { OUTREACHD_DATA: directory.path };
  await runProgram(["import", "leads", "-"], { env: data, stdin: csvOf(2000) });
  const file = join(disk.path, "leads.csv");
  const { exitCode, err } = await runProgram(["export", "leads", "--output", file], { env: data });
  expect(exitCode).toBe(1);
  expect(err).toBe(`Error: Could not write ${file}: no space left on the disk.\n`);
  expect(await readdir(disk.path)).toEqual([]);
  await server.stop();
});

const noFullDevice = existsSync("/dev/full") ? null : "there is no /dev/full";

testUnless(noFullDevice)("an answer that standard output can't take is told in plain words", async () => {
  await using directory = await createDirectory();
  await runProgram(["user", "create", "ada@example.com"], { env: { OUTREACHD_DATA: directory.path } });
  for (const args of [
    ["export", "leads", "--user", "ada@example.com"],
    ["user", "list", "--json"],
  ]) {
    const { exitCode, err } = await intoFullDevice([...args, "--data", directory.path]);
    expect(err).toBe("Error: Could not write to standard output: no space left on the disk.\n");
    expect(exitCode).toBe(1);
  }
});

testUnless(noFullDevice)("a first start that can't print the admin's key still tells it", async () => {
  await using directory = await createDirectory();
  const { exitCode, err } = await intoFullDevice(["serve", "--listen", "127.0.0.1:0", "--data", directory.path]);
  expect(exitCode).toBe(1);
  expect(err).toMatch(/^ +oak_[0-9a-f]{64}$/m);
});

/** Another way of a disk to refuse, which needs no rights: a file may have 2 MiB, or 4 MiB, as the shell counts. */
const limited = ["sh", "-c", 'ulimit -S -f 4096; exec "$@"', "sh"];

test("files that may not grow are told as such, and acknowledged writes stay", async () => {
  await using directory = await createDirectory();
  const acknowledged: string[] = [];
  let key = "";
  {
    await using server = await startServer(directory.path, { env, through: limited });
    key = server.firstRun!.key;
    const refusals = new Set<number>();
    acknowledged.push(...(await storeUntilRefused(server, key, ({ status }) => refusals.add(status))));
    expect([...refusals]).toEqual([503]);
    const upload = { method: "POST", headers: csvType, body: csvOf(100_000) };
    expect(await asked(`${server.api}/leads/import`, key, upload)).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining("The server's disk") },
    });
    expect(await readdir(join(directory.path, "blobs/imports"))).toEqual([]);
    expect((await asked(`${server.url}/readyz`)).status).toBe(503);
    const { exitCode, log } = await server.stop("SIGTERM");
    expect(exitCode).toBe(0);
    expect(log).toContain("ulimit -f");
  }
  await using server = await startServer(directory.path, { env });
  expect((await exported(server, key)).toSorted()).toEqual(acknowledged.toSorted());
});

testUnless(Bun.which("prlimit") === null ? "there is no prlimit" : null)(
  "when files may grow again the server goes on without a restart",
  async () => {
    await using directory = await createDirectory();
    await using server = await startServer(directory.path, { env, through: limited });
    const key = server.firstRun!.key;
    const acknowledged = await storeUntilRefused(server, key, () => {});
    Bun.spawnSync(["prlimit", "--pid", String(server.pid), "--fsize=unlimited:"]);
    await eventually("the server to be ready", async () =>
      (await asked(`${server.url}/readyz`)).status === 200 ? true : null,
    );
    expect((await stored(server, key, "after@example.com", 4000)).status).toBe(200);
    expect((await exported(server, key)).toSorted()).toEqual([...acknowledged, "after@example.com"].toSorted());
  },
);

/** Stores leads from several clients until one after another is refused; answers those that were acknowledged. */
async function storeUntilRefused(server: Server, key: string, onRefusal: (answer: Answer) => void): Promise<string[]> {
  const acknowledged: string[] = [];
  let serial = 0;
  let refused = 0;
  const client = async (): Promise<void> => {
    while (refused < 40) {
      const email = `p${serial++}@example.com`;
      const answer = await stored(server, key, email, 4000);
      if (answer.status === 200) acknowledged.push(email);
      else {
        refused++;
        onRefusal(answer);
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, client));
  return acknowledged;
}

function stored(server: Server, key: string, email: string, notesLength = 0): Promise<Answer> {
  const body = JSON.stringify({ email, notes: "x".repeat(notesLength) });
  return asked(`${server.api}/leads`, key, { method: "POST", headers: { "content-type": "application/json" }, body });
}

async function exported(server: Server, key: string): Promise<string[]> {
  const answer = await fetch(`${server.api}/leads/export?format=ndjson`, { headers: { "x-api-key": key } });
  const lines = (await answer.text()).split("\n").filter((line) => line !== "");
  return lines.map((line) => (JSON.parse(line) as Lead).email);
}

type Job = { status: string; message: string; metadata: Record<string, unknown> };

async function jobOf(server: Server, key: string, id: string): Promise<Job> {
  return ((await asked(`${server.api}/users/jobs/${id}`, key)).body as { data: Job }).data;
}

function ended(server: Server, key: string, id: string): Promise<Job> {
  const look = async () => {
    const job = await jobOf(server, key, id);
    return job.status === "completed" || job.status === "failed" ? job : null;
  };
  return eventually("the end of the import", look, { patienceMs: 40_000 });
}

type Answer = { status: number; headers: Headers; body: unknown };

async function asked(url: string, key = "", init: RequestInit = {}): Promise<Answer> {
  const headers = { ...(init.headers as Record<string, string> | undefined), ...(key && { "x-api-key": key }) };
  const answer = await fetch(url, { ...init, headers });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

function expectFull({ status, headers, body }: Answer): void {
  expect(status).toBe(503);
  expect(headers.get("retry-after")).toBe("30");
  expect(body).toMatchObject({
    code: "SERVICE_UNAVAILABLE",
    message: "The server's disk is full, so nothing can be stored. Try again after its operator has freed up space.",
  });
}

function expectRefusedStart({ exitCode, out, err }: Awaited<ReturnType<typeof runProgram>>, dataDir: string): void {
  expect(err).toContain(`Error: Cannot use the data directory ${dataDir}: the disk is full`);
  expect(err).toContain("--data DIR");
  expect(err).not.toMatch(/^ +at /m);
  expect(out).toBe("");
  expect(exitCode).toBe(1);
}

function csvOf(rows: number): string {
  const lines = Array.from({ length: rows }, (_, row) => `row${row}@example.com,${"n".repeat(60)}`);
  return ["email,notes", ...lines].join("\n");
}

/** Those that tell of the server, not of a request. */
function lastLines(log: string, count: number): string {
  const lines = log.trimEnd().split("\n");
  return lines
    .filter((line) => !line.includes('"requestId"'))
    .slice(-count)
    .join("\n");
}

/** Runs the program with a standard output that takes nothing. */
async function intoFullDevice(args: readonly string[]) {
  const env = { PATH: process.env["PATH"] ?? "", OUTREACHD_LOG_LEVEL: "silent" };
  const script = ["sh", "-c", 'exec "$@" > /dev/full', "sh"];
  const child = Bun.spawn([...script, ...programCommand, ...args], { env, stdin: "ignore", stderr: "pipe" });
  const [err, exitCode] = await Promise.all([textOf(child.stderr), child.exited]);
  return { err, exitCode };
}
