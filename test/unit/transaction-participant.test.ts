import { AsyncLocalStorage } from "node:async_hooks";
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { sqliteConnection } from "../../src/adapters/storage/sqlite/connection.ts";
import { Writer, type Participation, type TransactionParticipant } from "../../src/lib/group-commit/writer.ts";

test("a participant writes into the transaction of its unit, and learns that it is committed", async () => {
  using notes = openNotes();
  const { participant, steps } = recording(notes);
  await notes.as(participant, () => notes.insert("effect"));
  expect(steps).toEqual(["beforeCommit", "committed"]);
  expect(notes.batches).toEqual([1]);
  expect(notes.all()).toEqual(["effect", "record"]);
});

test("a unit that changes nothing, or fails, does not involve its participant", async () => {
  using notes = openNotes();
  const { participant, steps } = recording(notes);
  await notes.as(participant, () => notes.writer.write(() => notes.all()));
  const failing = notes.as(participant, () =>
    notes.writer.write(() => {
      notes.add("effect");
      throw new Error("No");
    }),
  );
  await expect(failing).rejects.toThrow("No");
  expect(steps).toEqual([]);
  expect(notes.all()).toEqual([]);
});

test("several units in one transaction call their participant once, and another participant separately", async () => {
  using notes = openNotes();
  const one = recording(notes, "one");
  const other = recording(notes, "other");
  await Promise.all([
    notes.as(one.participant, () => notes.insert("a")),
    notes.as(one.participant, () => notes.insert("b")),
    notes.as(other.participant, () => notes.insert("c")),
    notes.insert("d"),
  ]);
  expect(notes.batches).toEqual([4]);
  expect([one.steps, other.steps]).toEqual([
    ["beforeCommit", "committed"],
    ["beforeCommit", "committed"],
  ]);
  expect(notes.all()).toEqual(["a", "b", "c", "d", "one", "other"]);
});

test("a unit that fails does not affect the participants of the others", async () => {
  using notes = openNotes();
  const { participant, steps } = recording(notes);
  const settled = await Promise.allSettled([
    notes.writer.write(() => {
      throw new Error("No");
    }),
    notes.as(participant, () => notes.insert("effect")),
  ]);
  expect(settled.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  expect(steps).toEqual(["beforeCommit", "committed"]);
  expect(notes.all()).toEqual(["effect", "record"]);
});

test("a participant that cannot write fails the transaction", async () => {
  using notes = openNotes();
  const { participant, steps } = recording(notes);
  await notes.insert("record");
  await expect(notes.as(participant, () => notes.insert("effect"))).rejects.toThrow("UNIQUE");
  expect(steps).toEqual(["beforeCommit", "rolledBack"]);
  expect(notes.all()).toEqual(["record"]);
});

test("a commit that fails rolls the participant back", async () => {
  using notes = openNotes();
  const { participant, steps } = recording(notes);
  await expect(notes.as(participant, () => notes.insert("effect", "no such note"))).rejects.toThrow("FOREIGN KEY");
  expect(steps).toEqual(["beforeCommit", "rolledBack"]);
  expect(notes.all()).toEqual([]);
});

function openNotes() {
  const database = new Database(":memory:", { strict: true });
  database.run("PRAGMA foreign_keys = ON");
  database.run(
    "CREATE TABLE notes (text TEXT PRIMARY KEY, about TEXT REFERENCES notes DEFERRABLE INITIALLY DEFERRED) STRICT",
  );
  const insertNote = database.prepare("INSERT INTO notes VALUES (?, ?)");
  const participants = new AsyncLocalStorage<Participation>();
  const writer = new Writer(sqliteConnection(database), participants);
  const batches: number[] = [];
  writer.measure({ units: { observe: (units) => void batches.push(units) }, seconds: { observe: () => {} } });
  const add = (text: string, about: string | null = null): void => void insertNote.run(text, about);
  return {
    writer,
    batches,
    add,
    insert: (text: string, about: string | null = null) => writer.write(() => add(text, about)),
    as: <T>(participant: TransactionParticipant, work: () => T): T => participants.run({ participant }, work),
    all: () =>
      database
        .query<{ text: string }, []>("SELECT text FROM notes ORDER BY text")
        .all()
        .map(({ text }) => text),
    [Symbol.dispose]: () => database.close(),
  };
}

/** A participant that inserts a note of its own. */
function recording({ add }: { add: (text: string) => void }, text = "record") {
  const steps: string[] = [];
  const participant: TransactionParticipant = {
    beforeCommit() {
      steps.push("beforeCommit");
      add(text);
    },
    committed: () => void steps.push("committed"),
    rolledBack: () => void steps.push("rolledBack"),
  };
  return { participant, steps };
}
