import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SharedRead } from "../../src/adapters/storage/sqlite/shared-read.ts";
import { sqliteConnection } from "../../src/adapters/storage/sqlite/connection.ts";
import { Writer } from "../../src/lib/group-commit/writer.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("look-ups of a turn share a transaction, which is over with the turn", async () => {
  using notes = openNotes();
  expect([notes.look(), notes.look()]).toEqual([0, 0]);
  expect(notes.database.inTransaction).toBe(true);
  await turn();
  expect(notes.database.inTransaction).toBe(false);
});

test("a write of the same turn finds it over, and what is looked up next is new", async () => {
  using notes = openNotes();
  const written = notes.writer.write(() => notes.insert());
  expect(notes.look()).toBe(0);
  await written;
  expect(notes.look()).toBe(1);
  await notes.writer.write(() => {
    notes.insert();
    expect(notes.look()).toBe(2);
  });
  expect(notes.database.inTransaction).toBe(false);
});

test("what another connection writes is seen in the next turn", async () => {
  using notes = openNotes();
  expect(notes.look()).toBe(0);
  notes.insertElsewhere();
  expect(notes.look()).toBe(0);
  await turn();
  expect(notes.look()).toBe(1);
});

test("a look-up that throws spoils nothing", async () => {
  using notes = openNotes();
  const fail = () => {
    throw new Error("no such note");
  };
  expect(() => notes.shared.read(fail)).toThrow("no such note");
  notes.shared.end();
  notes.shared.end();
  expect(notes.database.inTransaction).toBe(false);
  await notes.writer.write(() => notes.insert());
  expect(notes.look()).toBe(1);
});

function openNotes() {
  const directory = mkdtempSync(join(tmpdir(), "outreachd-shared-"));
  const path = join(directory, "notes.db");
  const database = new Database(path, { create: true, readwrite: true, strict: true });
  database.run("PRAGMA journal_mode = WAL");
  database.run("CREATE TABLE notes (text TEXT) STRICT");
  const other = new Database(path, { readwrite: true, strict: true });
  const writer = new Writer(sqliteConnection(database));
  const shared = new SharedRead(database);
  const insert = "INSERT INTO notes VALUES ('a')";
  const count = database.query<{ n: number }, []>("SELECT count(*) AS n FROM notes");
  return {
    database,
    writer,
    shared,
    insert: () => void database.run(insert),
    insertElsewhere: () => void other.run(insert),
    look: () => shared.read(() => count.get()?.n),
    [Symbol.dispose]() {
      shared.end();
      other.close();
      database.close();
      rmSync(directory, { recursive: true });
    },
  };
}
