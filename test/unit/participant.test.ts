import { expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runOutsideRequest } from "../../src/lib/concurrency/outside-request.ts";
import { BackgroundWork } from "../../src/lib/concurrency/background-work.ts";
import { withParticipant, type TransactionParticipant } from "../../src/lib/group-commit/participant.ts";
import { createIdempotencyStore } from "../../src/adapters/storage/sqlite/idempotency.ts";
import { SharedRead } from "../../src/adapters/storage/sqlite/shared-read.ts";
import { sqliteConnection } from "../../src/adapters/storage/sqlite/connection.ts";
import { Writer } from "../../src/lib/group-commit/writer.ts";

test("what follows a write for an answer is run before its commit, and recorded in it", async () => {
  using notes = openNotes();
  const { participant, steps } = recording(notes);
  await withParticipant(participant, async () => {
    await notes.writer.writeBeforeResponse(() => notes.insert("effect"));
    steps.push(`answer, ${notes.database.inTransaction ? "before" : "after"} the commit`);
    await participant.settled;
    steps.push("sent");
  });
  expect(steps).toEqual(["wrote", "settled early", "answer, before the commit", "record", "committed", "sent"]);
  expect(notes.batches).toEqual([1]);
  expect(notes.all()).toEqual(["effect", "record"]);
});

test("any other write settles after its commit, which has the record as well", async () => {
  using notes = openNotes();
  const { participant, steps } = recording(notes);
  await withParticipant(participant, () => notes.writer.write(() => notes.insert("effect")));
  expect(steps).toEqual(["wrote", "record", "committed"]);
  expect(notes.batches).toEqual([1]);
});

test("without a participant a write for an answer settles after its commit", async () => {
  using notes = openNotes();
  await notes.writer.writeBeforeResponse(() => notes.insert("effect"));
  expect(notes.database.inTransaction).toBe(false);
  expect(notes.all()).toEqual(["effect"]);
});

test("a write that changes nothing, or fails, has no record", async () => {
  using notes = openNotes();
  const { participant, steps } = recording(notes);
  await withParticipant(participant, () => notes.writer.write(() => notes.all()));
  const failing = withParticipant(participant, () =>
    notes.writer.writeBeforeResponse(() => {
      notes.insert("effect");
      throw new Error("No");
    }),
  );
  await expect(failing).rejects.toThrow("No");
  expect(steps).toEqual([]);
  expect(notes.all()).toEqual([]);
});

test("a commit that fails after the write was settled is told to its participant, and nothing of it holds", async () => {
  using notes = openNotes();
  const { participant, steps } = recording(notes);
  const other = notes.writer.write(() => notes.insert("other"));
  const failures = Promise.all([participant.settled, other].map(failureOf));
  await withParticipant(participant, () =>
    notes.writer.writeBeforeResponse(() => notes.insert("effect", "no such note")),
  );
  expect(await failures).toEqual([expect.stringContaining("FOREIGN KEY"), expect.stringContaining("FOREIGN KEY")]);
  expect(steps).toEqual(["wrote", "settled early", "record", "failed"]);
  expect(notes.all()).toEqual([]);
});

test("a record that can't be written takes the write with it", async () => {
  using notes = openNotes();
  const { participant } = recording(notes);
  notes.insert("record");
  const failure = failureOf(participant.settled);
  await withParticipant(participant, () => notes.writer.writeBeforeResponse(() => notes.insert("effect")));
  expect(await failure).toContain("UNIQUE");
  expect(notes.all()).toEqual(["record"]);
});

test.each(["at once", "later"])(
  "no answer is kept, nor given, of a write whose commit failed, when it is put together %s",
  async (when) => {
    using notes = openNotes();
    const answer = keyed(notes, async () => {
      await notes.writer.writeBeforeResponse(() => notes.insert("effect", "no such note"));
      if (when === "later") await new Promise((resolve) => setImmediate(resolve));
    });
    expect(await failureOf(answer)).toContain("FOREIGN KEY");
    await notes.writer.write(() => undefined);
    expect(await notes.kept()).toBeNull();
  },
);

