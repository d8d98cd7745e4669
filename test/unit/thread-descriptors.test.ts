import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readLeadFile } from "../../src/features/leads/import/lead-file.ts";
import { readProspectFile } from "../../src/features/prospecting/import/prospect-file.ts";
import { openDatabase } from "../../src/adapters/storage/sqlite/open.ts";
import { Reader } from "../../src/adapters/storage/sqlite/reader.ts";
import { SampleMeter } from "../../src/features/voice/sample-meter.ts";
import { hiss } from "../support/voices.ts";

// Measuring sound takes seconds on a busy machine.
setDefaultTimeout(120_000);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "outreachd-descriptors-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The files of this test that the process has open, deleted ones included. */
function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return []; // the descriptor of this very look
    }
  });
}

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const people = (rows: number) =>
  ["First Name,Last Name,Email", ...Array.from({ length: rows }, (_, n) => `Ada,Byron,ada.${n}@x.example`)].join("\n");
const options = {
  format: "csv",
  delimiter: null,
  columns: null,
  source: null,
  assignTo: [],
  afterRow: 0,
  batchRows: 50,
} as const;

/** What a thread reads, message by message, until the signal fires. */
const threads: [string, (signal: AbortSignal) => AsyncGenerator][] = [
  [
    "that measures recordings",
    async function* (signal) {
      const samples = ["a", "b"].map((id) => ({ id, path: file(`${id}.wav`, hiss(12)), isStored: true }));
      const meter = new SampleMeter();
      yield* meter.measure({ samples, measuredBefore: [] }, meter.queue.join("user"), signal);
    },
  ],
  [
    "that reads a file of leads",
    (signal) => readLeadFile({ ...options, path: file("leads.csv", people(2000)), owner: 1, tags: [] }, signal),
  ],
  [
    "that reads a file of prospects",
    (signal) => readProspectFile({ ...options, path: file("prospects.csv", people(2000)) }, signal),
  ],
];

for (const [what, read] of threads)
  test.skipIf(process.platform !== "linux")(
    `a thread ${what} leaves nothing open, whenever it is stopped`,
    async () => {
      for (let stopAfter = 0; stopAfter <= 8; stopAfter++) {
        const controller = new AbortController();
        let messages = 0;
        const reading = (async () => {
          for await (const _ of read(controller.signal))
            if (++messages >= stopAfter) controller.abort(new Error("enough"));
        })();
        if (stopAfter === 0) controller.abort(new Error("enough"));
        await reading.catch((error: Error) => expect(error.message).toBe("enough"));
        // Deleting a recording is true only when nobody has it open any more.
        for (const name of readdirSync(folder)) rmSync(join(folder, name));
        expect({ stopAfter, open: openFiles() }).toEqual({ stopAfter, open: [] });
      }
    },
  );

test("a thread that reads the database closes it when nobody has asked for a while, and the next question is answered", async () => {
  const path = join(folder, "notes.db");
  const database = openDatabase(path);
  database.run("CREATE TABLE notes (n INTEGER)");
  // While the writer has a lock, SQLite keeps a descriptor of the database for each thread, and takes it for the next.
  const most = openFiles().length + 3;
  const reader = new Reader(path, 1);
  const question = { sql: "SELECT count(*) AS n FROM notes", params: [] };
  for (let round = 0; round < 3; round++) {
    const questions = Array.from({ length: 3 }, () => reader.all(question));
    expect(await Promise.all(questions)).toEqual([[{ n: 0 }], [{ n: 0 }], [{ n: 0 }]]);
    while (openFiles().length > most) await Bun.sleep(5);
  }
  await reader.close();
  database.close();
  expect(openFiles()).toEqual([]);
});
