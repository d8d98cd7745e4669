import { expect, setDefaultTimeout, test } from "bun:test";
import { closeSync, existsSync, openSync, readdirSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createDirectory, runProgram, startServer } from "../support/program.ts";

setDefaultTimeout(60_000);

const pageBytes = 4096;
const people = 20_000;

/** A data directory with leads on many pages, and the admin's key. */
async function usedDirectory(path: string): Promise<{ dataDir: string; key: string }> {
  const dataDir = join(path, "data");
  await using server = await startServer(dataDir);
  const rows = Array.from({ length: people }, (_, n) => `person-${n}@example.com,${"Some company ".repeat(4)}${n}`);
  const stdin = ["email,company", ...rows].join("\n");
  const imported = await runProgram(["import", "leads", "-", "--data", dataDir], { stdin });
  expect(imported.exitCode).toBe(0);
  await server.stop();
  return { dataDir, key: server.firstRun!.key };
}

/** Overwrites a part of a file with something that no database has. */
function spoil(path: string, from: number, to: number): void {
  const file = openSync(path, "r+");
  writeSync(file, new Uint8Array(to - from).fill(0xa5), 0, to - from, from);
  closeSync(file);
}

/** From a quarter to nine tenths of the pages: leads and their indexes, but not the tables of a start. */
function spoilLeads(dataDir: string): void {
  const path = join(dataDir, "outreachd.db");
  const pages = Math.floor(statSync(path).size / pageBytes);
  spoil(path, Math.floor(pages * 0.25) * pageBytes, Math.floor(pages * 0.9) * pageBytes);
}

test("damaged pages make the server read-only, not ready and loud, and the way out is named", async () => {
  await using directory = await createDirectory();
  const { dataDir, key } = await usedDirectory(directory.path);
  spoilLeads(dataDir);
  await using server = await startServer(dataDir);
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const exported = await fetch(`${server.api}/leads/export`, { headers })
    .then((response) => response.text())
    .catch(() => "broken off");
  expect(exported.split("\n").length).toBeLessThan(people);

  const ready = await fetch(`${server.url}/readyz`);
  expect(ready.status).toBe(503);
  expect(((await ready.json()) as { message: string }).message).toBe(
    "Not ready: the database is damaged: run `outreachd doctor`, then `outreachd restore`.",
  );
  const health = (await (await fetch(`${server.api}/health`, { headers })).json()) as Record<string, string>;
  expect(health["status"]).toBe("degraded");
  for (const way of ["outreachd doctor", "outreachd restore"]) expect(health["message"]).toContain(way);

  const write = await fetch(`${server.api}/users`, { method: "POST", headers, body: '{"email":"ada@example.com"}' });
  expect(write.status).toBe(503);
  expect(((await write.json()) as { message: string }).message).toContain("outreachd restore");
  expect((await fetch(`${server.api}/users`, { headers })).status).toBe(200);

  const { log } = await server.stop();
  const lines = log.split("\n").filter((line) => line.startsWith("{"));
  const entries = lines.map((line) => JSON.parse(line) as { level: string; msg: string; route?: string });
  expect(entries).toContainEqual(expect.objectContaining({ msg: expect.stringContaining("the database is damaged") }));
  const doctor = await runProgram(["doctor", "--data", dataDir, "--offline"]);
  expect(doctor.exitCode).toBe(1);
  expect(doctor.out).toContain("The database is damaged");
  expect(doctor.out).toContain("outreachd restore FILE --replace");
});

test("a response that breaks off is logged with its route and its reason", async () => {
  await using directory = await createDirectory();
  const { dataDir, key } = await usedDirectory(directory.path);
  const path = join(dataDir, "outreachd.db");
  // Behind the first rows of the export.
  const pages = Math.floor(statSync(path).size / pageBytes);
  spoil(path, Math.floor(pages * 0.6) * pageBytes, Math.floor(pages * 0.9) * pageBytes);
  await using server = await startServer(dataDir);
  await fetch(`${server.api}/leads/export`, { headers: { "x-api-key": key } })
    .then((response) => response.text())
    .catch(() => "broken off");
  const { log } = await server.stop();
  const line = log.split("\n").find((each) => each.includes("a response ended early"));
  expect(JSON.parse(line ?? "{}")).toMatchObject({ level: "error", method: "GET", route: "/api/v2/leads/export" });
  expect(line).toContain("SQLITE_CORRUPT");
});

test("a file that is no database any more is refused at the start, with the way out", async () => {
  await using directory = await createDirectory();
  const { dataDir } = await usedDirectory(directory.path);
  spoil(join(dataDir, "outreachd.db"), 0, pageBytes);
  const { exitCode, err } = await runProgram(["serve", "--listen", "127.0.0.1:0", "--data", dataDir]);
  expect(exitCode).toBe(1);
  expect(err).toContain("the database is damaged");
  expect(err).toContain("outreachd doctor");
  expect(err).toContain("outreachd restore FILE --replace");
  expect(err).not.toMatch(/^ +at /m);
});

test.each([
  ["the database", ["outreachd.db", "outreachd.db-wal", "outreachd.db-shm"]],
  ["the log of a database that has nothing else yet", ["outreachd.db-wal", "outreachd.db-shm"]],
])("where %s is gone, a used data directory is no first start", async (_what, names) => {
  await using directory = await createDirectory();
  const dataDir = join(directory.path, "data");
  {
    await using server = await startServer(dataDir);
    await server.stop("SIGKILL");
  }
  for (const name of names) rmSync(join(dataDir, name), { force: true });
  const others = () =>
    readdirSync(dataDir).filter((name) => !["server.json", "outreachd.db", "lock.db-journal"].includes(name));
  const before = others();
  const { exitCode, err, out } = await runProgram(["serve", "--listen", "127.0.0.1:0", "--data", dataDir]);
  expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
  expect(err).toContain(`The data directory ${dataDir} was in use, but its database`);
  expect(err).toContain("outreachd restore FILE --replace");
  expect(others()).toEqual(before);
  expect(existsSync(join(dataDir, "outreachd.db"))).toBe(!names.includes("outreachd.db"));
});