test("what an answer is put together from by several writes, one after the other or at once, is one transaction", async () => {
  using notes = openNotes();
  const other = notes.writer.write(() => notes.insert("other"));
  const answer = keyed(notes, async () => {
    for (const text of ["a", "b", "c", "d"]) await notes.writer.writeBeforeResponse(() => notes.insert(text));
    await Promise.all(["e", "f"].map((text) => notes.writer.writeBeforeResponse(() => notes.insert(text))));
  });
  expect(await answer).toBe("kept");
  await other;
  expect(notes.batches).toEqual([7]);
  expect(notes.all()).toEqual(["a", "b", "c", "d", "e", "f", "other"]);
  expect(await notes.kept()).toMatchObject({ answer: { body: "done" } });
});

test("more writes than one batch takes are one transaction all the same", async () => {
  using notes = openNotes();
  const texts = Array.from({ length: 600 }, (_, n) => `${n}`);
  const insert = (text: string) => notes.writer.writeBeforeResponse(() => notes.insert(text));
  expect(await keyed(notes, () => Promise.all(texts.map(insert)))).toBe("kept");
  expect(notes.batches).toEqual([600]);
});

test("a write that must be on disk before the request goes on is, and a crash then leaves a mark", async () => {
  using notes = openNotes();
  const answer = keyed(notes, async () => {
    await notes.writer.write(() => notes.insert("reserved"));
    expect(notes.database.inTransaction).toBe(false);
    expect(await notes.kept()).toMatchObject({ answer: null });
    await notes.writer.writeBeforeResponse(() => notes.insert("settled"));
  });
  expect(await answer).toBe("kept");
  expect(notes.batches).toEqual([1, 1]);
});

test("of writes in one transaction one that fails is taken back alone, and whoever made it hears so", async () => {
  using notes = openNotes();
  const answer = keyed(notes, async () => {
    await notes.writer.writeBeforeResponse(() => notes.insert("a"));
    const twice = ["b", "a", "c"].map((text) => notes.writer.writeBeforeResponse(() => notes.insert(text)));
    expect((await Promise.allSettled(twice)).map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
  });
  expect(await answer).toBe("kept");
  expect(notes.all()).toEqual(["a", "b", "c"]);
});

test("nothing is written on the ground of what did not hold, and the answer is not given", async () => {
  using notes = openNotes();
  const errors: string[] = [];
  const answer = keyed(notes, async () => {
    await notes.writer.writeBeforeResponse(() => notes.insert("effect", "no such note"));
    // Waits for the disk, so it comes in a transaction of its own, behind the one that fails.
    errors.push(await failureOf(notes.writer.write(() => notes.insert("consequence"))));
    await notes.writer.write(() => notes.insert("put right"));
  });
  expect(await failureOf(answer)).toContain("FOREIGN KEY");
  expect(errors).toEqual([expect.stringContaining("FOREIGN KEY")]);
  expect(notes.all()).toEqual(["put right"]);
});

test("who writes on later hears that what was written before does not hold, once", async () => {
  using notes = openNotes();
  const errors: string[] = [];
  const answer = keyed(notes, async () => {
    await notes.writer.writeBeforeResponse(() => notes.insert("effect", "no such note"));
    await new Promise((resolve) => setImmediate(resolve));
    for (const text of ["a", "b"])
      errors.push(await failureOf(notes.writer.writeBeforeResponse(() => notes.insert(text))));
  });
  expect(await failureOf(answer)).toContain("FOREIGN KEY");
  expect(errors).toEqual([expect.stringContaining("FOREIGN KEY"), "none"]);
});

test.each(["apart", "in the background"])("what is done %s of a request is no part of it", async (where) => {
  using notes = openNotes();
  const write = async () => {
    await notes.writer.writeBeforeResponse(() => notes.insert("other"));
    expect(notes.database.inTransaction).toBe(false);
  };
  const background = new BackgroundWork(write, (error) => expect(error).toBeNull());
  const answer = keyed(notes, async () => {
    if (where === "apart") await runOutsideRequest(write);
    else background.wake();
    await background.idle();
    expect(await notes.kept()).toBeNull();
  });
  expect(await answer).toBe("kept");
  expect(notes.all()).toEqual(["other"]);
});

test("what holds is told although its answer found no room, which the attempt knows", async () => {
  using notes = openNotes();
  notes.database.run(
    "CREATE TRIGGER no_room BEFORE INSERT ON idempotent_requests WHEN new.status IS NOT NULL BEGIN SELECT RAISE(ABORT, 'no room'); END",
  );
  const answer = keyed(notes, async () => {
    await notes.writer.write(() => notes.insert("effect"));
    await new Promise((resolve) => setImmediate(resolve));
  });
  expect(await answer).toBe("lost");
  expect(notes.all()).toEqual(["effect"]);
  expect(await notes.kept()).toMatchObject({ answer: null });
});

test("a participant that closed, or another one's, does not go along", async () => {
  using notes = openNotes();
  const closed = recording(notes);
  closed.participant.isOpen = false;
  await withParticipant(closed.participant, () => notes.writer.write(() => notes.insert("one")));
  const away = recording(notes);
  await Promise.all([
    notes.writer.write(() => notes.insert("two")),
    withParticipant(away.participant, async () => undefined),
  ]);
  expect([...closed.steps, ...away.steps]).toEqual([]);
});

type Notes = ReturnType<typeof openNotes>;

const request = { id: new Uint8Array(16), startedAt: 1, userId: null };

/** The work of a request with a key. "kept" when its answer is, so that what it has written holds. */
function keyed(notes: Notes, work: () => Promise<unknown>): Promise<string> {
  return notes.store.attempt(async (attempt) => {
    attempt.begin(request, { hash: null, bytes: 0 });
    await work();
    const answer = await attempt.end({ status: 200, headers: {}, body: "done" }, "kept");
    return attempt.isForgotten ? "lost" : answer;
  });
}

/** Not `expect(…).rejects`: that waits without letting the writer go on, when it runs before the commit. */
function failureOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "none",
    (error: unknown) => String(error),
  );
}

