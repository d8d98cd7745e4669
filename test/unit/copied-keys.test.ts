import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copiedTables } from "../../src/adapters/storage/copy/copied-tables.ts";
import { keyEntriesAfter, writeRun } from "../../src/adapters/storage/copy/key-entries.ts";
import { decodeRow, linesIn } from "../../src/adapters/storage/copy/row-text.ts";
import { runPages } from "../../src/adapters/storage/sqlite/directory/key-run-pages.ts";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";
import { KeyRuns, type RunState } from "../../src/lib/key-index/key-runs.ts";
import { startOfTests } from "../support/clock.ts";
import { seeded } from "../support/random.ts";

const { columns } = copiedTables.find(({ name }) => name === "prospect_keys")!;
type Entry = [owner: number, key: number, number: number];

function openDirectories(owners: readonly number[]): Database {
  const database = new Database(":memory:");
  migrate(database, migrations, startOfTests);
  for (const owner of owners) {
    database.run("INSERT INTO workspaces VALUES (?, ?, 'Team', 'UTC', 0, 0)", [owner, `w${owner}`]);
    database.run("INSERT INTO prospect_directories (owner, rules) VALUES (?, 1)", [owner]);
  }
  return database;
}

const inOrder = (entries: readonly Entry[]) =>
  entries.toSorted((one, other) => one[0] - other[0] || one[1] - other[1] || one[2] - other[2]);

function write(database: Database, owner: number, entries: readonly Entry[]): void {
  const sorted = inOrder(entries);
  writeRun(
    database,
    owner,
    sorted.map(([, key]) => key),
    sorted.map(([, , number]) => number),
  );
}

async function entriesAfter(database: Database, after: string | null) {
  const entries: Entry[] = [];
  const positions: { after: string; entries: number }[] = [];
  for await (const { lines, after: position } of keyEntriesAfter(database, columns, after)) {
    entries.push(...linesIn(lines).map((line) => decodeRow(columns, line) as Entry));
    positions.push({ after: position, entries: entries.length });
  }
  return { entries, positions };
}

/** Runs of a directory that overlap, with entries that are in several. */
function overlapping(owner: number, runs: number, entries: number): Entry[][] {
  const random = seeded(7);
  const any = (): Entry => [owner, Math.floor(random() * 3000), Math.floor(random() * 5)];
  return Array.from({ length: runs }, () => {
    const distinct = new Map(Array.from({ length: entries }, any).map((entry) => [entry.join(), entry]));
    return [...distinct.values()];
  });
}

test("the entries of overlapping runs are read in order, each once, from any position", async () => {
  using database = openDirectories([3, 8, 9]);
  const all = [...overlapping(3, 5, 4000), ...overlapping(9, 1, 1000)];
  for (const run of all) write(database, run[0]![0], run);
  const expected = inOrder([...new Map(all.flat().map((entry) => [entry.join(), entry])).values()]);
  const { entries, positions } = await entriesAfter(database, null);
  expect(entries).toEqual(expected);
  expect(positions.length).toBeGreaterThan(1);
  for (const { after, entries: passed } of positions)
    expect((await entriesAfter(database, after)).entries).toEqual(expected.slice(passed));
});

test("the index of a directory finds the keys of runs that were written", () => {
  using database = openDirectories([4]);
  const entries = Array.from({ length: 2000 }, (_, n): Entry => [4, n * 3, n]);
  write(database, 4, entries.slice(0, 700));
  write(database, 4, entries.slice(700));
  const { key_runs } = database.query<{ key_runs: string }, []>("SELECT key_runs FROM prospect_directories").get()!;
  const runs = new KeyRuns(runPages(database), JSON.parse(key_runs) as RunState[]);
  for (const [, key, number] of entries) expect(runs.find(key, 10)).toEqual([number]);
  expect(runs.find(1, 10)).toEqual([]);
});
