import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { RowInserter } from "../../src/adapters/storage/sqlite/prepared.ts";

test.each([0, 1, 3, 4, 15, 64, 65, 149])("%d rows are inserted once each, in their order", (count) => {
  using database = new Database(":memory:", { strict: true });
  database.run("CREATE TABLE notes (n INTEGER, text TEXT)");
  const rows = Array.from({ length: count }, (_, n) => [n, `note ${n}`] as const);
  new RowInserter(database, "INSERT INTO notes (n, text)", 2).insert(rows.flat());
  expect(database.query("SELECT n, text FROM notes ORDER BY rowid").values()).toEqual(rows.map((row) => [...row]));
});

test("a row that is incomplete is refused before anything is written", () => {
  using database = new Database(":memory:", { strict: true });
  database.run("CREATE TABLE notes (n INTEGER, text TEXT)");
  const notes = new RowInserter(database, "INSERT INTO notes (n, text)", 2);
  expect(() => notes.insert([1, "one", 2])).toThrow("incomplete");
  expect(database.query("SELECT n FROM notes").values()).toEqual([]);
});
