import type { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../src/adapters/storage/sqlite/open.ts";
import { Reader } from "../../src/adapters/storage/sqlite/reader.ts";

let folder: string;
let path: string;
let reader: Reader;
let database: Database | null = null;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "outreachd-reader-"));
  path = join(folder, "notes.db");
  reader = new Reader(path);
});

afterEach(async () => {
  await reader.close();
  database?.close();
  database = null;
  rmSync(folder, { recursive: true });
});

const numbers = { sql: "SELECT n FROM notes WHERE n > ? ORDER BY n", params: [1] };
/** Keeps the thread busy until somebody stops it. */
const endless = {
  sql: "WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t WHERE n < 0",
  params: [],
};

/** Long enough for any light query to overtake it. */
const millions = {
  sql: "WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t LIMIT 1500000) SELECT count(*) FROM t",
  params: [],
};

test("a query answers its rows by column name, with its parameters", async () => {
  makeNotes();
  expect(await reader.all<{ n: number }>(numbers)).toEqual([{ n: 2 }, { n: 3 }]);
  expect(await reader.all({ sql: "SELECT ? AS text, ? AS empty", params: ["é", null] })).toEqual([
    { text: "é", empty: null },
  ]);
});

test("a query sees what was committed before it was asked", async () => {
  const writer = makeNotes();
  for (let n = 4; n < 20; n++) {
    writer.run(`INSERT INTO notes VALUES (${n})`);
    expect(await reader.all({ sql: "SELECT max(n) AS n FROM notes", params: [] })).toEqual([{ n }]);
  }
});

test("queries that are asked at once each get their own answer", async () => {
  makeNotes();
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => reader.all({ sql: "SELECT ? AS n", params: [n] })),
  );
  expect(answers).toEqual(Array.from({ length: 50 }, (_, n) => [{ n }]));
});

test("a query with an error is rejected with what is wrong, and those beside it are answered", async () => {
  makeNotes();
  const results = await Promise.allSettled([
    reader.all(numbers),
    reader.all({ sql: "SELECT missing FROM notes", params: [] }),
    reader.all(numbers),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(reasonOf(results[1])).toContain("no such column: missing");
});

test("a query can't write", async () => {
  makeNotes();
  await expect(reader.all({ sql: "DELETE FROM notes RETURNING n", params: [] })).rejects.toThrow("readonly");
  expect(await reader.all(numbers)).toHaveLength(2);
});

test("when the thread crashes, what was asked is rejected, and the next query is answered by a new thread", async () => {
  const results = await Promise.allSettled([reader.all(numbers), reader.all(numbers)]);
  for (const result of results) expect(reasonOf(result)).toStartWith("The sqlite-reader thread failed: ");
  makeNotes();
  expect(await reader.all<{ n: number }>(numbers)).toHaveLength(2);
});

test("closing rejects queries under way, in the middle of their work", async () => {
  makeNotes();
  await reader.all(numbers);
  const asked = [reader.all(endless), reader.all(numbers), reader.all(endless)];
  const results = Promise.allSettled(asked);
  // Once it is answered, the first one is in the middle of its work.
  await asked[1];
  await reader.close();
  const [first, light, last] = await results;
  for (const result of [first, last]) expect(reasonOf(result)).toBe("The database is closed");
  expect(light).toMatchObject({ status: "fulfilled" });
});

test("a light query does not wait behind two heavy ones", async () => {
  makeNotes();
  await Promise.all([reader.all(numbers), reader.all(numbers), reader.all(numbers)]);
  const ended: string[] = [];
  const heavy = [reader.all(millions), reader.all(millions)].map((query) => query.then(() => ended.push("heavy")));
  for (let n = 0; n < 3; n++) await reader.all(numbers).then(() => ended.push("light"));
  await Promise.all(heavy);
  expect(ended).toEqual(["light", "light", "light", "heavy", "heavy"]);
});

test("a reader that was never asked is closed at once, and may be closed again", async () => {
  await reader.close();
  await reader.close();
});

function reasonOf(result: PromiseSettledResult<unknown> | undefined): string {
  return result?.status === "rejected" ? (result.reason as Error).message : "";
}

/** Makes the database, open until the end of the test, as the writer has it. */
function makeNotes(): Database {
  database = openDatabase(path);
  database.run("CREATE TABLE notes (n INTEGER)");
  database.run("INSERT INTO notes VALUES (1), (2), (3)");
  return database;
}
