import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StartError } from "../../src/platform/base/start-error.ts";
import { migrate } from "../../src/adapters/storage/sqlite/migrate.ts";
import type { Migration } from "../../src/adapters/storage/migrations.macro.ts";
import { openDatabase } from "../../src/adapters/storage/sqlite/open.ts";
import { copyBeforeUpgrade } from "../../src/adapters/storage/sqlite/upgrade-copy.ts";
import { mountSmallDisk, testOnSmallDisk } from "../support/small-disk.ts";

const steps = [1, 2, 3, 4, 5, 6].map(step);
const madeAt = Date.parse("2026-01-05T10:00:00.000Z");

let root: string;

beforeEach(() => (root = mkdtempSync(join(tmpdir(), "outreachd-upgrade-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const pathIn = (directory: string) => join(directory, "outreachd.db");
const folderIn = (directory: string) => join(directory, "backups");
const copy = (count: number, at = madeAt, directory = root) =>
  copyBeforeUpgrade(pathIn(directory), folderIn(directory), steps.slice(0, count), at);

function upgrade(count: number, directory = root): void {
  using database = openDatabase(pathIn(directory));
  migrate(database, steps.slice(0, count), madeAt);
}

test("where nothing is to be upgraded nothing is copied", () => {
  expect(copy(2)).toBeNull();
  writeFileSync(pathIn(root), "");
  expect(copy(2)).toBeNull();
  upgrade(2);
  expect(copy(2)).toBeNull();
  expect(existsSync(folderIn(root))).toBe(false);
});

test("the copy is the database as it was, named by its versions, and for our eyes only", () => {
  upgrade(2);
  {
    using database = openDatabase(pathIn(root));
    database.run("INSERT INTO table_1 VALUES (42)");
  }
  const path = copy(4)!;
  expect(path).toBe(join(folderIn(root), "before-upgrade-0002-to-0004-20260105T100000000Z.db"));
  upgrade(4);
  expect(readdirSync(folderIn(root))).toHaveLength(1);
  expect(statSync(folderIn(root)).mode & 0o777).toBe(0o700);
  using before = new Database(path, { readonly: true });
  expect(before.query("SELECT * FROM table_1").all()).toEqual([{ value: 42 }]);
  expect(before.query("SELECT max(number) AS number FROM schema_migrations").get()).toEqual({ number: 2 });
});

test("what lay in the log of a process that was killed is in the copy", () => {
  upgrade(1);
  const other = join(root, "killed");
  const database = openDatabase(pathIn(root));
  database.run("INSERT INTO table_1 VALUES (42)");
  mkdirSync(other);
  for (const suffix of ["", "-wal"]) writeFileSync(pathIn(other) + suffix, readFileSync(pathIn(root) + suffix));
  database.close();
  using before = new Database(copy(2, madeAt, other)!, { readonly: true });
  expect(before.query("SELECT * FROM table_1").all()).toEqual([{ value: 42 }]);
});

test("the three newest copies are kept, and nothing else there is touched", async () => {
  mkdirSync(folderIn(root), { recursive: true });
  await Bun.write(join(folderIn(root), "before-upgrade.txt"), "mine");
  for (const count of [1, 2, 3, 4, 5]) {
    copy(count, madeAt + count);
    upgrade(count);
  }
  expect(readdirSync(folderIn(root)).toSorted()).toEqual([
    "before-upgrade-0002-to-0003-20260105T100000003Z.db",
    "before-upgrade-0003-to-0004-20260105T100000004Z.db",
    "before-upgrade-0004-to-0005-20260105T100000005Z.db",
    "before-upgrade.txt",
  ]);
});

test("a database of a newer program is refused and not copied", () => {
  upgrade(3);
  expect(() => copy(2)).toThrow("newer outreachd");
  expect(existsSync(folderIn(root))).toBe(false);
});

test("where no copy can be made the start is refused, with the reason, and nothing is changed", () => {
  upgrade(1);
  writeFileSync(folderIn(root), "a file in the place of the folder");
  expect(() => copy(2)).toThrow(StartError);
  expect(() => copy(2)).toThrow(`The database must be upgraded, but could not be copied to ${folderIn(root)} before`);
});

testOnSmallDisk(
  "without room for a copy the start is refused, with the sizes, and nothing is left behind",
  async () => {
    await using disk = mountSmallDisk(8 * 2 ** 20);
    upgrade(1, disk.path);
    {
      using database = openDatabase(pathIn(disk.path));
      database.run("CREATE TABLE large (bytes BLOB) STRICT");
      database.run("INSERT INTO large VALUES (randomblob(2000000))");
    }
    await disk.fill(64 * 1024);
    const attempt = () => copy(2, madeAt, disk.path);
    expect(attempt).toThrow(StartError);
    expect(attempt).toThrow(/it needs 2\.\d MB, and 0\.1 MB are free/);
    expect(readdirSync(folderIn(disk.path))).toEqual([]);
    upgrade(1, disk.path);
  },
);

function step(number: number): Migration {
  return {
    number,
    name: `000${number}_step.sql`,
    hash: `hash of ${number}`,
    sql: `CREATE TABLE table_${number} (value INTEGER) STRICT`,
  };
}
