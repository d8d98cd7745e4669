import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createDirectory, runProgram, startServer } from "../support/program.ts";
import { asNobody, testAsNobody } from "../support/small-disk.ts";

setDefaultTimeout(60_000);

/** As on most machines: without it, a test that starts under a strict umask would prove nothing. */
const underUsualUmask = ["sh", "-c", 'umask 022 && exec "$@"', "sh"];

/** What users other than the owner can access, below and including `path`. */
function openTo(path: string): string[] {
  const entries = [path, ...readdirSync(path, { recursive: true }).map((name) => join(path, String(name)))];
  return entries.filter((entry) => (statSync(entry).mode & 0o077) !== 0);
}

test("everything that server and commands write is closed to other users", async () => {
  await using directory = await createDirectory();
  const dataDir = join(directory.path, "data");
  const elsewhere = join(directory.path, "backups");
  const options = { through: underUsualUmask, env: { OUTREACHD_BACKUP_TO: elsewhere } };
  await using server = await startServer(dataDir, options);
  const csv = "email\nada@example.com\n";
  writeFileSync(join(directory.path, "people.csv"), csv);
  const run = async (...args: string[]) => {
    const { exitCode, err } = await runProgram([...args, "--data", dataDir], options);
    expect({ args, exitCode, err: exitCode === 0 ? "" : err }).toEqual({ args, exitCode: 0, err: "" });
  };
  await run("import", "leads", join(directory.path, "people.csv"));
  await run("backup");
  await run("export", "leads", "--output", join(directory.path, "leads.csv"));
  expect(openTo(dataDir)).toEqual([]);
  expect(openTo(elsewhere)).toEqual([]);
  expect(statSync(join(directory.path, "leads.csv")).mode & 0o777).toBe(0o600);
  await server.stop();
  const restored = join(directory.path, "restored");
  const [name = ""] = readdirSync(elsewhere);
  const outcome = await runProgram(["restore", join(elsewhere, name), "--data", restored], options);
  expect(outcome.exitCode).toBe(0);
  expect(openTo(restored)).toEqual([]);
});

test("an existing data directory that is open to others is closed at the next start, with a warning", async () => {
  await using directory = await createDirectory();
  const dataDir = join(directory.path, "data");
  {
    await using first = await startServer(dataDir);
    await first.stop("SIGKILL"); // leaves the write-ahead log
  }
  mkdirSync(join(dataDir, "before-restore-20260101"));
  for (const name of readdirSync(dataDir, { recursive: true })) {
    const path = join(dataDir, String(name));
    chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644);
  }
  chmodSync(dataDir, 0o755);
  await using server = await startServer(dataDir, { through: underUsualUmask });
  expect(openTo(dataDir)).toEqual([]);
  const { log } = await server.stop();
  expect(log).toContain("other users of this machine had access to the data directory; removed their access");
});

test("an open file in a closed data directory is closed as well", async () => {
  await using directory = await createDirectory();
  const dataDir = join(directory.path, "data");
  mkdirSync(dataDir, { mode: 0o700 });
  for (const name of ["outreachd.db", "server.json"]) writeFileSync(join(dataDir, name), "", { mode: 0o644 });
  chmodSync(join(dataDir, "outreachd.db"), 0o644);
  await using server = await startServer(dataDir, { through: underUsualUmask });
  expect(openTo(dataDir)).toEqual([]);
  expect((await server.stop()).log).not.toContain("had access");
});

testAsNobody("a data directory of another user that stays open to everyone is refused, with the way out", async () => {
  await using directory = await createDirectory();
  chmodSync(directory.path, 0o755);
  const dataDir = join(directory.path, "data");
  mkdirSync(dataDir);
  chmodSync(dataDir, 0o777); // belongs to us, the program runs as nobody
  const { exitCode, err } = await runProgram(["serve", "--listen", "127.0.0.1:0", "--data", dataDir], {
    through: asNobody,
  });
  expect(exitCode).toBe(1);
  expect(err).toContain(`Other users of this machine can read the data directory ${dataDir}`);
  expect(err).toContain(`chmod -R go= ${dataDir}`);
  expect(readdirSync(dataDir)).toEqual([]);
});

test("the doctor warns of a configuration file whose secrets every user can read", async () => {
  await using directory = await createDirectory();
  const file = join(directory.path, "outreachd.toml");
  writeFileSync(file, 'hunter-key = "secret"\n', { mode: 0o600 });
  const doctor = () => runProgram(["doctor", "--config", file, "--offline", "--data", join(directory.path, "data")]);
  expect((await doctor()).out).not.toContain("Every user");
  chmodSync(file, 0o644);
  expect((await doctor()).out).toContain(`Every user of this machine can read hunter-key in ${file}.`);
});
