import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { withParticipant } from "../../src/lib/group-commit/participant.ts";
import { gatherWrites } from "../../src/lib/group-commit/gathered-writes.ts";
import { sqliteConnection } from "../../src/adapters/storage/sqlite/connection.ts";
import { Writer } from "../../src/lib/group-commit/writer.ts";

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

test("what is written for a request is a unit of its own, which the request's participant goes along with", async () => {
  using notes = openNotes();
  const accompaniedUnits: string[] = [];
  const participant = {
    isOpen: true,
    wrote: () => void accompaniedUnits.push(...notes.stored()),
    settledEarly: () => {},
    record: () => {},
    committed: () => {},
    failed: () => {},
    takeFailure: () => null,
  };
  const before = notes.add("a");
  await Promise.all([before, withParticipant(participant, () => notes.add("b")), notes.add("c")]);
  expect(notes.units).toEqual([["a", "c"], ["b"]]);
  expect(accompaniedUnits.toSorted()).toEqual(["a", "b", "c"]);
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
  const writer = new Writer(sqliteConnection(database));
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
    stored: () =>
      database
        .query<{ text: string }, []>("SELECT text FROM notes")
        .all()
        .map(({ text }) => text),
    [Symbol.dispose]: () => database.close(),
  };
}
