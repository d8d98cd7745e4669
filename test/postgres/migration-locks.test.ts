import { expect, test } from "bun:test";
import { StartError } from "../../src/platform/base/start-error.ts";
import { connect } from "../../src/adapters/storage/postgres/engine.ts";
import { migrate, migrations } from "../../src/adapters/storage/postgres/migrate.ts";
import { createTestDatabase } from "../support/postgres.ts";

const change = { number: 900, name: "0900_more.sql", hash: "h", sql: "ALTER TABLE workspaces ADD COLUMN more INTEGER" };
const quick = { lockTimeoutMs: 200, firstPauseMs: 100, maxPauseMs: 200 };

/** A database with a transaction that has read `workspaces`, as pg_dump does, until `release` is called. */
async function openRead() {
  const database = await createTestDatabase();
  const [holder, node, reader] = [1, 2, 3].map(() => connect(database.url, { poolSize: 1 }));
  const released = Promise.withResolvers<void>();
  const hasRead = Promise.withResolvers<void>();
  const holding = holder!.begin(async (transaction) => {
    await transaction`SET LOCAL idle_in_transaction_session_timeout = 0`;
    await transaction`SET LOCAL application_name = 'pg_dump'`;
    await transaction`LOCK TABLE workspaces IN ACCESS SHARE MODE`;
    hasRead.resolve();
    await released.promise;
  });
  await Promise.race([hasRead.promise, holding]);
  return {
    node: node!,
    reader: reader!,
    release: async () => {
      released.resolve();
      await holding;
    },
    async [Symbol.asyncDispose]() {
      released.resolve();
      await holding;
      await Promise.all([holder, node, reader].map((client) => client!.end()));
      await database.drop();
    },
  };
}

test("while somebody reads a table, its migration lets other readers pass, and completes afterwards", async () => {
  await using open = await openRead();
  const messages: string[] = [];
  const waited = Promise.withResolvers<void>();
  const onWait = (message: string) => {
    messages.push(message);
    if (messages.length === 2) waited.resolve();
  };
  let isDone = false;
  const migrating = migrate(open.node, [...migrations, change], 0, { ...quick, onWait }).finally(() => (isDone = true));
  // Fails if a reader waits for longer than its statement may take.
  await open.reader`SET statement_timeout = '5s'`;
  while (messages.length < 2 && !isDone) await open.reader`SELECT count(*) FROM workspaces`;
  await Promise.race([waited.promise, migrating]);
  expect(isDone).toBe(false);
  expect(messages[0]).toMatch(/^The migration 0900_more\.sql waits for .*\(PID \d+, user \w+, pg_dump\)/);
  expect(messages[0]).toContain("The next attempt follows in 1 s.");
  await open.release();
  expect(await migrating).toBe(1);
  expect([...(await open.reader`SELECT more FROM workspaces`)]).toEqual([]);
});

test("a migration that cannot get its locks stops with the way out, and changes nothing", async () => {
  await using open = await openRead();
  const first = { number: 899, name: "0899_first.sql", hash: "h", sql: "CREATE TABLE first (n INTEGER)" };
  const error = await migrate(open.node, [...migrations, first, change], 0, { ...quick, totalMs: 500 }).catch(
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StartError);
  const { message, hint } = error as StartError;
  expect(message).toContain("gave up");
  expect(message).toContain("pg_dump");
  expect(hint).toContain("pg_terminate_backend");
  expect([...(await open.reader`SELECT to_regclass('first') AS first`)]).toEqual([{ first: null }]);
});
