import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteConnection } from "../../src/adapters/storage/sqlite/connection.ts";
import { Writer } from "../../src/lib/group-commit/writer.ts";

const bytes = (size: number): Uint8Array => new Uint8Array(size);

test("a write answers what its unit answered, after the commit", async () => {
  using notes = openNotes();
  const answer = notes.writer.write(() => notes.insert("a"));
  expect(notes.all()).toEqual([]);
  expect(await answer).toBe("a");
  expect(notes.database.inTransaction).toBe(false);
  expect(notes.all()).toEqual(["a"]);
});

test("all units of a turn run in one transaction, in order, and none settles before its commit", async () => {
  using notes = openNotes();
  const steps: string[] = [];
  await Promise.all(
    ["a", "b", "c"].map(async (text) => {
      await notes.writer.write(() => {
        steps.push(`run ${text}`);
        return notes.insert(text);
      });
      steps.push(`settle ${text}, ${notes.database.inTransaction ? "before" : "after"} commit`);
    }),
  );
  expect(steps).toEqual(["run a", "run b", "run c", ...["a", "b", "c"].map((text) => `settle ${text}, after commit`)]);
  expect(notes.commits()).toBe(1);
});

test("what comes with the next turn of the event loop shares the commit", async () => {
  using notes = openNotes();
  const first = notes.writer.write(() => notes.insert("a"));
  const second = new Promise((resolve) => {
    setImmediate(() => resolve(notes.writer.write(() => notes.insert("b"))));
  });
  await Promise.all([first, second]);
  expect(notes.commits()).toBe(1);
});

