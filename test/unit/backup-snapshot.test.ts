import type { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";
import { openDatabase } from "../../src/adapters/storage/sqlite/open.ts";
import { holdAccounts } from "../../src/adapters/storage/sqlite/hold-accounts.ts";
import { removeSnapshot, takeSnapshot } from "../../src/adapters/storage/sqlite/snapshot.ts";

const now = 1_767_600_000_000;
const day = 86_400_000;

let root: string;
let path: string;
let database: Database;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "outreachd-snapshot-"));
  path = join(root, "outreachd.db");
  database = openDatabase(path);
  migrate(database, migrations, now);
});

afterEach(() => {
  database.close();
  rmSync(root, { recursive: true });
});

function copied(): Record<string, unknown>[] {
  const snapshot = takeSnapshot(path, now);
  const bytes = Buffer.concat([...snapshot.pieces()].map((piece) => Buffer.from(piece)));
  expect(bytes.length).toBe(snapshot.bytes);
  snapshot.close();
  writeFileSync(join(root, "copy.db"), bytes);
  using copy = openDatabase(join(root, "copy.db"));
  expect(copy.query("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  return copy.query<Record<string, unknown>, []>("SELECT rowid, * FROM notes").all();
}

test("a snapshot has what was committed, also when it lies in the log alone, and nothing else", () => {
  database.run("CREATE TABLE notes (text TEXT) STRICT");
  database.run("INSERT INTO notes VALUES ('one'), ('two'), ('three')");
  database.run("DELETE FROM notes WHERE text = 'two'");
  using other = openDatabase(path);
  database.run("BEGIN IMMEDIATE");
  database.run("INSERT INTO notes VALUES ('not yet')");
  expect(copied()).toEqual([
    { rowid: 1, text: "one" },
    { rowid: 3, text: "three" },
  ]);
  database.run("COMMIT");
  expect(other.query("SELECT count(*) AS n FROM notes").get()).toEqual({ n: 3 });
});

test("what was deleted is not in a snapshot", () => {
  database.run("CREATE TABLE notes (text TEXT) STRICT");
  database.run("INSERT INTO notes VALUES ('secret of Ada Byron')");
  database.run("DELETE FROM notes");
  const snapshot = takeSnapshot(path, now);
  expect(Buffer.concat([...snapshot.pieces()].map((piece) => Buffer.from(piece))).includes("secret of Ada")).toBe(
    false,
  );
  snapshot.close();
});

test("a snapshot tells its migrations, can be read by nobody else, and is gone when it is closed", () => {
  const snapshot = takeSnapshot(path, now);
  expect(snapshot.migrations.map(({ number }) => number)).toEqual(migrations.map(({ number }) => number));
  expect(statSync(`${path}.snapshot`).mode & 0o777).toBe(0o600);
  snapshot.close();
  expect(readdirSync(root).filter((name) => name.includes("snapshot"))).toEqual([]);
});

test("what a process that was killed has left is replaced, or removed at the next start", async () => {
  await Bun.write(`${path}.snapshot`, "half of it");
  takeSnapshot(path, now).close();
  await Bun.write(`${path}.snapshot`, "half of it");
  removeSnapshot(path);
  removeSnapshot(path);
  expect(readdirSync(root).filter((name) => name.includes("snapshot"))).toEqual([]);
});

test("a snapshot that fails leaves nothing behind", () => {
  database.run("DROP TABLE schema_migrations");
  expect(() => takeSnapshot(path, now)).toThrow("no such table");
  expect(readdirSync(root).filter((name) => name.includes("snapshot"))).toEqual([]);
});

test("the files of imports that can still be needed, and of voices, are named", () => {
  const insertJob = database.query(
    "INSERT INTO jobs (id, workspace_id, type, status, message, metadata, payload, run_at, max_attempts, created_at, updated_at) VALUES (?, 'u', ?, ?, '', '{}', '{}', 0, 1, 0, ?)",
  );
  database.run("PRAGMA foreign_keys = OFF");
  insertJob.run("a", "lead_import", "pending", now - 30 * day);
  insertJob.run("b", "prospect_import", "running", now);
  insertJob.run("c", "lead_import", "failed", now - day);
  insertJob.run("d", "lead_import", "failed", now - 8 * day);
  insertJob.run("e", "lead_import", "completed", now);
  const snapshot = takeSnapshot(path, now);
  expect([...snapshot.blobs()]).toEqual([
    { name: "imports/a", required: true },
    { name: "prospect-imports/b", required: true },
    { name: "imports/c", required: true },
  ]);
  snapshot.close();
});

const pausing =
  "accounts with work to do are paused, with the reason; others and those that need a person stay as they are";
test.each(["campaign_enrollments", "campaign_enrolments"])(`${pausing} (%s)`, (enrollments) => {
  database.run("PRAGMA foreign_keys = OFF");
  const insertAccount = database.query(
    "INSERT INTO network_accounts (seq, id, workspace_id, name, connector, connector_settings, tier, time_zone, working_hours, caps, spacing, jitter_percent, state, created_at, updated_at) VALUES (?1, 'account-' || ?1, 'u', '', 'worker', '{}', 'free', 'UTC', '{}', '{}', '{}', 0, ?2, 0, 0)",
  );
  const insertAction = database.query(
    "INSERT INTO network_actions (job_id, workspace_id, account, action_type, meter, has_note, profile_url, profile_key, target_key, details, state, used, not_before, draw, created_at, updated_at) VALUES (?1 || ?2, 'u', ?1, 'visitProfile', 2, 0, '', '', ?2, '{}', ?2, 0, 0, 0, 0, 0)",
  );
  const insertEnrollment = database.query(
    "INSERT INTO campaign_enrollments (id, campaign_id, workspace_id, lead_id, account_id, profile_key, state, at_step, since_at, version, created_at, updated_at) VALUES (?1 || ?2, 'c', 'u', ?1 || ?2, 'account-' || ?1, '', ?2, 0, 0, 0, 0, 0)",
  );
  for (const [seq, state] of [
    [1, "active"],
    [2, "active"],
    [3, "active"],
    [4, "active"],
    [5, "needsReconnect"],
  ] as const)
    insertAccount.run(seq, state);
  insertAction.run(1, "scheduled");
  insertAction.run(2, "done");
  insertEnrollment.run(2, "completed");
  insertEnrollment.run(3, "active");
  insertAction.run(5, "scheduled");
  if (enrollments !== "campaign_enrollments") database.run(`ALTER TABLE campaign_enrollments RENAME TO ${enrollments}`);
  database.close();
  expect(holdAccounts(path, "Nobody knows", now)).toBe(2);
  expect(holdAccounts(path, "Nobody knows", now)).toBe(0);
  database = openDatabase(path);
  const query = "SELECT seq, state, state_reason AS reason, needs_plan AS isToPlan FROM network_accounts ORDER BY seq";
  const active = { state: "active", reason: null, isToPlan: 0 };
  const paused = { state: "paused", reason: "Nobody knows", isToPlan: 1 };
  expect(database.query(query).all()).toEqual([
    { seq: 1, ...paused },
    { seq: 2, ...active },
    { seq: 3, ...paused },
    { seq: 4, ...active },
    { seq: 5, state: "needsReconnect", reason: null, isToPlan: 0 },
  ]);
});

test("a database of before campaigns is left as it is", () => {
  database.run("DROP TABLE campaign_enrollments");
  database.close();
  expect(holdAccounts(path, "Nobody knows", now)).toBe(0);
  database = openDatabase(path);
});