function openNotes() {
  const database = new Database(":memory:", { strict: true });
  database.run("PRAGMA foreign_keys = ON");
  // A reference that is checked by the COMMIT only.
  database.run(
    "CREATE TABLE notes (text TEXT PRIMARY KEY, answers TEXT REFERENCES notes DEFERRABLE INITIALLY DEFERRED) STRICT",
  );
  database.run("CREATE TABLE users (id TEXT PRIMARY KEY, seq INTEGER) STRICT");
  for (const name of ["0009_idempotency", "0017_idempotency_keys", "0018_owner_of_answers"])
    database.run(readFileSync(join(import.meta.dir, `../../migrations/sqlite/${name}.sql`), "utf8"));
  const insertNote = database.query("INSERT INTO notes VALUES (?, ?)");
  const writer = new Writer(sqliteConnection(database));
  const shared = new SharedRead(database, writer);
  const store = createIdempotencyStore({ database, writer, shared });
  const batches: number[] = [];
  writer.onBatch((units) => batches.push(units));
  return {
    database,
    writer,
    shared,
    store,
    kept: async () => store.find(request.id),
    batches,
    insert: (text: string, answers: string | null = null) => void insertNote.run(text, answers),
    all: () =>
      database
        .query<{ text: string }, []>("SELECT text FROM notes ORDER BY text")
        .all()
        .map(({ text }) => text),
    [Symbol.dispose]() {
      shared.end();
      database.close();
    },
  };
}

/** A participant that writes a note of its own. */
function recording(notes: Notes) {
  const steps: string[] = [];
  const { promise: settled, resolve, reject } = Promise.withResolvers<void>();
  const participant: TransactionParticipant & { isOpen: boolean; settled: Promise<void> } = {
    isOpen: true,
    settled,
    wrote: () => void steps.push("wrote"),
    settledEarly: () => void steps.push("settled early"),
    record() {
      steps.push("record");
      notes.insert("record");
    },
    committed() {
      steps.push("committed");
      resolve();
    },
    failed(reason) {
      steps.push("failed");
      reject(reason);
    },
    takeFailure: () => null,
  };
  return { participant, steps };
}
