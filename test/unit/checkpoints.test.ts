import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEngine } from "../../src/adapters/storage/sqlite/engine.ts";

test("the log is moved into the file once 8 MB wait in it, by another thread", async () => {
  await using log = await createLog();
  while (log.state().checkpointed === 0) await log.write(64_000);
  expect(log.state().checkpointed).toBeGreaterThan(2048);
});

test("the log starts over during continuous writes, before a commit has to wait for a checkpoint", async () => {
  await using log = await createLog();
  let longest = 0;
  for (let { log: length } = log.state(); length >= longest; length = log.state().log) {
    longest = length;
    await log.write(64_000);
  }
  // Where exactly depends on how soon the other thread gets its turn.
  expect(longest).toBeGreaterThan(2048);
  expect(longest).toBeLessThan(32_768);
});

test("however many commits there are, a short log stays as it is", async () => {
  await using log = await createLog();
  for (let n = 0; n < 200; n++) await log.write(1);
  expect(log.state()).toMatchObject({ checkpointed: 0 });
});

/** A database whose log grows by what is written. */
async function createLog() {
  const directory = await mkdtemp(join(tmpdir(), "outreachd-log-"));
  const { database, writer, reader } = openEngine(join(directory, "outreachd.db"));
  database.run("CREATE TABLE notes (content BLOB)");
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  const insert = database.prepare("INSERT INTO notes VALUES (zeroblob(?))");
  const look = database.prepare<{ log: number; checkpointed: number }, []>("PRAGMA wal_checkpoint(NOOP)");
  return {
    state: () => look.get() ?? { log: 0, checkpointed: 0 },
    write: (bytes: number) => writer.write(() => void insert.run(bytes)),
    async [Symbol.asyncDispose]() {
      writer.close();
      await reader.close();
      database.close();
      await rm(directory, { recursive: true });
    },
  };
}
