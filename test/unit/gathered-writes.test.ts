import { AsyncLocalStorage } from "node:async_hooks";
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { sqliteConnection } from "../../src/adapters/storage/sqlite/connection.ts";
import { gatherWrites } from "../../src/lib/group-commit/gathered-writes.ts";
import { Writer, type Participation } from "../../src/lib/group-commit/writer.ts";

test("items that come before the unit runs are one unit, and each is answered by itself", async () => {
  using notes = openNotes();
  const answers = await Promise.all(["a", "b", "c"].map(notes.add));
  expect(answers).toEqual(["A", "B", "C"]);
  expect(notes.units).toEqual([["a", "b", "c"]]);
  expect(await notes.add("d")).toBe("D");
  expect(notes.units).toEqual([["a", "b", "c"], ["d"]]);
  expect(notes.stored()).toEqual(["a", "b", "c", "d"]);
});

test("no unit takes more than it may", async () => {
  using notes = openNotes(2);
  await Promise.all(["a", "b", "c", "d", "e"].map(notes.add));
  expect(notes.units).toEqual([["a", "b"], ["c", "d"], ["e"]]);
});

test("an item of a transaction participant is a unit of its own", async () => {
  using notes = openNotes();
  const before = notes.add("a");
  await Promise.all([before, notes.participating(() => notes.add("b")), notes.add("c")]);
  expect(notes.units).toEqual([["a", "c"], ["b"]]);
  expect(notes.committed()).toBe(1);
});

test("one that can't be written keeps back no other, and nothing is written twice", async () => {
  using notes = openNotes();
  const settled = await Promise.allSettled(["a", "bad", "c"].map(notes.add));
  expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(notes.stored()).toEqual(["a", "c"]);
});

test("when nothing can be written, each is told so", async () => {
  using notes = openNotes();
  notes.writer.close();
  const settled = await Promise.allSettled(["a", "b"].map(notes.add));
  expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});

function openNotes(most = 100) {
  const database = new Database(":memory:", { strict: true });
  database.run("CREATE TABLE notes (text TEXT NOT NULL UNIQUE CHECK (text <> 'bad')) STRICT");
  const insert = database.prepare("INSERT INTO notes VALUES (?)");
  const participants = new AsyncLocalStorage<Participation>();
  let commits = 0;
  const participant = { beforeCommit: () => {}, committed: () => void commits++, rolledBack: () => {} };
  const writer = new Writer(sqliteConnection(database), participants);
  const units: string[][] = [];
  const add = gatherWrites<string, string>(writer, most, (items) => {
    units.push([...items]);
    return items.map((text) => {
      insert.run(text);
      return text.toUpperCase();
    });
  });
  return {
    writer,
    add,
    units,
    participating: <T>(work: () => T): T => participants.run({ participant }, work),
    committed: () => commits,
    stored: () =>
      database
        .query<{ text: string }, []>("SELECT text FROM notes")
        .all()
        .map(({ text }) => text),
    [Symbol.dispose]: () => database.close(),
  };
}
