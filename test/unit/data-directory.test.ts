import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { holdDataDirectory, readRunningServer } from "../../src/adapters/disk/data-directory.ts";
import { StartError } from "../../src/platform/base/start-error.ts";

const server = { pid: 4711, url: "http://127.0.0.1:8080", localKey: "oal_secret", settings: "" };

let root: string;
let dir: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "outreachd-data-"));
  dir = join(root, "deep/data");
});

afterEach(() => rmSync(root, { recursive: true }));

test("a directory that does not exist is made, for us alone", () => {
  const directory = holdDataDirectory(dir);
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  expect(directory).toMatchObject({
    path: dir,
    databasePath: join(dir, "outreachd.db"),
    blobsPath: join(dir, "blobs"),
    scratchPath: join(dir, "scratch"),
  });
  directory.release();
});

test("a directory that is held is refused, until it is released", () => {
  const directory = holdDataDirectory(dir);
  expect(() => holdDataDirectory(dir)).toThrow(StartError);
  directory.release();
  directory.release();
  holdDataDirectory(dir).release();
});

test("a directory that was made and in which nothing was stored is removed with its folders when it is released", () => {
  holdDataDirectory(dir).release();
  expect(readdirSync(root)).toEqual([]);
  const used = holdDataDirectory(dir);
  writeFileSync(used.databasePath, "");
  used.release();
  expect(existsSync(used.databasePath)).toBe(true);
  const other = join(root, "deep/other");
  holdDataDirectory(other).release();
  expect(readdirSync(join(root, "deep"))).toEqual(["data"]);
  mkdirSync(other, { mode: 0o700 });
  holdDataDirectory(other).release();
  expect(existsSync(other)).toBe(true);
});

test("a directory that another process holds is refused, and the error names the process that can be reached", async () => {
  await using holder = await holdInChild(true);
  const attempt = () => holdDataDirectory(dir);
  expect(attempt).toThrow(StartError);
  expect(attempt).toThrow(
    `Another outreachd (process ${holder.pid}, http://127.0.0.1:1) is using the data directory ${dir}.`,
  );
});

test("a directory whose holder can't be reached yet is refused too", async () => {
  await using holder = await holdInChild(false);
  expect(() => holdDataDirectory(dir)).toThrow(`Another outreachd is using the data directory ${dir}.`);
  expect(readRunningServer(dir)).toBeNull();
  await holder.kill();
  holdDataDirectory(dir).release();
});

test("a refused attempt takes nothing away from the holder", async () => {
  await using holder = await holdInChild(true);
  expect(() => holdDataDirectory(dir)).toThrow();
  expect(() => holdDataDirectory(dir)).toThrow();
  expect(readRunningServer(dir)?.pid).toBe(holder.pid);
});

test("a directory stays held when the process that holds it keeps nothing of the answer", async () => {
  await using holder = await holdInChild(true, false);
  expect(() => holdDataDirectory(dir)).toThrow(`process ${holder.pid}`);
});

test("the running server of another process is found", async () => {
  await using holder = await holdInChild(true);
  expect(readRunningServer(dir)).toEqual({
    pid: holder.pid,
    url: "http://127.0.0.1:1",
    localKey: "oal_child",
    settings: "",
  });
});

test("when the holder is killed the directory is free at once, and its server is no longer told of", async () => {
  await using holder = await holdInChild(true);
  await holder.kill();
  expect(existsSync(join(dir, "server.json"))).toBe(true);
  expect(readRunningServer(dir)).toBeNull();
  const directory = holdDataDirectory(dir);
  expect(existsSync(join(dir, "server.json"))).toBe(false);
  directory.release();
});

test("an announced server is found by nobody but its own operating system user, and is gone with the release", () => {
  const directory = holdDataDirectory(dir);
  directory.announce(server);
  expect(statSync(join(dir, "server.json")).mode & 0o777).toBe(0o600);
  expect(readRunningServer(dir)).toEqual(server);
  directory.announce({ ...server, url: "http://127.0.0.1:9090" });
  expect(readRunningServer(dir)?.url).toBe("http://127.0.0.1:9090");
  directory.release();
  expect(existsSync(join(dir, "server.json"))).toBe(false);
  expect(readRunningServer(dir)).toBeNull();
});

test("looking for a running server leaves no trace where there is none", () => {
  expect(readRunningServer(dir)).toBeNull();
  expect(existsSync(dir)).toBe(false);
  mkdirSync(dir, { recursive: true });
  expect(readRunningServer(dir)).toBeNull();
  expect(existsSync(join(dir, "lock.db"))).toBe(false);
});

test("a file in the place of the directory is an error that says what to do", () => {
  const file = join(root, "file");
  writeFileSync(file, "");
  for (const path of [file, join(file, "data")]) {
    expect(() => holdDataDirectory(path)).toThrow(StartError);
    expect(() => holdDataDirectory(path)).toThrow("is not writable");
  }
});

test.each<[string, () => void]>([
  ["is no database", () => writeFileSync(join(dir, "lock.db"), "x".repeat(5000))],
  ["is a directory", () => mkdirSync(join(dir, "lock.db"))],
])("a lock that %s is an error that says what to do", (_what, spoil) => {
  mkdirSync(dir, { recursive: true });
  spoil();
  expect(() => holdDataDirectory(dir)).toThrow(StartError);
  expect(() => holdDataDirectory(dir)).toThrow("Cannot use the data directory");
});

test("a server file that can't be removed is an error that says what to do, and the directory is let go of", () => {
  const obstacle = join(dir, "server.json");
  mkdirSync(obstacle, { recursive: true });
  for (let attempt = 0; attempt < 2; attempt++) {
    expect(() => holdDataDirectory(dir)).toThrow(StartError);
    expect(() => holdDataDirectory(dir)).toThrow("Cannot use the data directory");
  }
  rmSync(obstacle, { recursive: true });
  const directory = holdDataDirectory(dir);
  mkdirSync(obstacle);
  expect(() => directory.announce(server)).toThrow(StartError);
  directory.release();
  rmSync(obstacle, { recursive: true });
  expect(existsSync(join(dir, "server.json.new"))).toBe(false);
  holdDataDirectory(dir).release();
});

/** A process that holds the directory until it is killed; `keeps` the answer that it got, or forgets it. */
async function holdInChild(announces: boolean, keeps = true) {
  const script = `
    const { holdDataDirectory } = await import(${JSON.stringify(join(import.meta.dir, "../../src/adapters/disk/data-directory.ts"))});
    function hold() {
      const directory = holdDataDirectory(${JSON.stringify(dir)});
      if (${announces}) directory.announce({ pid: process.pid, url: "http://127.0.0.1:1", localKey: "oal_child", settings: "" });
      if (${keeps}) globalThis.directory = directory;
    }
    hold();
    await new Promise((resolve) => setImmediate(resolve));
    Bun.gc(true);
    process.stdout.write("held");
    setInterval(() => {}, 60_000);
  `;
  const child = Bun.spawn([process.execPath, "-e", script], { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  const { value } = await child.stdout.getReader().read();
  if (new TextDecoder().decode(value) !== "held")
    throw new Error(`Expected the child to hold the directory, it ended with ${await child.exited}`);
  async function kill(): Promise<void> {
    child.kill("SIGKILL");
    await child.exited;
  }
  return { pid: child.pid, kill, [Symbol.asyncDispose]: kill };
}
