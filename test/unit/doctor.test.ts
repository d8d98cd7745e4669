import type { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { archiveName } from "../../src/features/backup/model.ts";
import { examineBackups } from "../../src/surfaces/cli/doctor/backups.ts";
import { examineDatabase } from "../../src/surfaces/cli/doctor/database.ts";
import { examineDirectory } from "../../src/surfaces/cli/doctor/directory.ts";
import type { Finding } from "../../src/surfaces/cli/doctor/finding.ts";
import { examineSettings } from "../../src/surfaces/cli/doctor/settings.ts";
import { loadConfig } from "../../src/app/config/config.ts";
import { installationId } from "../../src/adapters/disk/installation-id.ts";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";
import { openDatabase } from "../../src/adapters/storage/sqlite/open.ts";

const now = Date.now();
const hour = 3_600_000;
const day = 24 * hour;

let dataDir: string;
let database: Database;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "outreachd-doctor-"));
  database = openDatabase(join(dataDir, "outreachd.db"));
  migrate(database, migrations, now);
  database.run("PRAGMA foreign_keys = OFF");
});

afterEach(() => {
  database.close();
  rmSync(dataDir, { recursive: true });
});

async function findings({ full = false, isServed = true } = {}): Promise<Finding[]> {
  return (await examineDatabase(dataDir, null, { now, full, offline: false, isServed })).findings;
}

function found(all: readonly Finding[], check: string): Pick<Finding, "state" | "message">[] {
  return all.filter((each) => each.check === check).map(({ state, message }) => ({ state, message }));
}

function insertJob(id: string, type: string, runAt: number): void {
  database.run(
    "INSERT INTO jobs (id, workspace_id, type, status, message, metadata, payload, run_at, max_attempts, created_at, updated_at) VALUES (?, 'nobody', ?, 'pending', '', '{}', '{}', ?, 1, 0, 0)",
    [id, type, runAt],
  );
}

function config(env: Record<string, string>) {
  return loadConfig({ flags: { data: dataDir }, env });
}

test("with new data all is well", async () => {
  expect((await findings({ full: true })).every(({ state }) => state === "ok")).toBe(true);
  expect(examineDirectory(dataDir, now).filter(({ state }) => state === "problem")).toEqual([]);
  expect(examineSettings(config({}))).toEqual([expect.objectContaining({ state: "ok" })]);
});

