import { expect, setDefaultTimeout } from "bun:test";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createDirectory, runProgram, startServer } from "../support/program.ts";
import { asNobody, mountSmallDisk, testAsNobody, testOnSmallDisk } from "../support/small-disk.ts";

setDefaultTimeout(60_000);

const nobody = 65534;
const serve = (dataDir: string) =>
  runProgram(["serve", "--listen", "127.0.0.1:0", "--data", dataDir], { through: asNobody });

testAsNobody("a directory that may not be written to is refused, and so is one that can't be made", async () => {
  await using root = await createOpenDirectory();
  chmodSync(root.path, 0o555);
  expectRefused(await serve(root.path), root.path);
  expectRefused(await serve(join(root.path, "new")), join(root.path, "new"));
  expect(readdirSync(root.path)).toEqual([]);
});

testAsNobody("a file that may not be written to is refused by its name, and starts when that is mended", async () => {
  await using root = await createOpenDirectory();
  const dataDir = await usedDirectory(root.path);
  const before = readdirSync(dataDir).toSorted();
  for (const name of ["outreachd.db", "lock.db", "blobs"]) {
    const file = join(dataDir, name);
    const { mode } = statSync(file);
    for (const spoiled of [0o444, 0o000]) {
      chmodSync(file, spoiled);
      const { err } = expectRefused(await serve(dataDir), dataDir);
      expect(err).toContain(`'${file}'`);
      expectRefused(await runProgram(["user", "list", "--data", dataDir], { through: asNobody }), dataDir);
      // SQLite makes the log of a read-only database, and its index, read-only as well.
      expect(readdirSync(dataDir).toSorted()).toEqual(before);
    }
    chmodSync(file, mode);
  }
  await using server = await startServer(dataDir, { through: asNobody });
  expect(server.firstRun).toBeNull();
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
});

testAsNobody("a server that can't be announced is stopped again with the reason", async () => {
  await using root = await createOpenDirectory();
  const dataDir = await usedDirectory(root.path);
  mkdirSync(join(dataDir, "server.json.new/inner"), { recursive: true });
  const { err } = expectRefused(await serve(dataDir), dataDir);
  expect(err).toContain('"msg":"stopped"');
});

testOnSmallDisk("a disk that is mounted read-only is refused, and starts when that is changed", async () => {
  await using disk = mountSmallDisk(8 * 1024 * 1024);
  const dataDir = join(disk.path, "data");
  let key = "";
  {
    await using server = await startServer(dataDir);
    key = server.firstRun!.key;
    await server.stop("SIGTERM");
  }
  disk.remount("ro");
  for (const args of [
    ["serve", "--listen", "127.0.0.1:0"],
    ["user", "list"],
    ["export", "leads"],
  ])
    expectRefused(await runProgram([...args, "--data", dataDir]), dataDir);
  const fresh = join(disk.path, "new");
  expectRefused(await runProgram(["serve", "--listen", "127.0.0.1:0", "--data", fresh]), fresh);
  disk.remount("rw");
  expect(existsSync(fresh)).toBe(false);
  await using server = await startServer(dataDir);
  expect((await fetch(`${server.api}/health`, { headers: { "x-api-key": key } })).status).toBe(200);
});

/** A directory that the user of `asNobody` may use. */
async function createOpenDirectory() {
  const directory = await createDirectory();
  giveToNobody(directory.path);
  return directory;
}

/** A data directory in which a server ran once. */
async function usedDirectory(root: string): Promise<string> {
  const dataDir = join(root, "data");
  await using server = await startServer(dataDir, { through: asNobody });
  await server.stop("SIGTERM");
  mkdirSync(join(dataDir, "blobs"), { mode: 0o700, recursive: true });
  giveToNobody(join(dataDir, "blobs"));
  return dataDir;
}

function giveToNobody(path: string): void {
  if (asNobody.length > 0) chownSync(path, nobody, nobody);
}

function expectRefused(ended: Awaited<ReturnType<typeof runProgram>>, dataDir: string) {
  const { exitCode, out, err } = ended;
  expect(err).toMatch(/^Error: (The data directory|Cannot use the data directory) /m);
  expect(err).toContain(dataDir);
  expect(err).toContain("--data DIR");
  expect(err).not.toMatch(/^ +at /m);
  expect(out).toBe("");
  expect(exitCode).toBe(1);
  return ended;
}