test("a write is committed soon, also while each turn brings more", async () => {
  using notes = openNotes();
  const all: Promise<unknown>[] = [];
  let isFirstDone = false;
  void notes.writer.write(() => notes.insert("first")).then(() => (isFirstDone = true));
  while (!isFirstDone) {
    const text = `more ${all.length}`;
    all.push(notes.writer.write(() => notes.insert(text)));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(all);
  expect(all.length).toBeLessThanOrEqual(256);
});

test("another connection sees what was written as soon as the write resolves", async () => {
  const folder = mkdtempSync(join(tmpdir(), "outreachd-writer-"));
  try {
    const path = join(folder, "notes.db");
    using notes = openNotes(path);
    using other = new Database(path, { readonly: true });
    const count = () => other.query<{ n: number }, []>("SELECT count(*) AS n FROM notes").get()?.n;
    const seen: unknown[] = [];
    const second = notes.writer.write(() => {
      seen.push(count());
      return notes.insert("b");
    });
    await notes.writer.write(() => notes.insert("c"));
    seen.push(count());
    await second;
    expect(seen).toEqual([0, 2]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** Notes that units leave to be written together. */
function leaving(notes: ReturnType<typeof openNotes>) {
  let left: string[] = [];
  const written: string[][] = [];
  const participant = {
    beforeCommit() {
      if (left.length === 0) return;
      written.push(left);
      for (const text of left) notes.insert(text);
      left = [];
    },
    committed: () => {},
    rolledBack: () => void (left = []),
  };
  function leave(text: string): void {
    notes.writer.join(participant);
    left.push(text);
  }
  return { written, leave };
}

test("a commit waits for the disk unless all in it is done again after a power cut", async () => {
  using notes = openNotes();
  const seen: unknown[] = [];
  const look = (): void => void seen.push(notes.database.query("PRAGMA synchronous").values()[0]?.[0]);
  const [full, normal] = [2, 1];
  await notes.writer.writeRelaxed(look);
  await Promise.all([notes.writer.writeRelaxed(look), notes.writer.write(look)]);
  await notes.writer.writeRelaxed(look);
  await notes.writer.write(look);
  expect(seen).toEqual([normal, full, full, normal, full]);
});

test("what units leave to be written together is written once, before the commit", async () => {
  using notes = openNotes();
  const { leave, written } = leaving(notes);
  await Promise.all(["a", "b", "c"].map((text) => notes.writer.write(() => leave(text))));
  expect(written).toEqual([["a", "b", "c"]]);
  expect({ all: notes.all(), commits: notes.commits() }).toEqual({ all: ["a", "b", "c"], commits: 1 });
});

test("what a unit left that throws is not written, and that of the others is", async () => {
  using notes = openNotes();
  const { leave } = leaving(notes);
  const results = await Promise.allSettled([
    notes.writer.write(() => leave("a")),
    notes.writer.write(() => {
      leave("b");
      throw new Error("no");
    }),
    notes.writer.write(() => leave("c")),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(notes.all()).toEqual(["a", "c"]);
  await notes.writer.write(() => leave("d"));
  expect(notes.all()).toEqual(["a", "c", "d"]);
});

test("when what units left can't be written, none of them holds", async () => {
  using notes = openNotes();
  let isFull = true;
  const participant = {
    beforeCommit() {
      if (isFull) throw new Error("full");
    },
    committed: () => {},
    rolledBack: () => {},
  };
  function insert(text: string): void {
    notes.writer.join(participant);
    notes.insert(text);
  }
  const results = await Promise.allSettled(["a", "b"].map((text) => notes.writer.write(() => insert(text))));
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  isFull = false;
  await notes.writer.write(() => insert("c"));
  expect(notes.all()).toEqual(["c"]);
});

test("a unit that throws is rolled back alone, with what it had done before", async () => {
  using notes = openNotes();
  const results = await Promise.allSettled([
    notes.writer.write(() => notes.insert("a")),
    notes.writer.write(() => {
      notes.insert("b");
      throw new Error("No more");
    }),
    notes.writer.write(() => notes.insert("c")),
  ]);
  expect(results.map((result) => (result.status === "fulfilled" ? result.value : String(result.reason)))).toEqual([
    "a",
    "Error: No more",
    "c",
  ]);
  expect(notes.all()).toEqual(["a", "c"]);
});

test("a batch in which a unit throws runs again, after everybody was told to forget what it wrote", async () => {
  using notes = openNotes();
  const steps: string[] = [];
  notes.writer.onRollback(() => steps.push("forget"));
  const a = notes.writer.write(() => steps.push("a") && notes.insert("a"));
  const b = notes.writer.write(() => {
    steps.push("b");
    throw new Error("broken");
  });
  const c = notes.writer.write(() => steps.push("c") && notes.insert("c"));
  expect((await Promise.allSettled([a, b, c])).map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
  ]);
  expect(steps).toEqual(["a", "b", "forget", "a", "b", "forget", "c"]);
  expect(notes.all()).toEqual(["a", "c"]);
  expect(notes.commits()).toBe(1);
});

test("a broken constraint rejects its own unit only", async () => {
  using notes = openNotes();
  const writes = ["a", "a", "b"].map((text) => notes.writer.write(() => notes.insert(text)));
  const results = await Promise.allSettled(writes);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(results[1]).toMatchObject({ reason: { code: "SQLITE_CONSTRAINT_PRIMARYKEY" } });
  expect(notes.all()).toEqual(["a", "b"]);
});

test("an asynchronous unit is refused and what it did at once is undone", async () => {
  using notes = openNotes();
  const attempt = notes.writer.write(async () => notes.insert("a"));
  await expect(attempt).rejects.toThrow("must be synchronous");
  await notes.writer.write(() => notes.insert("b"));
  expect(notes.all()).toEqual(["b"]);
});

test("a full disk, which ends the transaction in the middle, rejects the whole batch and stores nothing of it", async () => {
  using notes = openNotes();
  notes.limitPages(8);
  let ranLast = false;
  const results = await Promise.allSettled([
    notes.writer.write(() => notes.insert("a")),
    notes.writer.write(() => notes.insert("b", bytes(100_000))),
    notes.writer.write(() => {
      ranLast = true;
      return notes.insert("c");
    }),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  for (const result of results) expect(result).toMatchObject({ reason: { code: "SQLITE_FULL" } });
  expect(ranLast).toBe(false);
  expect(notes.all()).toEqual([]);
});

test("a full disk that ends only a statement rejects its unit only", async () => {
  using notes = openNotes();
  notes.limitPages(8);
  const results = await Promise.allSettled([
    notes.writer.write(() => notes.insert("a")),
    // Several rows at once: SQLite can undo this statement by itself and keep the transaction.
    notes.writer.write(() =>
      notes.database.run("INSERT INTO notes SELECT 'b' || value, zeroblob(20000) FROM json_each('[1,2,3]')"),
    ),
    notes.writer.write(() => notes.insert("c")),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(results[1]).toMatchObject({ reason: { code: "SQLITE_FULL" } });
  expect(notes.all()).toEqual(["a", "c"]);
});

test("writing goes on after a full disk has room again", async () => {
  using notes = openNotes();
  notes.limitPages(8);
  await expect(notes.writer.write(() => notes.insert("a", bytes(100_000)))).rejects.toThrow();
  await notes.writer.write(() => notes.insert("b"));
  notes.limitPages(1000);
  await notes.writer.write(() => notes.insert("c", bytes(100_000)));
  expect(notes.all()).toEqual(["b", "c"]);
});

test("a commit that fails rejects the whole batch, and the next one is not touched by it", async () => {
  using notes = openNotes();
  notes.database.run("PRAGMA foreign_keys = ON");
  notes.database.run("CREATE TABLE marks (note TEXT REFERENCES notes (text) DEFERRABLE INITIALLY DEFERRED) STRICT");
  const results = await Promise.allSettled([
    notes.writer.write(() => notes.insert("a")),
    notes.writer.write(() => notes.database.run("INSERT INTO marks VALUES ('nothing')")),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(notes.database.inTransaction).toBe(false);
  await notes.writer.write(() => notes.insert("b"));
  expect(notes.all()).toEqual(["b"]);
});

test("a transaction that can't begin rejects its batch, and the next one may begin", async () => {
  const folder = mkdtempSync(join(tmpdir(), "outreachd-writer-"));
  try {
    const path = join(folder, "notes.db");
    using notes = openNotes(path);
    using other = new Database(path);
    notes.database.run("PRAGMA busy_timeout = 0");
    other.run("BEGIN IMMEDIATE");
    await expect(notes.writer.write(() => notes.insert("a"))).rejects.toMatchObject({ code: "SQLITE_BUSY" });
    other.run("ROLLBACK");
    await notes.writer.write(() => notes.insert("b"));
    expect(notes.all()).toEqual(["b"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a long queue is committed in several transactions, in order", async () => {
  using notes = openNotes();
  const texts = Array.from({ length: 600 }, (_, n) => String(n).padStart(4, "0"));
  const settled: string[] = [];
  await Promise.all(texts.map(async (text) => settled.push(await notes.writer.write(() => notes.insert(text)))));
  expect(settled).toEqual(texts);
  expect(notes.all()).toEqual(texts);
  // Two at most are full; a machine that is busy takes fewer at once.
  expect(notes.commits()).toBeWithin(3, texts.length);
});

test("a write that a unit asks for comes in a transaction of its own", async () => {
  using notes = openNotes();
  const inner = Promise.withResolvers<string>();
  await notes.writer.write(() => {
    inner.resolve(notes.writer.write(() => notes.insert("inner")));
    return notes.insert("outer");
  });
  expect(notes.all()).toEqual(["outer"]);
  expect(await inner.promise).toBe("inner");
  expect(notes.commits()).toBe(2);
});

test("closing commits everything that is queued and takes no more", async () => {
  using notes = openNotes();
  const texts = Array.from({ length: 300 }, (_, n) => String(n).padStart(4, "0"));
  const writes = Promise.all(texts.map((text) => notes.writer.write(() => notes.insert(text))));
  notes.writer.close();
  expect(notes.all()).toEqual(texts);
  expect(await writes).toEqual(texts);
  await expect(notes.writer.write(() => notes.insert("late"))).rejects.toThrow("closed");
  notes.writer.close();
  expect(notes.all()).toEqual(texts);
});

/** A writer over a table of texts. */
function openNotes(path = ":memory:") {
  const database = new Database(path, { create: true, readwrite: true, strict: true });
  database.run("PRAGMA journal_mode = WAL");
  database.run("CREATE TABLE notes (text TEXT PRIMARY KEY, body BLOB) STRICT");
  const insertNote = database.query("INSERT INTO notes VALUES (?, ?)");
  let commits = 0;
  const listeners: (() => void)[] = [];
  const maintain = (): number => {
    commits++;
    for (const listener of listeners) listener();
    return 1;
  };
  return {
    database,
    writer: new Writer(sqliteConnection(database, maintain)),
    commits: () => commits,
    onCommit: (listener: () => void) => void listeners.push(listener),
    insert(text: string, body: Uint8Array = bytes(0)): string {
      insertNote.run(text, body);
      return text;
    },
    all: () =>
      database
        .query<{ text: string }, []>("SELECT text FROM notes ORDER BY text")
        .all()
        .map(({ text }) => text),
    /** Makes the disk as good as full once the database has that many pages. */
    limitPages: (count: number) => void database.query(`PRAGMA max_page_count = ${count}`).get(),
    [Symbol.dispose]: () => database.close(),
  };
}