test("the size of the database takes in what is in its log only", async () => {
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  const sizeTold = async () => /\(([\d.]+) MB;/.exec(found(await findings(), "database")[0]!.message)?.[1];
  expect(await sizeTold()).toBeUndefined();
  insertJob("1", "x".repeat(3_000_000), now);
  expect(Number(await sizeTold())).toBeGreaterThan(3);
});

test("files that rows name and are gone are a problem, files of no row a warning, new and cached ones nothing", async () => {
  insertJob("a", "lead_import", now);
  insertJob("b", "lead_import", now);
  const write = (name: string, age: number): void => {
    const path = join(dataDir, "blobs", name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, "");
    utimesSync(path, (now - age) / 1000, (now - age) / 1000);
  };
  write("imports/a", day);
  write("imports/forgotten", 2 * hour);
  write("imports/arriving", 0);
  write("speech/kept", day);
  expect(found(await findings(), "files")).toEqual([
    { state: "problem", message: "Missing: 1 file that rows refer to, such as imports/b." },
    { state: "warning", message: "Unused: 1 file that no row refers to, such as imports/forgotten." },
  ]);
});

test("jobs that are late are a problem beside a server, and wait for one otherwise", async () => {
  insertJob("a", "lead_import", now - 20 * 60_000);
  insertJob("b", "lead_import", now - 5 * 60_000);
  const message = `Late: 1 job, the first since ${new Date(now - 20 * 60_000).toISOString()}.`;
  expect(found(await findings(), "jobs")).toEqual([{ state: "problem", message }]);
  expect(found(await findings({ isServed: false }), "jobs")).toEqual([{ state: "warning", message }]);
});

test("rows of the future are a problem of the clock", async () => {
  database.run(
    "INSERT INTO users (id, email, email_key, role, time_zone, created_at, updated_at) VALUES ('u', 'a@b.example', 'a@b.example', 'admin', 'UTC', 0, ?)",
    [now + hour],
  );
  expect(found(await findings(), "clock")).toMatchObject([{ state: "problem" }]);
  expect(found(examineDirectory(dataDir, now - hour), "clock")).toMatchObject([{ state: "problem" }]);
});

test("rows that point at nothing are found by a full look", async () => {
  insertJob("a", "lead_import", now);
  expect(found(await findings(), "database")).toMatchObject([{ state: "ok" }]);
  expect(found(await findings({ full: true }), "database")).toEqual([
    { state: "problem", message: expect.stringContaining("of jobs points at nothing in workspaces") },
  ]);
});

test("a database of a newer program is a problem, an older one a warning", async () => {
  database.run("DELETE FROM schema_migrations WHERE number = (SELECT max(number) FROM schema_migrations)");
  expect(found(await findings(), "migrations")).toMatchObject([{ state: "warning" }]);
  database.run("INSERT INTO schema_migrations VALUES (9999, '9999_later.sql', 'x', 0)");
  expect(found(await findings(), "migrations")).toMatchObject([{ state: "problem" }]);
});

test("a restore that was cut off is a problem, and data that was moved aside takes room", () => {
  writeFileSync(join(dataDir, "restore.unfinished"), "");
  expect(found(examineDirectory(dataDir, now), "restore")).toMatchObject([{ state: "problem" }]);
  rmSync(join(dataDir, "restore.unfinished"));
  mkdirSync(join(dataDir, "before-restore-20260105T100000000Z"));
  expect(found(examineDirectory(dataDir, now), "restore")).toMatchObject([{ state: "warning" }]);
});

test.each([
  ["no backup", null, undefined, "warning"],
  ["one of an hour ago", hour, undefined, "ok"],
  ["one of eight days ago", 8 * day, undefined, "warning"],
  ["one of an hour ago, by schedule", hour, "15 3 * * *", "ok"],
  ["one of three days ago, by schedule", 3 * day, "15 3 * * *", "problem"],
] as const)("the age of the last backup is looked at: %s", async (_, age, schedule, state) => {
  const place = join(dataDir, "elsewhere");
  if (age !== null) await Bun.write(join(place, archiveName(now - age, installationId(dataDir))), "");
  const settings = { OUTREACHD_BACKUP_TO: place, ...(schedule && { OUTREACHD_BACKUP_SCHEDULE: schedule }) };
  const [first, second] = await examineBackups(config(settings), dataDir, now, false);
  expect(first?.state).toBe(state);
  expect(second).toMatchObject({ state: "warning", message: expect.stringContaining("on the same disk as the data") });
});

test("backups of others say nothing of the age of the last one; those that nobody deletes are named", async () => {
  const place = join(dataDir, "elsewhere");
  const named = archiveName(now - hour, "ffffffff");
  for (const name of [named, named.replace("-ffffffff", "")]) await Bun.write(join(place, name), "");
  const all = await examineBackups(config({ OUTREACHD_BACKUP_TO: place }), dataDir, now, false);
  expect(found(all, "backups").slice(0, 3)).toEqual([
    { state: "warning", message: `No backup of this data directory found in ${place}.` },
    { state: "ok", message: `1 backup of other data directories in ${place}.` },
    { state: "warning", message: `1 backup in ${place} without the ID of a data directory, by an earlier version.` },
  ]);
});

test("settings that may be a mistake are named with the way out", () => {
  const risky = {
    OUTREACHD_LISTEN: "0.0.0.0:8080",
    OUTREACHD_RATE_LIMIT_HOUR: "0",
    OUTREACHD_CORS_ORIGINS: "*",
    OUTREACHD_CONNECTOR: "worker",
  };
  expect(examineSettings(config(risky)).map(({ state, message }) => [state, message])).toEqual([
    ["warning", "The API listens on 0.0.0.0:8080 without TLS, so API keys can be read in transit."],
    ["warning", "No rate limit is set per hour."],
    ["warning", "Pages of every origin may call the API."],
    ["warning", "New accounts get the connector worker, which does not run until its risk is accepted."],
  ]);
});
