import { expect, test } from "bun:test";
import type { Sql, TransactionSql } from "postgres";
import { StartError } from "../../src/platform/base/start-error.ts";
import { connect } from "../../src/adapters/storage/postgres/engine.ts";
import { migrate, migrations, type LockPatience } from "../../src/adapters/storage/postgres/migrate.ts";
import { createTestDatabase } from "../support/postgres.ts";

const change = { number: 900, name: "0900_more.sql", hash: "h", sql: "ALTER TABLE workspaces ADD COLUMN more INTEGER" };
const quick = { lockTimeoutMs: 200, firstPauseMs: 100, maxPauseMs: 200 };

/** A database with a transaction that has read `workspaces`, as pg_dump does, until `release` is called. */
async function openRead() {
  const database = await createTestDatabase();
  const [holder, node, reader, observer] = [1, 2, 3, 4].map(() => connect(database.url, { poolSize: 1 }));
  const released = Promise.withResolvers<void>();
  const hasRead = Promise.withResolvers<TransactionSql>();
  const holding = holder!.begin(async (transaction) => {
    await transaction`SET LOCAL idle_in_transaction_session_timeout = 0`;
    await transaction`SET LOCAL application_name = 'pg_dump'`;
    await transaction`LOCK TABLE workspaces IN ACCESS SHARE MODE`;
    hasRead.resolve(transaction);
    await released.promise;
  });
  await Promise.race([hasRead.promise, holding]);
  return {
    /** The transaction that has read the table. */
    holding: await hasRead.promise,
    node: node!,
    reader: reader!,
    observer: observer!,
    release: async () => {
      released.resolve();
      await holding;
    },
    async [Symbol.asyncDispose]() {
      released.resolve();
      await holding;
      await Promise.all([holder, node, reader, observer].map((client) => client!.end()));
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

test("a request that needs a table that the migration has locked is not failed as a deadlock", async () => {
  await using open = await openRead();
  const both = { ...change, sql: `ALTER TABLE leads ADD COLUMN more INTEGER; ${change.sql}` };
  let waits = 0;
  const onWait = () => void waits++;
  const migrating = migrate(open.node, [...migrations, both], 0, { firstPauseMs: 300, maxPauseMs: 300, onWait });
  await untilSomeoneWaits(open.observer);
  // Longer than the time after which PostgreSQL checks for deadlocks, once for each that waits.
  await Bun.sleep(250);
  expect([...(await open.holding`SELECT count(*)::int AS n FROM leads`)]).toEqual([{ n: 0 }]);
  await open.release();
  expect(await migrating).toBe(1);
  expect(waits).toBeGreaterThan(0);
});

test("a migration that locks in another order than requests waits for what they use first, holding nothing else", async () => {
  await using open = await openRead();
  await open.observer`DELETE FROM schema_migrations WHERE number = 28`;
  const list = migrations.map((each) => (each.number === 28 ? { ...each, sql: "SELECT 1" } : each));
  const waiting = Promise.withResolvers<string>();
  const migrating = migrate(open.node, list, 0, { ...quick, onWait: waiting.resolve });
  expect(await Promise.race([waiting.promise, migrating])).toContain(
    "The migration 0028_tags_without_owner_check.sql waits",
  );
  await open.release();
  expect(await migrating).toBe(1);
});

/** The outcome of a migration that is stopped once `isWaiting` holds, and how long it took to end. */
async function stopped(open: Awaited<ReturnType<typeof openRead>>, patience: Partial<LockPatience>) {
  const stop = new AbortController();
  const waiting = Promise.withResolvers<void>();
  const onWait = () => waiting.resolve();
  const migrating = migrate(open.node, [...migrations, change], 0, { ...patience, onWait, stop: stop.signal });
  const ended = migrating.catch((reason: unknown) => reason);
  await Promise.race([waiting.promise, untilSomeoneWaits(open.reader)]);
  const stoppedAt = performance.now();
  stop.abort("stopped");
  return { outcome: await ended, ms: performance.now() - stoppedAt };
}

async function untilSomeoneWaits(client: Sql): Promise<void> {
  for (;;) {
    const rows = await client`
      SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`;
    if (rows.length > 0) return;
    await Bun.sleep(5);
  }
}

test("a node that is stopped does not wait for a table, nor for its next attempt, nor for another node", async () => {
  await using open = await openRead();
  const hour = 3_600_000;
  const forTable = await stopped(open, { lockTimeoutMs: hour });
  const forPause = await stopped(open, { lockTimeoutMs: 1, firstPauseMs: hour, totalMs: 2 * hour });
  const other = Promise.withResolvers<void>();
  const migratingElsewhere = open.reader.begin(async (transaction) => {
    await transaction`SELECT pg_advisory_xact_lock(7263448114::bigint)`;
    await other.promise;
  });
  // The reader is busy, so it waits on a connection of its own.
  const forNode = await stopped({ ...open, reader: open.observer }, {});
  other.resolve();
  await migratingElsewhere;
  for (const { outcome, ms } of [forTable, forPause, forNode]) {
    expect(outcome).toBe("stopped");
    expect(ms).toBeLessThan(1_500);
  }
  // The connection works, and holds no lock.
  await open.release();
  expect(await migrate(open.node, [...migrations, change], 0, quick)).toBe(1);
});
